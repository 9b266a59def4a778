import type { LoadedConfig } from '../../config/load.ts';
import type { HealthServer, Probe } from '../../server/health.ts';
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

/** What a server shows of the worker in its process. */
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
  const { workerProbes } = await import('../../server/probes.ts');
  const { freshnessProbe } = await import('../../server/freshness-probe.ts');
  const probes = [
    ...workerProbes(probedShards(shards), notifier, redisNote),
    freshnessProbe(
      shards.map(({ fleet }) => fleet),
      config.watch,
    ),
  ];
  return { probes, metrics };
}
