import type { ConnectionOptions, Job, JobJson, Processor, QueueOptions } from 'bullmq';
import { FlowProducer, Queue, Worker } from 'bullmq';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Logger } from 'pino';
import { UnparsedData } from '../jobs/envelope.ts';
import type { AnyJob, JobLimits } from '../jobs/job.ts';
import { defined } from '../model/defined.ts';
import { messageOf } from '../model/errors.ts';
import type { OpenJobs } from '../model/queue/open-job.ts';
import type { Outcomes } from '../model/queue/outcome.ts';
import { within } from '../model/time-limit.ts';
import type { ProcessorOptions } from './attempt.ts';
import type { FlowOptions } from './flow.ts';
import { createProcessor } from './processor.ts';
import { rememberCompleted } from './recheck-completed.ts';
import { type ReconcilerOptions, startReconciler } from './reconciler.ts';
import type { Schedule, StoredSchedules } from './schedules.ts';
import { DRAIN_DELAY_S, FEW_EVENTS, startSchedules } from './schedules.ts';
import { logThrottled } from './throttled-log.ts';

export interface RuntimeOptions
  extends FlowStores,
    Pick<
      ProcessorOptions,
      'ports' | 'log' | 'onEvent' | 'reject' | 'waiting' | 'shardOf' | 'telemetry' | 'now' | 'random'
    > {
  readonly jobs: readonly AnyJob[];
  /** Overrides limits of all jobs, for one-off scans that cannot wait for hours. */
  readonly limits?: Partial<JobLimits>;
  /** Overrides limits of single jobs, by name. */
  readonly limitsOf?: Readonly<Record<string, Partial<JobLimits>>>;
  /** Another worker claims a job whose lock was not renewed for this long. Default 30 s. */
  readonly lockDurationMs?: number;
  /** Completed jobs that stay in each queue, for tests. Default 0: outcomes show what is completed. */
  readonly keptCompleted?: number;
  /** The schedules; without them this worker starts none. */
  readonly schedules?: readonly Schedule[];
  /** Schedules that are added and removed while this worker runs. */
  readonly storedSchedules?: StoredSchedules | undefined;
  /** The options of the reconciler; without them this worker does not restore lost jobs. */
  readonly reconciler?: ReconcilerOptions | undefined;
  /** Calls a function whenever Redis may have lost writes. Without it, outcomes that are lost then are not noticed at once. */
  readonly whenWritesMayBeLost?: (act: () => void) => void;
  /** Limits of concurrency that this runtime shares with others of this process. */
  readonly slots?: Slots | undefined;
}

/** The queues of jobs, and the stores about them. */
interface FlowStores {
  /** Its commands wait for Redis instead of failing. BullMQ duplicates it for blocking commands. */
  readonly connection: ConnectionOptions;
  readonly prefix: string;
  readonly outcomes: Outcomes;
  readonly openJobs: OpenJobs;
}

export type Runtime = Awaited<ReturnType<typeof startWorkers>>;

const DEFAULT_LOCK_MS = 30_000;
/** BullMQ never fails a stalled job: `processor.ts` decides when another worker claims it. */
const MAX_STALLED = 1_000_000_000;
/** BullMQ ignores `rateLimit` without a limiter; this one never limits by itself. */
const NO_LIMIT = { max: 1_000_000_000, duration: 1_000 };
/** While its queue is paused, a BullMQ worker sleeps and does not notice that it is being closed. */
const MAX_PAUSED_SLEEP_MS = 500;
/** How long returning jobs to their queues may take after the grace period. */
const RETURN_MS = 1_000;
/** A job that has run and that BullMQ cannot complete, because its children were queued again, is completed after this time. */
const UNCOMPLETED_MS = 1_000;

/** Starts one worker for each of the given jobs. Nothing here depends on a job's name. */
export async function startWorkers(options: RuntimeOptions) {
  const { jobs, log, telemetry, lockDurationMs = DEFAULT_LOCK_MS } = options;
  const onError = logThrottled(log, 'queue connection');
  const shutdown = new AbortController();
  const { flow, close } = openFlow(jobs, options, onError, {
    streams: FEW_EVENTS,
    ...defined({ telemetry }),
  });
  const { queues } = flow;
  const completed = rememberCompleted(flow, log);
  options.whenWritesMayBeLost?.(completed.recheck);
  const processing = new Map<string, ProcessorOptions>();
  for (const job of jobs) {
    const limits = { ...job.limits, ...options.limitsOf?.[job.name], ...options.limits };
    const pause = (ms: number): Promise<void> => pauseQueue(queues.get(job.name), ms);
    const own = { job, limits, flow, completed, siblings: processing, shutdown: shutdown.signal, pause };
    processing.set(job.name, { ...options, ...own });
  }
  const workers = [...processing.values()].map((one) => startWorker({ ...options, lockDurationMs }, one));
  for (const worker of workers) worker.on('error', onError);
  let started: Awaited<ReturnType<typeof startSchedules>> | undefined;
  let reconciler: ReturnType<typeof startReconciler> | undefined;
  const closeAll = async (): Promise<void> => {
    await reconciler?.stop();
    await Promise.all(workers.map((worker) => worker.close()));
    await completed.close();
    await Promise.all([close(), started?.queue.close()]);
  };
  /**
   * Accepts no more jobs, lets running jobs finish for `graceMs`, then aborts them and returns them to their queues. Resolves
   * when no job runs, or one second after `graceMs` when Redis does not answer.
   */
  const stop = (graceMs: number) => closeWithin(closeAll(), shutdown, graceMs, log);
  try {
    await Promise.all(workers.map((worker) => worker.waitUntilReady()));
    const { schedules, storedSchedules: stored, reject } = options;
    if (schedules !== undefined)
      started = await startSchedules({ ...options, lockDurationMs, schedules, stored, flow, onError });
    if (started !== undefined) workers.push(started.worker);
    if (options.reconciler !== undefined) {
      const restoreSchedules = started?.restore;
      reconciler = startReconciler(options.reconciler, { flow, log, reject, restoreSchedules });
    }
  } catch (error) {
    // Otherwise these workers would go on in a process that could not start.
    await stop(0);
    throw error;
  }
  return { close: stop };
}

/** Opens the queues of jobs. `options`: those of BullMQ for each of them. */
export function openFlow(
  jobs: readonly AnyJob[],
  { connection, prefix, outcomes, openJobs }: FlowStores,
  onError: (error: Error) => void,
  options: Omit<QueueOptions, 'connection' | 'prefix'> = {},
) {
  const { telemetry, ...others } = options;
  const common = { connection, prefix, skipVersionCheck: true, ...defined({ telemetry }) };
  const producer = new FlowProducer(common).on('error', onError);
  const queues = new Map(
    jobs.map(({ name }) => [name, new Queue(name, { ...common, ...others }).on('error', onError)]),
  );
  const flow: FlowOptions = {
    ...{ producer, queues, prefix, outcomes, openJobs },
    jobs: new Map(jobs.map((job) => [job.name, job])),
  };
  return {
    flow,
    close: () => Promise.all([producer, ...queues.values()].map((one) => one.close())),
  };
}

function startWorker(
  options: RuntimeOptions & { readonly lockDurationMs: number },
  processing: ProcessorOptions,
): Worker {
  const { connection, prefix, lockDurationMs, keptCompleted = 0, slots } = options;
  const { job, limits } = processing;
  const processor = createProcessor(processing);
  const limit = slots?.limitOf(job.name, limits.concurrency);
  const limited: Processor =
    limit === undefined
      ? processor
      : // BullMQ counts the parameters: it gives no signal to a function that names fewer than three.
        (queued, token, lockLost) => limit(() => processor(queued, token, lockLost));
  const worker = new TolerantWorker(job.name, limited, {
    connection,
    prefix,
    ...defined({ telemetry: options.telemetry }),
    concurrency: slots?.share(limits.concurrency) ?? limits.concurrency,
    drainDelay: DRAIN_DELAY_S,
    lockDuration: lockDurationMs,
    stalledInterval: lockDurationMs,
    maxStalledCount: MAX_STALLED,
    removeOnComplete: { count: keptCompleted },
    limiter: NO_LIMIT,
    maximumRateLimitDelay: MAX_PAUSED_SLEEP_MS,
    settings: {
      backoffStrategy: (_attempts, _type, error) =>
        (error as { delayMs?: number } | undefined)?.delayMs ?? UNCOMPLETED_MS,
    },
  });
  // BullMQ only reports that another worker may claim the job; it does not end the attempt.
  worker.on('lockRenewalFailed', (ids) => {
    for (const id of ids) worker.cancelJob(id);
  });
  return worker;
}

/** Keeps workers from claiming a job of the queue for `ms`. A shorter pause does not shorten a longer one. */
async function pauseQueue(queue: Queue | undefined, ms: number): Promise<void> {
  const left = (await queue?.getRateLimitTtl(NO_LIMIT.max)) ?? 0;
  if (ms > left) await queue?.rateLimit(ms);
}

/** Does not wait for Redis when that is unavailable: other workers claim the jobs once their locks expire. */
async function closeWithin(
  closing: Promise<void>,
  shutdown: AbortController,
  graceMs: number,
  log: Logger,
): Promise<void> {
  const abort = setTimeout(
    () => shutdown.abort(new DOMException('the worker is shutting down', 'AbortError')),
    graceMs,
  );
  closing.catch((error: unknown) => log.warn({ error: messageOf(error) }, 'queues closed with an error'));
  try {
    await within(closing, graceMs + RETURN_MS, () =>
      log.warn('Redis did not answer in time; other workers claim the running jobs once their locks expire'),
    );
  } finally {
    clearTimeout(abort);
  }
}

/**
 * A BullMQ worker that also processes jobs whose data is not JSON, with `UnparsedData` as their data. BullMQ's worker throws
 * before the processor sees such a job, which then stalls repeatedly.
 */
class TolerantWorker extends Worker {
  protected override createJob(json: JobJson, jobId: string): Job {
    try {
      return super.createJob(json, jobId);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const job = super.createJob({ ...json, data: '{}' }, jobId);
      job.data = new UnparsedData(json.data, messageOf(error));
      return job;
    }
  }
}

/** Limits of concurrency that the runtimes of one process share: each runs the jobs of one shard. */
export interface Slots {
  /** How many of `concurrency` jobs one runtime claims, so that jobs do not wait here while another process is idle. */
  share(concurrency: number): number;
  /** Runs at most `concurrency` jobs of a name in this process. */
  limitOf(job: string, concurrency: number): LimitFunction;
}

export function createSlots(runtimes: number): Slots {
  const limits = new Map<string, LimitFunction>();
  return {
    share: (concurrency) => Math.ceil(concurrency / runtimes),
    limitOf(job, concurrency) {
      const limit = limits.get(job) ?? pLimit(concurrency);
      limits.set(job, limit);
      return limit;
    },
  };
}
