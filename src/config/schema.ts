import { z } from 'zod';
import { PRESET_NAMES, type PresetName } from '../model/preset-name.ts';
import { duration } from './duration.ts';
import { secretReference } from './secret-reference.ts';

/** Defaults are written as text, as in the file, so that `config check` and the documentation show the same. */
const seconds = (text: string) => duration.prefault(text);

/** `default` is the route of `notify.webhook`; `digest` would be mistaken for a part of a key. */
const RESERVED_ROUTES: ReadonlySet<string> = new Set(['default', 'digest']);

const MINUTE_MS = 60_000;

/** Presets whose receivers each have an address of their own. */
const NEEDS_URL: ReadonlySet<PresetName> = new Set(['generic', 'github-repository-dispatch']);

const httpUrl = z.url({ protocol: /^https?$/, error: 'an http or https URL' });

const redis = z.strictObject({
  /** Redis or Valkey; several (comma separated) for a cluster. Unset: an embedded engine that keeps nothing. */
  url: z
    .string()
    .regex(/^rediss?:\/\//, 'a `redis://` or `rediss://` URL')
    .optional()
    .describe('Redis or Valkey. Unset: an embedded engine that keeps nothing on disk.'),
  password: secretReference.optional().describe('Password for `redis.url`.'),
  prefix: z
    .string()
    .regex(/^\{[A-Za-z0-9_.-]+\}$/, 'a hash tag such as `{lockhound}`: all keys must share one cluster slot')
    .default('{lockhound}')
    .describe('Every key begins with it.'),
});

const insights = z.strictObject({
  url: httpUrl.default('https://api.deps.dev').describe('Package-insights API.'),
  timeout: seconds('30s').describe('Limit for one answer.'),
  concurrency: z.int().min(1).max(256).default(32).describe('Requests under way at once.'),
  requestsPerSecond: z
    .number()
    .min(0.01)
    .max(1_000_000)
    .optional()
    .describe('Requests a second, of all workers over this Redis together. Unset: no limit.'),
  recordTtl: seconds('6h').describe('How long version records and advisories stay cached.'),
  missTtl: seconds('15m').describe('How long "no such version" stays cached.'),
  privatePackages: z
    .array(z.string().min(1))
    .default([])
    .describe('Name patterns (`@corp/*`) that are never looked up.'),
  mirrors: z
    .array(z.string().min(1))
    .default([])
    .describe('Hosts of registries that mirror the public one: packages from them are looked up.'),
});

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

const variableName = z.string().regex(/^[A-Z0-9_]+$/, 'upper-case letters, digits and underscores');

const webhook = z
  .strictObject({
    name: z
      .string()
      .regex(/^\S{1,200}$/, 'a name without spaces')
      .optional()
      .describe('Unset: `lockhound`, followed by the name of its route where it has one.'),
    preset: z.enum(PRESET_NAMES).optional().describe('Kind of receiver; unset: the generic event.'),
    secretVariable: variableName
      .optional()
      .describe("Name of the variable with the receiver's secret, in place of the preset's own."),
    url: z
      .string()
      .min(1)
      .optional()
      .describe('Where alerts go; may use `$VARIABLES`. Most presets have one of their own.'),
    headers: z.record(z.string(), z.string()).optional().describe('Extra headers; may use `$VARIABLES`.'),
    payload: z
      .string()
      .nullable()
      .optional()
      .describe(
        "JSON template; unset: the preset's, or the generic event; null: the platform's default payload.",
      ),
    encodeAs: z.enum(['json', 'form']).optional().describe('How the payload is sent; unset: as JSON.'),
    mode: z
      .enum(['digest', 'change', 'periodic'])
      .optional()
      .describe(
        "One alert a scan, a change, or a time (`every`); unset: the preset's, as a rule one a scan.",
      ),
    every: seconds('24h').describe('Time between two digests of mode `periodic`.'),
  })
  .refine(({ every }) => every >= MINUTE_MS, { error: 'at least `1m`', path: ['every'] })
  .refine(({ url, preset }) => url !== undefined || !NEEDS_URL.has(preset ?? 'generic'), {
    error: 'the address of the receiver, such as `https://alerts.example/hook`',
    path: ['url'],
  });

const severity = z.enum(['critical', 'high', 'medium', 'unknown', 'low', 'none']);
const texts = z.union([z.string().transform((text) => [text]), z.array(z.string()).min(1)]);

const route = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,62}$/, 'letters, digits, `_` and `-`, beginning with a letter')
    .refine((name) => !RESERVED_ROUTES.has(name), { error: 'a name other than `default` and `digest`' }),
  match: z
    .strictObject({
      labels: z.record(z.string(), texts).optional(),
      ecosystems: texts.optional(),
      minSeverity: severity.optional(),
      rules: texts.optional(),
      transitions: z
        .array(z.enum(['opened', 'worsened', 'reopened', 'resolved']))
        .min(1)
        .optional(),
    })
    .default({}),
  webhook,
});

const retries = z.strictObject({
  attempts: z.int().min(1).max(1_000).default(24).describe('Attempts in all before a delivery is given up.'),
  firstDelay: seconds('2s').describe('Wait before the second attempt; doubled each time, with jitter.'),
  longestDelay: seconds('2h').describe('No wait between two attempts is longer.'),
});

const history = z.strictObject({
  retention: seconds('30d').describe('How long deliveries that arrived are remembered; others always are.'),
  attempts: z.int().min(1).max(1_000).default(50).describe('Attempts kept of one delivery: the newest.'),
});

const notify = z
  .strictObject({
    platform,
    webhook: webhook.optional().describe('Where changes go that no route takes.'),
    routes: z.array(route).default([]),
    take: z
      .enum(['all', 'first'])
      .default('all')
      .describe('A change goes by every route that fits, or by the first one only.'),
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
  .refine(({ routes }) => new Set(routes.map(({ name }) => name)).size === routes.length, {
    error: 'routes with names of their own',
    path: ['routes'],
  });

const lockfiles = z.strictObject({
  maxBytes: z.int().min(1).default(104_857_600).describe('Largest lockfile that is read, in bytes.'),
  maxPackages: z.int().min(1).default(500_000).describe('Most packages of one lockfile.'),
  retention: seconds('14d').describe('How long lockfile contents stay in Redis.'),
});

const worker = z.strictObject({
  retention: seconds('14d').describe('How long job outcomes stay in Redis.'),
  lockDuration: seconds('30s').describe('After this time without a sign of life a job is taken over.'),
  shutdownGrace: seconds('20s').describe('Time that running jobs get after SIGTERM.'),
  healthPort: z
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .describe('Port of `/healthz` and `/readyz`; unset: none.'),
  healthHost: z.string().default('127.0.0.1').describe('Address of the health port.'),
});

const contract = z.strictObject({
  interval: seconds('6h').describe('How often published description documents are held against ours.'),
  directory: httpUrl
    .optional()
    .describe('Discovery service that lists them. Unset, with no document: no check.'),
  documents: z
    .strictObject({
      insights: httpUrl.optional().describe('Published document of the package-insights API.'),
      webhooks: httpUrl.optional().describe('Published document of the webhook-integration API.'),
    })
    .prefault({}),
});

const log = z.strictObject({
  level: z.enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
});

/** The whole configuration: `lockhound.yaml` merged with `LOCKHOUND_*` variables. */
export const configSchema = z
  .strictObject({
    redis: redis.prefault({}),
    insights: insights.prefault({}),
    notify: notify.optional(),
    lockfiles: lockfiles.prefault({}),
    worker: worker.prefault({}),
    contract: contract.prefault({}),
    log: log.prefault({}),
  })
  // That a digest was made is known as long as outcomes are: within its time it must not be made twice.
  .refine(({ notify: one, worker: { retention } }) => longestDigest(one) <= retention, {
    error: 'a time between two digests (`every`) that is no longer than `worker.retention`',
    path: ['notify'],
  });

function longestDigest(config: NotifyConfig | undefined): number {
  const webhooks = [config?.webhook, ...(config?.routes ?? []).map((one) => one.webhook)];
  return Math.max(0, ...webhooks.flatMap((one) => (one?.mode === 'periodic' ? [one.every] : [])));
}

export type Config = z.infer<typeof configSchema>;
export type NotifyConfig = z.infer<typeof notify>;
export type WebhookConfig = z.infer<typeof webhook>;
