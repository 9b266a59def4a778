import { createHash } from 'node:crypto';
import type { LoadedConfig } from '../config/load.ts';
import { packageVersion } from '../files/package-file.ts';
import type { ContractPort, NotifierPort, Ports, ReusePort } from '../jobs/ports.ts';
import { DEFAULT_LIMITS } from '../lockfiles/read.ts';
import type { Routing } from '../model/alert/routing.ts';
import type { Outcomes } from '../model/queue/outcome.ts';
import type { InsightsHandle } from './insights.ts';

/** The stores of jobs, in Redis or in this process. */
export type JobStore = Pick<Ports, 'blobs' | 'targets' | 'deliveries' | 'digests' | 'scans'> & {
  readonly outcomes: Pick<Outcomes, 'readResult'>;
};

/** The ports through which jobs read. */
export function createPorts(
  { config }: LoadedConfig,
  store: JobStore,
  { insights }: InsightsHandle,
  {
    notifier,
    contracts,
    lockfiles,
    reuse,
    routing = NO_ROUTING,
  }: Pick<Ports, 'notifier' | 'contracts' | 'lockfiles' | 'reuse'> & { routing?: Routing | undefined },
): Ports {
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
    policy: { policy: () => config.policy },
    digests: store.digests,
    scans: store.scans,
    reuse,
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
export function reuseOf({ config }: LoadedConfig, routing: Routing = NO_ROUTING): ReusePort {
  const { insights, policy, lockfiles } = config;
  const settings = JSON.stringify([packageVersion(), insights, policy, lockfiles, routing]);
  return {
    settings: createHash('sha256').update(settings).digest('hex'),
    recordMs: insights.recordTtl / 2,
    missMs: Math.min(insights.recordTtl, insights.missTtl) / 2,
  };
}

/** For runs that always read, because their report lists the packages. */
export const NO_REUSE: ReusePort = { settings: '', recordMs: 0, missMs: 0 };

const NO_ROUTING: Routing = { take: 'all', firstScan: 'all', rules: [] };

/** For runs that send no alerts. */
export const NO_NOTIFIER: NotifierPort = {
  deliver: (route) =>
    Promise.reject(new RangeError(`route "${route}" is not configured: this run has no routes`)),
};

/** For runs that do not check contracts. */
export const NO_CONTRACTS: ContractPort = { apis: () => [], compare: async () => undefined };
