import { z } from 'zod';
import { OSV_ECOSYSTEMS, osvSystem } from '../model/advisories/osv-record.ts';
import { isObject } from '../model/json-object.ts';
import { isApiSystem } from '../model/lockfile/ecosystem.ts';
import { registryOf } from '../model/lockfile/registry.ts';
import { secretReference } from './secret-reference.ts';
import { ledger } from './sections/ledger.ts';
import { type NotifyConfig, notify } from './sections/notify.ts';
import { owners } from './sections/owners.ts';
import { policy } from './sections/policy.ts';
import { redis } from './sections/redis.ts';
import { serve } from './sections/serve.ts';
import { suppressions } from './sections/suppressions.ts';
import { credentials, schedules, watch } from './sections/watch.ts';
import { addressList, durationFrom, durationOf, httpUrl, lifetime } from './values.ts';

const text = () => z.string().trim().min(1).max(300);

/** Settings of dossiers (`docs/dossiers.md`). */
const dossier = z.strictObject({
  publisher: z
    .strictObject({
      name: text().describe('Name of the manufacturer, as `lockhound dossier` states it.'),
      namespace: httpUrl.describe('A URL that identifies it.'),
      contact: text().optional().describe('How it can be reached.'),
    })
    .optional()
    .describe('Who publishes dossiers. Unset: a person has to fill it in.'),
});

const traces = z.strictObject({
  endpoint: httpUrl
    .optional()
    .describe(
      'OTLP/HTTP collector that receives traces, such as `http://collector:4318/v1/traces`. Unset: nothing is traced.',
    ),
  authorization: secretReference
    .optional()
    .describe('Value of the `authorization` header for the collector.'),
  ratio: z.number().min(0).max(1).default(1).describe('Part of the scans that are traced, 0 to 1.'),
});

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

const feed = (what: string, every: string) =>
  z
    .strictObject({
      url: httpUrl.optional().describe(`URL of ${what}. Unset: workers do not fetch it.`),
      every: durationOf(every)
        .refine((ms) => ms >= MINUTE_MS, 'at least `1m`')
        .describe('Time between two readings of it.'),
    })
    .prefault({});

/** Published lists about exploitation. */
const data = z.strictObject({
  folder: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder of imported lists for `scan`. Default: `lockhound` in `$XDG_DATA_HOME` or `~/.local/share`.',
    ),
  epss: feed('the EPSS scores', '24h'),
  kev: feed('the catalogue of known exploited vulnerabilities', '6h'),
  osv: z
    .strictObject({
      url: httpUrl
        .optional()
        .describe('Where OSV publishes changed advisories. Unset: workers do not follow them.'),
      every: durationOf('30s')
        .refine((ms) => ms >= SECOND_MS, 'at least `1s`')
        .describe('Time between two readings of the lists of changes.'),
      ecosystems: z
        .array(z.enum(OSV_ECOSYSTEMS))
        .min(1)
        .default(OSV_ECOSYSTEMS.filter((one) => isApiSystem(osvSystem(one))))
        .describe('Ecosystems whose lists are read.'),
    })
    .prefault({}),
  allowAddresses: addressList()
    .default([])
    .describe(
      'Private hosts or CIDR ranges that the lists may be read from, besides the hosts of their URLs.',
    ),
});

const insights = z.strictObject({
  url: httpUrl.default('https://api.deps.dev').describe('Package-insights API.'),
  sources: z
    .array(z.enum(['api', 'osv']))
    .min(1)
    .max(2)
    .default(['api'])
    .describe(
      'What answers: the package-insights API, imported advisories (`lockhound data import osv`), or both.',
    ),
  timeout: durationFrom(1, '30s').describe('Limit for one answer.'),
  concurrency: z.int().min(1).max(256).default(32).describe('Concurrent requests of one worker.'),
  requestsPerSecond: z
    .number()
    .min(0.01)
    .max(1_000_000)
    .optional()
    .describe('Requests per second of all workers that share this Redis. Unset: no limit.'),
  recordTtl: lifetime('6h').describe(
    'How long version records and advisories stay cached. For half of it a scan of unchanged lockfiles repeats the last result.',
  ),
  missTtl: lifetime('15m').describe('How long "no such version" stays cached.'),
  privatePackages: z
    .array(z.string().min(1))
    .default([])
    .describe('Name patterns (`@corp/*`) that are never looked up.'),
  mirrors: z
    .array(
      z
        .string()
        .refine(
          (text) => registryOf(text) !== undefined,
          'a host, a host and a path, or a URL of a registry, such as `npm.acme.example`',
        ),
    )
    .default([])
    .describe('Hosts of registries that mirror the public one: packages from them are looked up.'),
});

const lockfiles = z.strictObject({
  maxBytes: z.int().min(1).default(104_857_600).describe('Size limit of a lockfile in bytes.'),
  maxPackages: z.int().min(1).default(500_000).describe('Limit of packages in one lockfile.'),
  retention: lifetime('14d').describe('How long lockfile contents stay in Redis.'),
});

const LEAST_RECHECK_MS = 100;

const recheck = z.strictObject({
  open: durationFrom(LEAST_RECHECK_MS, '1m').describe(
    'Interval of the search for lost jobs, which are recreated.',
  ),
  turn: durationFrom(LEAST_RECHECK_MS, '15m').describe(
    'How often an alert that waits for an earlier alert checks whether it may be sent.',
  ),
  held: durationFrom(LEAST_RECHECK_MS, '5m').describe(
    'How often a held alert checks whether its route was resumed.',
  ),
});

const worker = z.strictObject({
  retention: lifetime('14d').describe('How long job outcomes stay in Redis.'),
  lockDuration: durationFrom(SECOND_MS, '30s').describe(
    'Another worker claims a job whose lock was not renewed for this long.',
  ),
  recheck: recheck.prefault({}).describe('Intervals of the checks that recover from lost messages.'),
  shutdownGrace: durationFrom(0, '20s').describe('Time that running jobs have to finish after SIGTERM.'),
  healthPort: z
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .describe('Port of `/healthz`, `/readyz` and `/metrics`. Unset: no health server.'),
  healthHost: z.string().default('127.0.0.1').describe('Address of the health port.'),
});

const contract = z.strictObject({
  interval: durationFrom(LEAST_RECHECK_MS, '6h').describe(
    'Interval between comparisons of the published description documents with the bundled ones.',
  ),
  directory: httpUrl
    .optional()
    .describe(
      'Discovery service that lists the published documents. Without it and without `documents` there is no check.',
    ),
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
    suppressions,
    owners,
    vex: z
      .array(z.string().min(1))
      .max(100)
      .default([])
      .describe('VEX documents (OpenVEX, CycloneDX) that suppress findings.'),
    lockfiles: lockfiles.prefault({}),
    ledger: ledger.prefault({}),
    dossier: dossier.prefault({}),
    worker: worker.prefault({}),
    serve: serve.prefault({}),
    contract: contract.prefault({}),
    watch: watch.prefault({}),
    data: data.prefault({}),
    schedules,
    credentials,
    traces: traces.prefault({}),
    log: log.prefault({}),
  })
  // The outcome of a digest prevents a second one for the same period, so it must be kept at least that long.
  .refine(({ notify: one, worker: { retention } }) => longestDigest(one) <= retention, {
    error: 'a time between two digests (`every`) of at most `worker.retention`',
    path: ['notify'],
  })
  .superRefine(({ schedules: all, serve: { sources }, credentials: known }, context) => {
    const requireKnown = (name: string | undefined, path: readonly (string | number)[]): void => {
      if (name === undefined || Object.hasOwn(known, name)) return;
      const message = `\`credentials\` has no entry ${JSON.stringify(name)}`;
      context.addIssue({ code: 'custom', path: [...path], message });
    };
    for (const [index, { source }] of all.entries()) {
      const name = 'credentials' in source ? source.credentials : undefined;
      requireKnown(name, ['schedules', index, 'source', 'credentials']);
    }
    for (const [index, { credentials: name }] of sources.entries())
      requireKnown(name, ['serve', 'sources', index, 'credentials']);
  });

function longestDigest(config: NotifyConfig | undefined): number {
  const webhooks = [config?.webhook, ...(config?.routes ?? []).map((one) => one.webhook)];
  return Math.max(0, ...webhooks.flatMap((one) => (one?.mode === 'periodic' ? [one.every] : [])));
}

export type Config = z.infer<typeof configSchema>;

/** The names of the settings at a path of the configuration. */
export function keysAt(path: readonly PropertyKey[]): readonly string[] {
  let at: unknown = z.toJSONSchema(configSchema, { unrepresentable: 'any', io: 'input' });
  for (const step of path) {
    const properties = isObject(at) ? at['properties'] : undefined;
    if (typeof step === 'number') at = isObject(at) ? at['items'] : undefined;
    else at = isObject(properties) ? properties[String(step)] : undefined;
  }
  return isObject(at) && isObject(at['properties']) ? Object.keys(at['properties']) : [];
}
