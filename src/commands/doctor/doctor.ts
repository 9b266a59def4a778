import { spawnSync } from 'node:child_process';
import { openHealth } from '../../compose/health.ts';
import { createLogger } from '../../compose/logger.ts';
import { openStores, type Stores } from '../../compose/store.ts';
import { ConfigError } from '../../config/errors.ts';
import { type LoadedConfig, missingSecrets, namedSecrets } from '../../config/load.ts';
import { packageVersion } from '../../files/package-file.ts';
import { closing } from '../../model/closing.ts';
import { messageOf } from '../../model/errors.ts';
import type { Diagnosis, DoctorReport } from '../../model/fleet/checks.ts';
import { broken, DOCTOR_SUBJECTS, degraded, fine } from '../../model/fleet/checks.ts';
import { raceAbort } from '../../model/time-limit.ts';
import { NotifyError } from '../../notify/errors.ts';
import { StoreError } from '../../store/errors.ts';
import { parseAddresses } from '../../store/redis/address.ts';
import { withErrorsOnly } from '../webhooks/webhook-admin.ts';
import { type Check, type Finding, type IndependentCheck, independent, type Patient } from './check.ts';
import { INSIGHTS_CHECKS } from './insights-checks.ts';
import { RECEIVER_CHECKS, routeReach } from './receiver-checks.ts';
import { REDIS_CONNECTION_CHECKS, REDIS_TIME_CHECKS, sentinels } from './redis-connection.ts';
import { protocolFault } from './redis-protocol.ts';
import { REDIS_SERVER_CHECKS } from './redis-server.ts';
import { WORK_CHECKS } from './work-checks.ts';

/** As `engines` of package.json. */
const LEAST_NODE = [22, 19] as const;
const GIT_LIMIT_MS = 3_000;

const node = independent('process', 'Node', async () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [least, leastMinor] = LEAST_NODE;
  const says = `Node ${process.versions.node}, Lockhound ${packageVersion()}`;
  if (major > least || (major === least && minor >= leastMinor)) return fine(says);
  return broken(`${says}: this Node is too old`, `Install Node ${LEAST_NODE.join('.')} or newer.`);
});

/** Every secret that the configuration refers to. */
const secrets = independent('process', 'secrets', async ({ loaded }) => {
  const { size } = namedSecrets(loaded.secrets);
  const missing = missingSecrets(loaded.secrets);
  if (size === 0) return fine('no secret is configured');
  if (missing.length === 0) return fine(`all configured secrets (${size}) can be read`);
  return missing.map((reason) =>
    broken(reason, 'Set the variable or mount the file; workers need the same.'),
  );
});

/** Schedules and scans of `serve.sources` read repositories with the `git` of the system. */
const git = independent('process', 'git', async ({ loaded }) => {
  const { schedules, serve } = loaded.config;
  if (serve.sources.length === 0 && !schedules.some(({ source }) => source.kind === 'git')) {
    return fine('neither a configured schedule nor `serve.sources` reads git repositories');
  }
  const { status, stdout } = spawnSync('git', ['--version'], { encoding: 'utf8', timeout: GIT_LIMIT_MS });
  if (status === 0) return fine(stdout.trim());
  return broken('git repositories are read, and `git` cannot be run', 'Install git where the workers run.');
});

const heap = independent('process', 'memory limit', async () => {
  const limit = process.constrainedMemory();
  if (limit === 0 || limit > 2 ** 50) return fine('no limit is set for this process');
  const megabytes = Math.round(limit / 2 ** 20);
  if (megabytes >= 768) return fine(`${megabytes} MiB for this process`);
  return degraded(
    `${megabytes} MiB for this process`,
    'Give workers at least 1 GiB: a lockfile of 50 MB needs more than 500 MB while it is read.',
  );
});

const PROCESS_CHECKS: readonly IndependentCheck[] = [node, secrets, git, heap];

export interface DoctorOptions {
  /** Applies what is safe. */
  readonly fix: boolean;
  readonly signal: AbortSignal;
  /** Time limit of one check. Default 15 s. */
  readonly limitMs?: number;
}

const CONNECT_MS = 5_000;
const LIMIT_MS = 15_000;

const INDEPENDENT: readonly IndependentCheck[] = [
  ...PROCESS_CHECKS,
  sentinels,
  ...INSIGHTS_CHECKS,
  ...RECEIVER_CHECKS,
];
const OF_REDIS: readonly Check[] = [
  ...REDIS_SERVER_CHECKS,
  ...REDIS_CONNECTION_CHECKS,
  routeReach,
  ...WORK_CHECKS,
  {
    subject: 'health',
    name: 'verdict',
    run: async ({ loaded, stores }) =>
      (await openHealth(loaded, stores)()).parts.map(({ part, ...found }) => ({ check: part, ...found })),
  },
];

/** Checks an installation. Each check has a time limit; without Redis the others still run. */
export async function examine(loaded: LoadedConfig, options: DoctorOptions): Promise<DoctorReport> {
  const log = createLogger(withErrorsOnly(loaded));
  const parts = { loaded, log };
  const independent = () => Promise.all(INDEPENDENT.map((check) => runCheck(check, parts, options)));
  const [others, ofRedis] = await examineRedis(parts, options, independent);
  const order = (one: Diagnosis): number => DOCTOR_SUBJECTS.indexOf(one.subject);
  const diagnoses = [...others.flat(), ...ofRedis].toSorted((left, right) => order(left) - order(right));
  return { at: new Date().toISOString(), diagnoses };
}

/** Times are measured first, while nothing else runs; then everything runs together with `others`. */
async function examineRedis<Others>(
  parts: Pick<Patient, 'loaded' | 'log'>,
  options: DoctorOptions,
  others: () => Promise<Others>,
): Promise<readonly [Others, readonly Diagnosis[]]> {
  const stores = await openConfigured(parts);
  if ('reason' in stores) return [await others(), withoutRedis(stores)];
  return await closing(stores, async () => {
    const patient = { ...parts, stores };
    const timed: Diagnosis[] = [];
    for (const check of REDIS_TIME_CHECKS) timed.push(...(await runCheck(check, patient, options)));
    const [other, ...rest] = await Promise.all([
      others(),
      ...OF_REDIS.map((check) => runCheck(check, patient, options)),
    ]);
    return [other, [...timed, ...rest.flat()]] as const;
  });
}

function withoutRedis({ reason, remedy }: NoRedis): readonly Diagnosis[] {
  const says = 'Redis does not answer';
  return [
    { subject: 'redis', check: 'connection', verdict: 'broken', says: reason, remedy },
    ...[...REDIS_TIME_CHECKS, ...OF_REDIS].map(
      ({ subject, name }) => ({ subject, check: name, verdict: 'unknown', says }) as const,
    ),
  ];
}

interface NoRedis {
  readonly reason: string;
  readonly remedy: string;
}

async function openConfigured({ loaded, log }: Pick<Patient, 'loaded' | 'log'>): Promise<Stores | NoRedis> {
  const { redis } = loaded.config;
  if (redis.url === undefined) {
    return {
      reason: 'redis.url is not set',
      remedy: 'Set redis.url or REDIS_URL to the Redis that the workers use.',
    };
  }
  try {
    return await openStores(loaded, log, { timeoutMs: CONNECT_MS });
  } catch (error) {
    const reason = messageOf(error);
    if (error instanceof ConfigError) return { reason, remedy: CORRECT };
    if (!(error instanceof StoreError)) throw error;
    const [address] = parseAddresses(redis.url);
    const { host = '', port = 0, options = {} } = address ?? {};
    const listener = { host, port, isTls: options.tls !== undefined };
    const wrong = error.code === 'unreachable' ? await protocolFault(listener) : undefined;
    return { reason, remedy: `${wrong === undefined ? '' : `${wrong}. `}${LATER}` };
  }
}

const LATER = 'Everything else about Redis is checked once it answers.';
const CORRECT = 'Correct the configuration; `lockhound config check` shows all of it.';

async function runCheck<Needs extends { readonly signal: AbortSignal }>(
  check: Check<Needs>,
  parts: Omit<Needs, 'signal'>,
  { fix, signal: outer, limitMs = LIMIT_MS }: DoctorOptions,
): Promise<readonly Diagnosis[]> {
  const limit = AbortSignal.timeout(limitMs);
  const signal = AbortSignal.any([outer, limit]);
  const { subject, name } = check;
  const unknown = (says: string): readonly Diagnosis[] => [
    { subject, check: name, verdict: 'unknown', says },
  ];
  try {
    const findings = await raceAbort(check.run({ ...parts, signal } as Needs), signal);
    return await Promise.all([findings].flat().map((finding) => treat(check, finding, fix)));
  } catch (error) {
    outer.throwIfAborted();
    // The check of the secrets names it.
    if (error instanceof ConfigError && error.code === 'secret-unavailable')
      return unknown('it needs a secret that cannot be read');
    // The check of the rights names what the user may not do.
    if (/^NOPERM\b/.test(messageOf(error))) return unknown('the user of Redis lacks rights');
    const remedy = remedyFor(error);
    const verdict = isAnswer(error) ? 'broken' : 'unknown';
    const says = limit.aborted ? `it did not end within ${limitMs / 1_000} s` : messageOf(error);
    return [{ subject, check: name, verdict, says, remedy }];
  }
}

/** Whether an error says that something does not work; any other only says that the check found nothing out. */
function isAnswer(error: unknown): boolean {
  return error instanceof NotifyError || error instanceof ConfigError || error instanceof StoreError;
}

/** The remedy for an error that kept a check from its answer. */
function remedyFor(error: unknown): string {
  if (error instanceof NotifyError && error.code === 'unavailable')
    return 'Check `notify.platform.url`, proxies and the firewall.';
  if (error instanceof NotifyError && error.code === 'authentication')
    return 'Check the keys of `notify.platform`.';
  if (error instanceof NotifyError || error instanceof ConfigError) return CORRECT;
  return 'Remove what the message names, then run the command again.';
}

async function treat(
  { subject, name }: Pick<Check, 'subject' | 'name'>,
  { fix, check = name, ...finding }: Finding,
  isAllowed: boolean,
): Promise<Diagnosis> {
  const diagnosis = { subject, check, ...finding };
  if (fix === undefined) return diagnosis;
  if (!isAllowed) return { ...diagnosis, fix: fix.what };
  await fix.apply();
  return { ...diagnosis, fix: fix.what, fixed: true };
}
