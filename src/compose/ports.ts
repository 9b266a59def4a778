import type { LoadedConfig } from '../config/load.ts';
import type { ContractPort, NotifierPort, Ports } from '../jobs/ports.ts';
import { DEFAULT_LIMITS } from '../lockfiles/read.ts';
import type { Routing } from '../model/alert/routing.ts';
import type { InsightsHandle } from './insights.ts';
import type { Store } from './store.ts';

/** The outside world, as jobs see it. */
export function createPorts(
  { config }: LoadedConfig,
  store: Store,
  { insights }: InsightsHandle,
  {
    notifier,
    contracts,
    lockfiles,
    routing = NO_ROUTING,
  }: Pick<Ports, 'notifier' | 'contracts' | 'lockfiles'> & { routing?: Routing },
): Ports {
  return {
    blobs: store.blobs,
    lockfiles,
    insights,
    // A spent outcome has no result any more.
    outcomes: { read: async (job, key) => (await store.outcomes.read(job, key))?.result ?? undefined },
    targets: store.targets,
    notifier,
    contracts,
    deliveries: store.deliveries,
    routing: { routing: () => routing },
    policy: { policy: () => config.policy },
    digests: store.digests,
    scans: store.scans,
    limits: {
      lockfile: {
        ...DEFAULT_LIMITS,
        maxBytes: config.lockfiles.maxBytes,
        maxPackages: config.lockfiles.maxPackages,
      },
    },
  };
}

const NO_ROUTING: Routing = { take: 'all', firstScan: 'all', rules: [] };

/** For runs that alert nobody: changes have nowhere to go. */
export const NO_NOTIFIER: NotifierPort = {
  routes: () => [],
  deliver: (route) => Promise.reject(new RangeError(`no route is configured, "${route}" least of all`)),
};

/** For runs that check no contract. */
export const NO_CONTRACTS: ContractPort = { apis: () => [], compare: async () => undefined };
