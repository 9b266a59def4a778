import type { LoadedConfig } from '../config/load.ts';
import { packageVersion } from '../files/package-file.ts';
import { RULE_NAMES } from '../policy/catalog.ts';
import { countProcess } from '../server/metrics/process-counters.ts';
import { createRegistry } from '../server/metrics/registry.ts';
import { createScrape } from '../server/metrics/scrape.ts';
import { openFleetNumbers, QUEUES } from './fleet-numbers.ts';
import { configuredWebhooks } from './notify/routing.ts';
import type { Store } from './store.ts';

/** The metrics of a process, in the text format of Prometheus. */
export type MetricsHandle = ReturnType<typeof openMetrics>;

/**
 * Counts what this process does, and reads the numbers of the fleet for each scrape. `shards`: all of the deployment, so that every
 * process reports the same numbers.
 */
export function openMetrics({ config }: LoadedConfig, shards: readonly Store[]) {
  const metrics = createRegistry();
  const counters = countProcess(metrics, {
    queues: QUEUES,
    routes: config.notify === undefined ? [] : configuredWebhooks(config.notify).map(({ route }) => route),
    rules: RULE_NAMES,
  });
  metrics.info.set({ version: packageVersion(), node: process.versions.node }, 1);
  metrics.refreshInterval.set(config.watch.every / 1_000);
  const numbers = openFleetNumbers(shards, config.watch.staleAfter);
  const [first] = shards as readonly [Store, ...Store[]];
  const read: typeof numbers = () =>
    // Without a connection commands would wait for Redis.
    first.redis.status === 'ready'
      ? numbers()
      : Promise.reject(new Error(`the connection to Redis is ${first.redis.status}`));
  return {
    contentType: metrics.registry.contentType,
    text: createScrape(metrics, { read, rules: RULE_NAMES }),
    onEvent: counters.onEvent,
    close: async (): Promise<void> => {
      counters.close();
      metrics.registry.clear();
    },
  };
}
