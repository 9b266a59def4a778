import { z } from 'zod';
import { cronTime } from '../cron.ts';
import { secretReference } from '../secret-reference.ts';
import {
  addressList,
  bySeverity,
  durationFrom,
  durationOf,
  httpUrl,
  lifetime,
  severity,
  timerInterval,
} from '../values.ts';
import { maxBytes, route, variableName, webhook } from './route.ts';

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
      .describe('Path to which events are posted with `delivery: platform-event`.'),
  })
  .refine(({ url, site }) => (url === undefined) !== (site === undefined), {
    error: 'name either the `url` or the `site` of the webhook-integration API',
  });

const variable = z.union([
  z.strictObject({ value: z.string() }),
  z.strictObject({ secret: secretReference }),
]);

const retries = z.strictObject({
  attempts: z.int().min(1).max(1_000).default(24).describe('Attempts before a delivery fails permanently.'),
  firstDelay: durationOf('2s').describe(
    'Delay before the second attempt. Doubles with each attempt, with jitter.',
  ),
  longestDelay: durationOf('2h').describe('Longest delay between two attempts.'),
});

const history = z.strictObject({
  retention: lifetime('30d').describe(
    'How long records of delivered alerts are kept. Other records are kept until delivery.',
  ),
  attempts: z
    .int()
    .min(1)
    .max(1_000)
    .default(50)
    .describe('Number of attempts that are kept for each delivery, newest first.'),
});

/** The receivers of alerts, and how they get them. */
export const notify = z
  .strictObject({
    platform: platform
      .optional()
      .describe(
        'Platform that holds definitions and variables. Unset: they exist in this configuration alone.',
      ),
    webhook: webhook.optional().describe('Receiver of changes that match no route.'),
    routes: z.array(route).default([]),
    take: z
      .enum(['all', 'first'])
      .default('all')
      .describe('Send a change by every matching route, or by the first one only.'),
    firstScan: z
      .enum(['summary', 'all', 'none'])
      .default('summary')
      .describe(
        "Alerts for a target's first scan: one with counts and the worst ten findings, all, or none.",
      ),
    minSeverity: severity.optional().describe('Changes of findings below this severity are not sent.'),
    remindAfter: bySeverity
      .default({})
      .describe(
        'How long a finding of a severity is open before it is reported again, once a week. Unset: never.',
      ),
    remindAt: cronTime
      .optional()
      .describe('When these reminders are sent, one digest for each route. Default: Mondays at 8:00 UTC.'),
    link: z
      .string()
      .regex(/^https?:\/\/[^\s/]/, 'an http or https URL')
      .optional()
      .describe('Page that alerts link to. May use variables of the alert such as `$TARGET` and `$SCAN`.'),
    variables: z
      .record(variableName, variable)
      .default({})
      .describe('Custom variables: `{ value }` or `{ secret: { env | file } }`.'),
    signingSecret: secretReference.optional().describe('Standard Webhooks signing secret (`whsec_…`).'),
    allowAddresses: addressList().default([]).describe('Private hosts or CIDR ranges that may be called.'),
    delivery: z
      .enum(['direct', 'platform-event'])
      .default('direct')
      .describe('Call the webhook directly, or post an event so that the platform calls it.'),
    maxBytes: maxBytes
      .default(262_144)
      .describe(
        'Size limit of an alert in bytes. A larger alert holds the worst changes and counts the rest.',
      ),
    timeout: durationFrom(1, '15s').describe('Time limit of one delivery attempt.'),
    drift: z
      .enum(['restore', 'keep'])
      .default('restore')
      .describe('Restore what was changed on the platform, or only report it.'),
    recheck: timerInterval(100, '10m').describe(
      'How often workers compare the platform with the configuration. `0s`: on start only.',
    ),
    retries: retries.prefault({}),
    history: history.prefault({}),
  })
  .refine(({ webhook, routes }) => webhook !== undefined || routes.length > 0, {
    error: 'at least one receiver of alerts: `webhook`, `routes`, or both',
    path: ['webhook'],
  })
  .refine(({ platform, delivery }) => platform !== undefined || delivery === 'direct', {
    error: '`platform-event` needs a `platform` to call the webhook',
    path: ['delivery'],
  })
  .refine(({ routes }) => new Set(routes.map(({ name }) => name)).size === routes.length, {
    error: 'a different name for each route',
    path: ['routes'],
  });

export type NotifyConfig = z.infer<typeof notify>;
