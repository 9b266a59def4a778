import { z } from 'zod';
import { seconds } from './duration.ts';
import { httpUrl } from './http-url.ts';
import { type NotifyConfig, notify } from './notify.ts';
import { policy } from './policy.ts';
import { secretReference } from './secret-reference.ts';

const redis = z.strictObject({
  /** Redis or Valkey; several (comma separated) for a cluster. Unset: an embedded engine that keeps nothing. */
  url: z
    .string()
    .regex(/^rediss?:\/\//, 'a `redis://` or `rediss://` URL')
    .optional()
    .describe('Redis or Valkey. Unset: a worker only starts with `--ephemeral`, and keeps nothing.'),
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

const lockfiles = z.strictObject({
  maxBytes: z.int().min(1).default(104_857_600).describe('Largest lockfile that is read, in bytes.'),
  maxPackages: z.int().min(1).default(500_000).describe('Most packages of one lockfile.'),
  retention: seconds('14d').describe('How long lockfile contents stay in Redis.'),
});

const recheck = z.strictObject({
  open: seconds('1m').describe('Lost jobs are looked for and made again.'),
  turn: seconds('15m').describe(
    'An alert that waits for an earlier one looks for itself whether it is its turn.',
  ),
  held: seconds('5m').describe('A held alert looks for itself whether its route goes on.'),
});

const worker = z.strictObject({
  retention: seconds('14d').describe('How long job outcomes stay in Redis.'),
  lockDuration: seconds('30s').describe('After this time without a sign of life a job is taken over.'),
  recheck: recheck
    .prefault({})
    .refine(({ open, turn, held }) => Math.min(open, turn, held) >= 100, {
      error: 'times of at least `100ms`',
    })
    .describe('How often workers look for what they were not told of.'),
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
    policy: policy.prefault({}),
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
