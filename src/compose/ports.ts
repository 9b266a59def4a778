import type { LoadedConfig } from '../config/load.ts';
import type { NotifierPort, Ports } from '../jobs/ports.ts';
import { DEFAULT_LIMITS } from '../lockfiles/read.ts';
import type { InsightsHandle } from './insights.ts';
import type { Store } from './store.ts';

/** The outside world, as jobs see it. */
export function createPorts(
  { config }: LoadedConfig,
  store: Store,
  { insights }: InsightsHandle,
  notifier: NotifierPort,
): Ports {
  return {
    blobs: store.blobs,
    insights,
    outcomes: { read: async (job, key) => (await store.outcomes.read(job, key))?.result },
    targets: store.targets,
    notifier,
    deliveries: store.deliveries,
    limits: {
      lockfile: {
        ...DEFAULT_LIMITS,
        maxBytes: config.lockfiles.maxBytes,
        maxPackages: config.lockfiles.maxPackages,
      },
    },
  };
}

/** For runs that alert nobody: changes have nowhere to go. */
export const NO_NOTIFIER: NotifierPort = {
  routes: () => [],
  deliver: (route) => Promise.reject(new RangeError(`no route is configured, "${route}" least of all`)),
};
