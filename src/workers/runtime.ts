import { type ConnectionOptions, FlowProducer, Queue, Worker } from 'bullmq';
import type { Logger } from 'pino';
import type { AnyJob } from '../jobs/envelope.ts';
import type { JobLimits } from '../jobs/job.ts';
import type { Ports } from '../jobs/ports.ts';
import type { WorkerEvent } from './events.ts';
import type { Outcomes } from './outcomes.ts';
import { createProcessor } from './processor.ts';
import type { RejectedJob } from './rejected-job.ts';

export interface RuntimeOptions {
  readonly jobs: readonly AnyJob[];
  readonly ports: Ports;
  readonly outcomes: Outcomes;
  /** A connection whose commands wait for Redis instead of failing; BullMQ makes its own copies of it for blocking. */
  readonly connection: ConnectionOptions;
  readonly prefix: string;
  readonly log: Logger;
  readonly onEvent?: (event: WorkerEvent) => void;
  /** Keeps a payload that does not fit, for an operator. */
  readonly reject: (rejected: RejectedJob) => Promise<void>;
  /** Changes limits of all jobs, as a one-off scan does that cannot wait for hours. */
  readonly limits?: Partial<JobLimits>;
  /** Without a sign of life for this long, a worker's job is taken over. Default 30 s. */
  readonly lockDurationMs?: number;
  readonly now?: () => number;
  readonly random?: () => number;
}

export interface Runtime {
  /**
   * Takes no more jobs, lets running ones finish for `graceMs`, then aborts them and hands them back. Resolves when
   * nothing runs any more.
   */
  close(graceMs: number): Promise<void>;
}

/** A job whose worker died is taken over again and again: how often says nothing about the job. */
const MAX_STALLED = 1_000;
/** BullMQ asks for a limiter before it honours `rateLimit`; this one never limits by itself. */
const NO_LIMIT = { max: 1_000_000_000, duration: 1_000 };
const KEPT_COMPLETED = 100;

/** Works through the queues of the given jobs. Knows none of them by name. */
export async function startWorkers(options: RuntimeOptions): Promise<Runtime> {
  const { jobs, connection, prefix, log, lockDurationMs = 30_000 } = options;
  const onError = (error: Error) => log.warn({ error: error.message }, 'queue connection');
  const shutdown = new AbortController();
  const producer = new FlowProducer({ connection, prefix });
  producer.on('error', onError);
  const queues = new Map(jobs.map(({ name }) => [name, new Queue(name, { connection, prefix })]));
  for (const queue of queues.values()) queue.on('error', onError);
  const flow = {
    producer,
    queues,
    prefix,
    outcomes: options.outcomes,
    jobs: new Map(jobs.map((job) => [job.name, job])),
  };
  const workers = jobs.map((job) => {
    const limits = { ...job.limits, ...options.limits };
    const worker: Worker = new Worker(
      job.name,
      createProcessor({
        ...options,
        job,
        limits,
        flow,
        shutdown: shutdown.signal,
        pause: (ms) => worker.rateLimit(ms),
      }),
      {
        connection,
        prefix,
        concurrency: limits.concurrency,
        lockDuration: lockDurationMs,
        stalledInterval: lockDurationMs,
        maxStalledCount: MAX_STALLED,
        removeOnComplete: { count: KEPT_COMPLETED },
        limiter: NO_LIMIT,
        settings: { backoffStrategy: (_attempts, _type, error) => delayOf(error) },
      },
    );
    worker.on('error', onError);
    return worker;
  });
  await Promise.all(workers.map((worker) => worker.waitUntilReady()));
  return { close: (graceMs) => closeAll(workers, queues, producer, shutdown, graceMs) };
}

/** The delay that the processor put on the error it threw. */
function delayOf(error: Error | undefined): number {
  return (error as { delayMs?: number } | undefined)?.delayMs ?? 0;
}

async function closeAll(
  workers: readonly Worker[],
  queues: ReadonlyMap<string, Queue>,
  producer: FlowProducer,
  shutdown: AbortController,
  graceMs: number,
): Promise<void> {
  const timer = setTimeout(
    () => shutdown.abort(new DOMException('the worker is shutting down', 'AbortError')),
    graceMs,
  );
  try {
    await Promise.all(workers.map((worker) => worker.close()));
  } finally {
    clearTimeout(timer);
    await Promise.all([producer.close(), ...[...queues.values()].map((queue) => queue.close())]);
  }
}
