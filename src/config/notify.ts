import { z } from 'zod';
import { seconds } from './duration.ts';
import { httpUrl } from './http-url.ts';
import { maxBytes, route, variableName, webhook } from './route.ts';
import { secretReference } from './secret-reference.ts';
import { severity } from './severity.ts';

const platform = z
  .strictObject({
    url: httpUrl.optional().describe('Base URL of the webhook-integration API.'),
    site: z.string().optional().describe('Or one of its sites, such as `datadoghq.eu`.'),
    headerPrefix: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]*$/)
      .default('SVC')
      .describe('Vendor prefix of the credential headers (`DD` for Datadog).'),
    apiKey: secretReference.describe('API key.'),
    applicationKey: secretReference.describe('Application key.'),
    eventsPath: z
      .string()
      .regex(/^\/\S*$/, 'a path that begins with `/`')
      .default('/api/v1/events')
      .describe('Where the platform takes events, for `delivery: platform-event`.'),
  })
  .refine(({ url, site }) => (url === undefined) !== (site === undefined), {
    error: 'name either the `url` or the `site` of the webhook-integration API',
  });

const variable = z.union([
  z.strictObject({ value: z.string() }),
  z.strictObject({ secret: secretReference }),
]);

const retries = z.strictObject({
  attempts: z.int().min(1).max(1_000).default(24).describe('Attempts in all before a delivery is given up.'),
  firstDelay: seconds('2s').describe('Wait before the second attempt; doubled each time, with jitter.'),
  longestDelay: seconds('2h').describe('No wait between two attempts is longer.'),
});

const history = z.strictObject({
  retention: seconds('30d').describe('How long deliveries that arrived are remembered; others always are.'),
  attempts: z.int().min(1).max(1_000).default(50).describe('Attempts kept of one delivery: the newest.'),
});

/** Where alerts go, and how. */
export const notify = z
  .strictObject({
    platform: platform
      .optional()
      .describe('Where definitions and variables are held. Unset: in this configuration alone.'),
    webhook: webhook.optional().describe('Where changes go that no route takes.'),
    routes: z.array(route).default([]),
    take: z
      .enum(['all', 'first'])
      .default('all')
      .describe('A change goes by every route that fits, or by the first one only.'),
    firstScan: z
      .enum(['summary', 'all', 'none'])
      .default('summary')
      .describe(
        "Of a target's first scan: one alert with counts and the worst ten, an alert as ever, or none.",
      ),
    minSeverity: severity.optional().describe('Changes of findings below it go nowhere.'),
    link: z
      .string()
      .regex(/^https?:\/\/[^\s/]/, 'an http or https URL')
      .optional()
      .describe('Page with the details that alerts link to; may use `$TARGET`, `$SCAN` and the like.'),
    variables: z
      .record(variableName, variable)
      .default({})
      .describe('Custom variables: `{ value }` or `{ secret: { env | file } }`.'),
    signingSecret: secretReference.optional().describe('Standard Webhooks signing secret (`whsec_…`).'),
    allowAddresses: z
      .array(z.string().min(1))
      .default([])
      .describe('Hosts or CIDR ranges that may be called although they are private.'),
    delivery: z
      .enum(['direct', 'platform-event'])
      .default('direct')
      .describe('Call the webhook, or post an event that has the platform call it.'),
    maxBytes: maxBytes
      .default(262_144)
      .describe('Largest body of an alert in bytes: beyond, the worst changes and a count of the rest.'),
    timeout: seconds('15s').describe('Limit for one delivery.'),
    drift: z
      .enum(['restore', 'keep'])
      .default('restore')
      .describe('What an operator changed on the platform: put back, or reported only.'),
    recheck: seconds('10m').describe(
      'How often workers look whether the platform still holds it; `0s`: on start only.',
    ),
    retries: retries.prefault({}),
    history: history.prefault({}),
  })
  .refine(({ webhook, routes }) => webhook !== undefined || routes.length > 0, {
    error: 'a webhook to alert by: `webhook`, `routes`, or both',
    path: ['webhook'],
  })
  .refine(({ platform, delivery }) => platform !== undefined || delivery === 'direct', {
    error: '`platform-event` needs the `platform` that is to call the webhook',
    path: ['delivery'],
  })
  .refine(({ routes }) => new Set(routes.map(({ name }) => name)).size === routes.length, {
    error: 'routes with names of their own',
    path: ['routes'],
  });

export type NotifyConfig = z.infer<typeof notify>;
