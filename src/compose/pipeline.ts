import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/load.ts';
import type { InsightsOptions } from '../insights/insights.ts';
import { JOBS } from '../jobs/catalog.ts';
import type { JobLimits } from '../jobs/job.ts';
import { DELIVER_NOTIFICATION } from '../jobs/payloads/deliver-notification.ts';
import type { ContractPort, NotifierPort } from '../jobs/ports.ts';
import { createLockfileReader } from '../lockfiles/threads/lockfile-reader.ts';
import type { Routing } from '../model/alert/routing.ts';
import type { Cache } from '../model/ports/cache.ts';
import { cacheInMemory } from '../store/memory-cache.ts';
import type { WorkerEvent } from '../workers/events.ts';
import { startWorkers } from '../workers/runtime.ts';
import type { Schedule } from '../workers/schedules.ts';
import { openInsights } from './insights.ts';
import { orphanedDeliveries } from './orphaned-deliveries.ts';
import { createPorts, NO_CONTRACTS, NO_NOTIFIER, reuseOf } from './ports.ts';
import type { Store } from './store.ts';
import { warnOnce } from './warn-once.ts';

export interface PipelineOptions {
  readonly log: Logger;
  readonly onEvent?: (event: WorkerEvent) => void;
  readonly limits?: Partial<JobLimits>;
  /** Without it changes are recorded, and no alerts are sent. */
  readonly notifier?: { readonly port: NotifierPort; readonly routing: Routing } | undefined;
  /** Without it contracts are not checked. */
  readonly contracts?: { readonly port: ContractPort } | undefined;
  /** Lockfiles up to this size in bytes are read without a thread. Default 16 KiB. */
  readonly inlineBytes?: number;
  /** All schedules of this deployment. Unset for a run that does not share its Redis. */
  readonly schedules?: readonly Schedule[];
  /** Whether the insights service knows a package. Unset: it serves the whole index. */
  readonly covers?: InsightsOptions['covers'] | undefined;
}

export interface Pipeline {
  close(graceMs: number): Promise<void>;
}

/** A file of this size is read in some tens of milliseconds. */
const INLINE_BYTES = 16_384;

/** Records of packages and advisories in memory: some tens of megabytes. */
const MEMORY_ENTRIES = 20_000;
const MEMORY_TTL_MS = 60_000;

/** Added to the time limit of a request to get that of a delivery job. */
const DELIVERY_OVERHEAD_MS = 30_000;

/** Starts the workers of all jobs over an open store. */
export async function startPipeline(
  loaded: LoadedConfig,
  store: Store,
  options: PipelineOptions,
): Promise<Pipeline> {
  const { log, notifier, contracts, inlineBytes = INLINE_BYTES, covers, ...others } = options;
  const { recheck } = loaded.config.worker;
  const insights = await openInsights(loaded, recordCache(loaded, store), {
    onContractProblem: warnOnce(log),
    seen: store.seen,
    covers,
    budget: store.insightsBudget,
  });
  const lockfiles = createLockfileReader({ threads: 2, inlineBytes: () => inlineBytes });
  const runtime = await startWorkers({
    ...others,
    jobs: JOBS,
    ports: createPorts(loaded, store, insights, {
      notifier: notifier?.port ?? NO_NOTIFIER,
      contracts: contracts?.port ?? NO_CONTRACTS,
      lockfiles,
      reuse: reuseOf(loaded, notifier?.routing),
      routing: notifier?.routing,
    }),
    outcomes: store.outcomes,
    openJobs: store.openJobs,
    limitsOf: { [DELIVER_NOTIFICATION.name]: deliveryLimits(loaded) },
    connection: store.redis,
    prefix: store.prefix,
    log,
    reject: store.rejected.add,
    lockDurationMs: loaded.config.worker.lockDuration,
    waiting: { turnMs: recheck.turn, heldMs: recheck.held },
    reconciler:
      options.schedules === undefined
        ? undefined
        : {
            everyMs: recheck.open,
            claim: (ms) => store.claim('reconcile', ms),
            orphans: () => orphanedDeliveries(store),
          },
  });
  return {
    async close(graceMs) {
      await runtime.close(graceMs);
      await lockfiles.close();
      await insights.close();
    },
  };
}

/** The shared cache, with what this process read last in its own memory. */
function recordCache({ config: { insights } }: LoadedConfig, { cache }: Store): Cache {
  const { recordTtl, missTtl } = insights;
  const ttlMs = Math.min(MEMORY_TTL_MS, recordTtl / 10, missTtl / 10);
  return cacheInMemory(cache, { maxEntries: MEMORY_ENTRIES, ttlMs });
}

function deliveryLimits({ config: { notify } }: LoadedConfig): Partial<JobLimits> {
  if (notify === undefined) return {};
  const { attempts, firstDelay, longestDelay } = notify.retries;
  return {
    attempts,
    backoffMs: firstDelay,
    maxBackoffMs: longestDelay,
    timeoutMs: notify.timeout + DELIVERY_OVERHEAD_MS,
  };
}
