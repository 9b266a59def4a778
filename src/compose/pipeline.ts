import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/load.ts';
import { JOBS } from '../jobs/catalog.ts';
import type { JobLimits } from '../jobs/job.ts';
import type { NotifierPort } from '../jobs/ports.ts';
import type { Routing } from '../model/routing.ts';
import type { WorkerEvent } from '../workers/events.ts';
import { startWorkers } from '../workers/runtime.ts';
import { openInsights } from './insights.ts';
import { createPorts, NO_NOTIFIER } from './ports.ts';
import type { Store } from './store.ts';

export interface PipelineOptions {
  readonly log: Logger;
  readonly onEvent?: (event: WorkerEvent) => void;
  readonly limits?: Partial<JobLimits>;
  /** Without it changes are recorded and nobody is alerted. */
  readonly notifier?: { readonly port: NotifierPort; readonly routing: Routing };
}

export interface Pipeline {
  close(graceMs: number): Promise<void>;
}

/** Around the time limit of a delivery: what its attempt needs beside it. */
const BESIDE_DELIVERY_MS = 30_000;

/** Starts the workers of all jobs over an open store. */
export async function startPipeline(
  loaded: LoadedConfig,
  store: Store,
  options: PipelineOptions,
): Promise<Pipeline> {
  const { log, notifier, ...others } = options;
  const insights = await openInsights(loaded, store.cache);
  const runtime = await startWorkers({
    ...others,
    jobs: JOBS,
    ports: createPorts(loaded, store, insights, notifier?.port ?? NO_NOTIFIER, notifier?.routing),
    outcomes: store.outcomes,
    lanes: store.lanes,
    limitsOf: { 'deliver-notification': deliveryLimits(loaded) },
    connection: store.redis,
    prefix: store.prefix,
    log,
    reject: store.rejected.add,
    lockDurationMs: loaded.config.worker.lockDuration,
  });
  return {
    async close(graceMs) {
      await runtime.close(graceMs);
      await insights.close();
    },
  };
}

function deliveryLimits({ config: { notify } }: LoadedConfig): Partial<JobLimits> {
  if (notify === undefined) return {};
  const { attempts, firstDelay, longestDelay } = notify.retries;
  return {
    attempts,
    backoffMs: firstDelay,
    maxBackoffMs: longestDelay,
    timeoutMs: notify.timeout + BESIDE_DELIVERY_MS,
  };
}
