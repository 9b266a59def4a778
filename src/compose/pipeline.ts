import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/load.ts';
import type { InsightsOptions } from '../insights/insights.ts';
import { JOBS } from '../jobs/catalog.ts';
import type { JobLimits } from '../jobs/job.ts';
import type { ContractPort, NotifierPort } from '../jobs/ports.ts';
import { createLockfileReader } from '../lockfiles/threads/lockfile-reader.ts';
import type { Routing } from '../model/alert/routing.ts';
import type { WorkerEvent } from '../workers/events.ts';
import { startWorkers } from '../workers/runtime.ts';
import type { Schedule } from '../workers/schedules.ts';
import { openInsights } from './insights.ts';
import { leftoverDeliveries } from './leftovers.ts';
import { createPorts, NO_CONTRACTS, NO_NOTIFIER } from './ports.ts';
import type { Store } from './store.ts';

export interface PipelineOptions {
  readonly log: Logger;
  readonly onEvent?: (event: WorkerEvent) => void;
  readonly limits?: Partial<JobLimits>;
  /** Without it changes are recorded and nobody is alerted. */
  readonly notifier?: { readonly port: NotifierPort; readonly routing: Routing };
  /** Without it no contract is checked. */
  readonly contracts?: { readonly port: ContractPort } | undefined;
  /** Lockfiles up to this size are read without a thread; unset: those that hold up other jobs for no time. */
  readonly inlineBytes?: number;
  /** All schedules of this deployment; unset for a run that shares its queues with nobody. */
  readonly schedules?: readonly Schedule[];
  /** Whether the insights service holds anything of a package; unset: it is the whole index. */
  readonly covers?: InsightsOptions['covers'];
}

export interface Pipeline {
  close(graceMs: number): Promise<void>;
}

/** Read in some tens of milliseconds, whatever is in it. */
const INLINE_BYTES = 16_384;

/** Around the time limit of a delivery: what its attempt needs beside it. */
const BESIDE_DELIVERY_MS = 30_000;

/** Starts the workers of all jobs over an open store. */
export async function startPipeline(
  loaded: LoadedConfig,
  store: Store,
  options: PipelineOptions,
): Promise<Pipeline> {
  const { log, notifier, contracts, inlineBytes = INLINE_BYTES, covers, ...others } = options;
  const { recheck } = loaded.config.worker;
  const insights = await openInsights(loaded, store.cache, {
    onContractProblem: warnOnce(log),
    seen: store.seen,
    ...(covers === undefined ? {} : { covers }),
    ...(store.insightsBudget === undefined ? {} : { budget: store.insightsBudget }),
  });
  const lockfiles = createLockfileReader({ threads: 2, inlineBytes });
  const runtime = await startWorkers({
    ...others,
    jobs: JOBS,
    ports: createPorts(loaded, store, insights, {
      notifier: notifier?.port ?? NO_NOTIFIER,
      contracts: contracts?.port ?? NO_CONTRACTS,
      lockfiles,
      ...(notifier === undefined ? {} : { routing: notifier.routing }),
    }),
    outcomes: store.outcomes,
    openJobs: store.openJobs,
    limitsOf: { 'deliver-notification': deliveryLimits(loaded) },
    connection: store.redis,
    prefix: store.prefix,
    log,
    reject: store.rejected.add,
    lockDurationMs: loaded.config.worker.lockDuration,
    waiting: { turnMs: recheck.turn, heldMs: recheck.held },
    // A run that shares its queues with others of its kind has nothing that outlives it.
    ...(options.schedules === undefined
      ? {}
      : {
          reconciler: {
            everyMs: recheck.open,
            claim: (ms) => store.claim('reconcile', ms),
            orphans: () => leftoverDeliveries(store),
          },
        }),
  });
  return {
    async close(graceMs) {
      await runtime.close(graceMs);
      await lockfiles.close();
      await insights.close();
    },
  };
}

/** A service that changed says the same of every package: each place is told once in the life of a process. */
function warnOnce(log: Logger) {
  const told = new Set<string>();
  return ({ path, message }: { readonly path: string; readonly message: string }, subject: string): void => {
    const place = path.replace(/\[\d+\]/g, '[]');
    if (told.has(place)) return;
    told.add(place);
    log.warn({ subject, path, message }, 'an insights answer is not as described');
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
