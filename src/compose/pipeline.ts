import type { Telemetry } from 'bullmq';
import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/load.ts';
import type { InsightsOptions } from '../insights/insights.ts';
import { JOBS } from '../jobs/catalog.ts';
import type { JobLimits } from '../jobs/job.ts';
import { DELIVER_NOTIFICATION } from '../jobs/payloads/deliver-notification.ts';
import type { ContractPort, ExploitPort, NotifierPort, Ports } from '../jobs/ports.ts';
import { createLockfileReader } from '../lockfiles/threads/lockfile-reader.ts';
import { WORKER_INLINE } from '../lockfiles/threads/reading-limits.ts';
import type { Routing } from '../model/alert/routing.ts';
import { defined } from '../model/defined.ts';
import type { Cache } from '../model/ports/shared-state.ts';
import { cacheInMemory } from '../store/facts/memory-cache.ts';
import { whenWritesMayBeLost } from '../store/redis/connection.ts';
import type { WorkerEvent } from '../workers/events.ts';
import { createSlots, type Runtime, type Slots, startWorkers } from '../workers/runtime.ts';
import type { Schedule, StoredSchedules } from '../workers/schedules.ts';
import { factCache } from './fact-cache.ts';
import { openInsightsClients, warnOnce } from './insights.ts';
import { createKnownFixes } from './known-fixes.ts';
import { lostWork } from './lost-work.ts';
import { createPorts } from './ports.ts';
import type { Store, Stores } from './store.ts';

interface PipelineOptions {
  readonly log: Logger;
  readonly onEvent?: (event: WorkerEvent) => void;
  readonly limits?: Partial<JobLimits>;
  /** Traces jobs. */
  readonly telemetry?: Telemetry | undefined;
  /** The notifier; without it changes are recorded, and no alerts are sent. */
  readonly notifier?:
    | { readonly portOf: (shard: Store) => NotifierPort; readonly routing: Routing }
    | undefined;
  /** The contracts; without them nothing is checked. */
  readonly contracts?: { readonly port: ContractPort } | undefined;
  /** All schedules of a shard. Unset for a run that does not share its Redis. */
  readonly schedules?: (shard: Store) => readonly Schedule[];
  /** Schedules that are kept in Redis, and where their lockfiles come from. Without it none is run. */
  readonly watch?: (
    shard: Store,
  ) => Pick<Ports, 'schedules' | 'sources'> & { readonly stored: StoredSchedules };
  /** The lists of exploitation; without them nothing is known about it. */
  readonly exploits?: ExploitPort | undefined;
}

export type Pipeline = Awaited<ReturnType<typeof startPipeline>>;

/** Records of each kind (package versions, advisories) in memory: some tens of megabytes. */
const MEMORY_ENTRIES = 20_000;
const MEMORY_TTL_MS = 60_000;

/** Added to the time limit of a request to get that of a delivery job. */
const DELIVERY_OVERHEAD_MS = 30_000;

/** Starts the workers of all jobs over open stores: one set for each shard, with common connections and limits. */
export async function startPipeline(
  loaded: LoadedConfig,
  stores: Store | { readonly own: readonly Store[]; readonly of: Stores['of'] },
  options: PipelineOptions,
) {
  const { own, of } = 'own' in stores ? stores : { own: [stores], of: () => stores };
  const clients = await openInsightsClients(loaded, {
    budget: own[0]?.insightsBudget,
    advisoryChanges: own[0]?.advisoryChanges,
    backoff: options.limits,
  });
  const lockfiles = createLockfileReader({ threads: 2, inline: WORKER_INLINE });
  const shared = { clients, lockfiles, of, slots: createSlots(own.length), report: warnOnce(options.log) };
  const runtimes: Runtime[] = [];
  const close = async (graceMs: number): Promise<void> => {
    await Promise.all(runtimes.map((runtime) => runtime.close(graceMs)));
    await lockfiles.close();
    await clients.close();
  };
  try {
    for (const store of own) runtimes.push(await startShard(loaded, store, shared, options));
  } catch (error) {
    await close(0);
    throw error;
  }
  return { close };
}

/** The parts that the shards of one process share. */
interface SharedParts {
  readonly clients: Awaited<ReturnType<typeof openInsightsClients>>;
  readonly lockfiles: ReturnType<typeof createLockfileReader>;
  readonly of: Stores['of'];
  readonly slots: Slots;
  readonly report: InsightsOptions['onContractProblem'] & {};
}

async function startShard(
  loaded: LoadedConfig,
  store: Store,
  { clients, lockfiles, of, slots, report }: SharedParts,
  options: PipelineOptions,
): Promise<Runtime> {
  const { log, notifier, contracts, exploits, schedules: schedulesOf, watch, ...others } = options;
  const { recheck, lockDuration } = loaded.config.worker;
  const insights = clients.clientOf(recordCache(loaded, store), {
    onContractProblem: report,
    seen: store.seen,
    facts: store.facts,
    isRequired: true,
  });
  const schedules = schedulesOf?.(store);
  const { stored, ...watched } = watch?.(store) ?? {};
  return await startWorkers({
    ...others,
    ...defined({ schedules }),
    slots,
    jobs: JOBS,
    ports: createPorts(loaded, store, {
      insights,
      lockfiles,
      routing: notifier?.routing,
      knownFixes: createKnownFixes(clients.clientOf(store.cache, { onContractProblem: report }), store.cache),
      ...watched,
      ...defined({
        notifier: notifier?.portOf(store),
        contracts: contracts?.port,
        exploits,
      }),
    }),
    storedSchedules: stored,
    outcomes: store.outcomes,
    openJobs: store.openJobs,
    limitsOf: { [DELIVER_NOTIFICATION.name]: deliveryLimits(loaded) },
    connection: store.redis,
    prefix: store.prefix,
    log,
    reject: store.rejected.add,
    lockDurationMs: lockDuration,
    waiting: { turnMs: recheck.turn, heldMs: recheck.held },
    shardOf: (target) => (of(target) === store ? undefined : of(target)),
    whenWritesMayBeLost: (act) => whenWritesMayBeLost(store.redis, act),
    reconciler:
      schedules === undefined
        ? undefined
        : {
            everyMs: recheck.open,
            claim: (ms) => store.claim('reconcile', ms),
            ...lostWork(store),
          },
  });
}

/** The shared cache, with what this process read last in its own memory. */
function recordCache({ config: { insights } }: LoadedConfig, store: Store): Cache {
  const { recordTtl, missTtl } = insights;
  const ttlMs = Math.min(MEMORY_TTL_MS, recordTtl / 10, missTtl / 10);
  return cacheInMemory(factCache(store), {
    maxEntries: Math.ceil(MEMORY_ENTRIES / store.shard.count),
    ttlMs,
  });
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
