import type { LoadedConfig } from '../../config/load.ts';
import type { HealthServer, Probe } from '../../server/health.ts';
import type { ProbedStore } from '../../server/probes.ts';
import type { MetricsHandle } from '../metrics.ts';
import type { NotifierHandle } from '../notify/notifier.ts';
import type { Store } from '../store.ts';

interface HealthParts {
  readonly notifier: NotifierHandle | undefined;
  /** Reported with the state of Redis. */
  readonly redisNote: string | undefined;
  readonly metrics: MetricsHandle | undefined;
}

/** The state of a worker that a server in its process shows. */
export interface MonitoredWorker {
  readonly probes: readonly Probe[];
  readonly metrics: MetricsHandle;
}

/** The metrics of a worker that a server shows: its health server, or that of the API. `shards`: all of the deployment. */
export async function openWorkerMetrics(
  loaded: LoadedConfig,
  shards: readonly Store[],
  isServing: boolean,
): Promise<MetricsHandle | undefined> {
  if (loaded.config.worker.healthPort === undefined && !isServing) return undefined;
  const { openMetrics } = await import('../metrics.ts');
  return openMetrics(loaded, shards);
}

/** Starts the health server, when it has a port, before the worker connects to Redis. */
export async function startWorkerHealth({ config }: LoadedConfig): Promise<HealthServer | undefined> {
  const { healthPort: port, healthHost: host } = config.worker;
  if (port === undefined) return undefined;
  const { startHealthServer } = await import('../../server/health.ts');
  return await startHealthServer({ host, port });
}

/** `undefined` without metrics. `shards`: those whose jobs this worker runs. */
export async function monitorWorker(
  { config }: LoadedConfig,
  shards: readonly Store[],
  { notifier, redisNote, metrics }: HealthParts,
): Promise<MonitoredWorker | undefined> {
  if (metrics === undefined) return undefined;
  const { freshnessProbe, workerProbes } = await import('../../server/probes.ts');
  const probes = [
    ...workerProbes(probedShards(shards), notifier, redisNote),
    freshnessProbe(
      shards.map(({ fleet }) => fleet),
      config.watch,
    ),
  ];
  return { probes, metrics };
}

/** The shards of a worker as one store, for its readiness probes. They share the connection and the stopped routes. */
export function probedShards(shards: readonly Store[]): ProbedStore {
  const [first] = shards as readonly [Store, ...Store[]];
  return {
    redis: first.redis,
    deliveries: {
      stoppedRoutes: first.deliveries.stoppedRoutes,
      async openByRoute() {
        const counts = new Map<string, number>();
        for (const shard of shards) {
          for (const [route, count] of await shard.deliveries.openByRoute()) {
            counts.set(route, (counts.get(route) ?? 0) + count);
          }
        }
        return counts;
      },
    },
    // In a cluster each shard may be on another node.
    async probeWrite(limitMs) {
      const faults = await Promise.all(shards.map(({ probeWrite }) => probeWrite(limitMs)));
      return faults.find((fault) => fault !== undefined);
    },
  };
}
