import { createHash } from 'node:crypto';
import { policyOf } from '../config/effective-policy.ts';
import type { LoadedConfig } from '../config/load.ts';
import { packageVersion } from '../files/package-file.ts';
import type {
  ContractPort,
  ExploitPort,
  InspectionMode,
  KnownFixPort,
  NotifierPort,
  Ports,
  ReusePort,
  SchedulePort,
  SourcePort,
} from '../jobs/ports.ts';
import { DEFAULT_LIMITS } from '../lockfiles/read-as.ts';
import type { Routing } from '../model/alert/routing.ts';
import { NO_EXPLOIT_DATA } from '../model/exploits/exploit-data.ts';
import type { Inspections } from '../model/ports/inspections.ts';
import type { KnownFixes } from '../model/ports/known-fixes.ts';
import type { Outcomes } from '../model/queue/outcome.ts';
import type { Suppression } from '../model/scan/suppression.ts';
import type { InsightsHandle } from './insights.ts';

/** The stores of jobs. */
export type JobStore = Pick<
  Ports,
  'blobs' | 'targets' | 'deliveries' | 'digests' | 'scans' | 'facts' | 'fleet'
> & {
  readonly inspections: Inspections;
  readonly outcomes: Pick<Outcomes, 'readResult'>;
};

/** The ports through which jobs read. */
export function createPorts(
  loaded: LoadedConfig,
  store: JobStore,
  { insights }: Pick<InsightsHandle, 'insights'>,
  {
    notifier,
    contracts,
    lockfiles,
    reuse,
    routing = NO_ROUTING,
    schedules = NO_SCHEDULES,
    sources = NO_SOURCES,
    exploits,
    knownFixes,
    inspects = 'never',
    suppressions = suppressionsIn(loaded),
  }: Pick<Ports, 'notifier' | 'contracts' | 'lockfiles' | 'reuse' | 'exploits'> &
    Partial<Pick<Ports, 'schedules' | 'sources'>> & {
      routing?: Routing | undefined;
      /** Default: those of the configuration. */
      suppressions?: Ports['policy']['suppressions'];
      inspects?: InspectionMode;
      /** Unset: alerts have no advice. */
      knownFixes?: KnownFixes;
    },
): Ports {
  const { config } = loaded;
  return {
    blobs: store.blobs,
    lockfiles,
    insights,
    // A spent outcome has no result.
    outcomes: {
      read: async (kind, job, key) => (await store.outcomes.readResult(kind, job, key)) ?? undefined,
    },
    targets: store.targets,
    notifier,
    contracts,
    deliveries: store.deliveries,
    routing: { routing: () => routing },
    policy: { policy: () => policyOf(config), suppressions },
    digests: store.digests,
    scans: store.scans,
    facts: store.facts,
    inspections: { ...store.inspections, mode: inspects },
    knownFixes: knownFixes === undefined ? NO_KNOWN_FIXES : { ...knownFixes, mode: 'apart' },
    fleet: store.fleet,
    reuse,
    schedules,
    sources,
    exploits,
    limits: {
      lockfile: {
        ...DEFAULT_LIMITS,
        maxBytes: config.lockfiles.maxBytes,
        maxPackages: config.lockfiles.maxPackages,
      },
    },
  };
}

/** Facts in the cache may be as old as their time to live: half of it keeps a repeated result from being twice as old. */
export function reuseOf({ config, vex }: LoadedConfig, routing: Routing = NO_ROUTING): ReusePort {
  const { insights, policy, suppressions, lockfiles } = config;
  const settings = JSON.stringify([
    packageVersion(),
    insights,
    policy,
    suppressions,
    lockfiles,
    routing,
    vex,
  ]);
  return {
    settings: createHash('sha256').update(settings).digest('hex'),
    recordMs: insights.recordTtl / 2,
    missMs: Math.min(insights.recordTtl, insights.missTtl) / 2,
  };
}

/** Those of the configuration and of its VEX documents. Loaded on use: most configurations have none. */
export function suppressionsIn({
  config: { suppressions },
  vex = [],
}: LoadedConfig): Ports['policy']['suppressions'] {
  if (suppressions.length === 0) return async () => vex;
  let known: Promise<readonly Suppression[]> | undefined;
  return () => {
    known ??= import('../config/sections/suppressions.ts').then((found) => [
      ...found.configuredSuppressions(suppressions),
      ...vex,
    ]);
    return known;
  };
}

/** For workers without receivers. */
export const NO_ROUTING: Routing = { take: 'all', firstScan: 'all', rules: [] };

/** For runs that send no alerts. */
export const NO_NOTIFIER: NotifierPort = {
  deliver: (route) =>
    Promise.reject(new RangeError(`route "${route}" is not configured: this run has no routes`)),
};

/** For runs without a fleet. */
export const NO_KNOWN_FIXES: KnownFixPort = {
  mode: 'never',
  read: async (keys) => keys.map(() => undefined),
  unasked: () => [],
  learn: async () => {},
};

/** For runs that do not check contracts. */
export const NO_CONTRACTS: ContractPort = { apis: () => [], compare: async () => undefined };

/** For runs that know nothing about exploitation. */
export const NO_EXPLOITS: ExploitPort = {
  current: async () => NO_EXPLOIT_DATA,
  refresh: async () => undefined,
};

/** For runs without schedules. */
const NO_SCHEDULES: SchedulePort = {
  find: async () => undefined,
  runs: async () => [],
  lastStarted: async () => undefined,
  countOpen: async () => 0,
  openTarget: async () => undefined,
  targets: async () => [],
  target: async () => undefined,
  reading: async () => undefined,
  update: async () => {},
};

const NO_SOURCES: SourcePort = {
  list: () => Promise.reject(new RangeError('this run reads no sources')),
  read: () => Promise.reject(new RangeError('this run reads no sources')),
};
