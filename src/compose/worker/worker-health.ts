import type { LoadedConfig } from '../../config/load.ts';
import type { MetricsHandle } from '../metrics.ts';
import type { NotifierHandle } from '../notifier.ts';
import { probedShards } from '../probed-shards.ts';
import type { Store } from '../store.ts';

interface HealthParts {
  readonly notifier: NotifierHandle | undefined;
  /** Reported with the state of Redis. */
  readonly redisNote: string | undefined;
  readonly metrics: MetricsHandle | undefined;
}

/** The metrics of a worker with a health server. `shards`: all of the deployment. */
export async function openWorkerMetrics(
  loaded: LoadedConfig,
  shards: readonly Store[],
): Promise<MetricsHandle | undefined> {
  if (loaded.config.worker.healthPort === undefined) return undefined;
  const { openMetrics } = await import('../metrics.ts');
  return openMetrics(loaded, shards);
}

/** Starts the health server, when it has a port. `shards`: those whose jobs this worker runs. */
export async function openWorkerHealth(
  { config }: LoadedConfig,
  shards: readonly Store[],
  { notifier, redisNote, metrics }: HealthParts,
) {
  const { healthPort, healthHost } = config.worker;
  if (healthPort === undefined) return undefined;
  const { startHealthServer } = await import('../../server/health.ts');
  const { workerProbes } = await import('../../server/probes.ts');
  const { freshnessProbe } = await import('../../server/freshness-probe.ts');
  const probes = [
    ...workerProbes(probedShards(shards), notifier, redisNote),
    freshnessProbe(
      shards.map(({ fleet }) => fleet),
      config.watch,
    ),
  ];
  return await startHealthServer({ host: healthHost, port: healthPort, probes, metrics });
}
