import { DelayedError, type Processor, type Job as QueuedJob, WaitingError, Worker } from 'bullmq';
import type { Logger } from 'pino';
import { type AnyJob, EnvelopeError, openEnvelope } from '../jobs/envelope.ts';
import type { JobLimits } from '../jobs/job.ts';
import type { Ports } from '../jobs/ports.ts';
import { messageOf } from '../model/errors.ts';
import { attemptSignal } from './attempt-signal.ts';
import type { WorkerEvent } from './events.ts';
import { type Failure, failureOf } from './failure.ts';
import { enqueueFollowUps, type FlowOptions } from './flow.ts';
import type { Outcomes } from './outcomes.ts';
import { outcomeOf } from './process.ts';
import type { RejectedJob } from './rejected-job.ts';

export interface ProcessorOptions {
  readonly job: AnyJob;
  readonly limits: JobLimits;
  readonly ports: Ports;
  readonly outcomes: Outcomes;
  readonly flow: FlowOptions;
  readonly log: Logger;
  readonly onEvent?: (event: WorkerEvent) => void;
  readonly reject: (rejected: RejectedJob) => Promise<void>;
  readonly shutdown: AbortSignal;
  /** Pauses the queue for every worker. */
  readonly pause: (ms: number) => Promise<void>;
  readonly now?: () => number;
  readonly random?: () => number;
}

/** What is thrown for another attempt; BullMQ's backoff strategy reads the delay. */
class RetryError extends Error {
  readonly delayMs: number;

  constructor(cause: unknown, delayMs: number) {
    super(messageOf(cause), { cause });
    this.delayMs = delayMs;
  }
}

/** One job, from its envelope to the enqueued follow-ups. */
export function createProcessor(options: ProcessorOptions): Processor {
  const { job, limits, log } = options;
  return async (queued, token, lockLost) => {
    // What a producer put on the job does not matter: the job itself knows how often it may be tried,
    // and what failed is kept for an operator.
    queued.opts.attempts = limits.attempts;
    queued.opts.backoff = { type: 'by-error' };
    queued.opts.removeOnFail = false;
    const jobLog = log.child({ job: job.name, jobId: queued.id });
    try {
      await processJob(options, queued, jobLog, lockLost);
    } catch (error) {
      await settle(options, queued, token, error, jobLog);
    }
  };
}

async function processJob(
  options: ProcessorOptions,
  queued: QueuedJob,
  log: Logger,
  lockLost: AbortSignal | undefined,
): Promise<void> {
  const { job, limits, outcomes, ports, flow, shutdown, onEvent } = options;
  const { key, payload } = openEnvelope(job, queued.data);
  const what = `${job.name} "${key}"`;
  const attempt = attemptSignal({ what, timeoutMs: limits.timeoutMs, shutdown, lockLost });
  onEvent?.({ kind: 'started', job: job.name, key });
  log.debug({ key }, 'job started');
  const { next } = await outcomeOf({ job, key, payload }, outcomes, ports, {
    signal: attempt.signal,
    lastAttempt: queued.attemptsMade + 1 >= limits.attempts,
    progress: (progress) => onEvent?.({ kind: 'progress', job: job.name, key, progress }),
  }).finally(attempt.release);
  await enqueueFollowUps(flow, next);
  onEvent?.({ kind: 'finished', job: job.name, key });
  log.info({ key, followUps: next.length }, 'job finished');
}

/** Does what the failure asks for; always throws what tells BullMQ so. */
async function settle(
  options: ProcessorOptions,
  queued: QueuedJob,
  token: string | undefined,
  error: unknown,
  log: Logger,
): Promise<never> {
  const { job, limits, onEvent, now = Date.now, random = Math.random } = options;
  const key = keyOf(queued);
  if (options.shutdown.aborted) {
    await queued.moveToWait(token);
    log.info({ key }, 'job handed back');
    throw new WaitingError();
  }
  const failure = failureOf({
    error,
    limits,
    attempts: queued.attemptsMade + 1,
    ageMs: now() - queued.timestamp - (queued.opts.delay ?? 0),
    random: random(),
  });
  const reason = messageOf(error);
  if (failure.kind === 'fail') {
    if (error instanceof EnvelopeError) await options.reject(rejectedOf(job, queued, error, now()));
    log.error({ key, reason, err: error }, 'job failed for good');
    onEvent?.({ kind: 'failed', job: job.name, key, reason });
    throw failure.error;
  }
  log.warn({ key, reason, delayMs: failure.delayMs }, `job will be tried again (${failure.kind})`);
  onEvent?.({ kind: 'retrying', job: job.name, key, reason, delayMs: failure.delayMs });
  throw await again(options, queued, token, failure, error);
}

async function again(
  { pause, now = Date.now }: ProcessorOptions,
  queued: QueuedJob,
  token: string | undefined,
  failure: Exclude<Failure, { kind: 'fail' }>,
  error: unknown,
): Promise<Error> {
  switch (failure.kind) {
    case 'retry':
      return new RetryError(error, failure.delayMs);
    case 'pause':
      await pause(failure.delayMs);
      return Worker.RateLimitError();
    case 'postpone':
      await queued.moveToDelayed(now() + failure.delayMs, token);
      return new DelayedError();
  }
}

function keyOf({ data, id }: QueuedJob): string {
  const key: unknown =
    typeof data === 'object' && data !== null ? (data as { key?: unknown }).key : undefined;
  return typeof key === 'string' ? key : (id ?? '');
}

function rejectedOf(job: AnyJob, queued: QueuedJob, error: EnvelopeError, now: number): RejectedJob {
  return {
    at: new Date(now).toISOString(),
    job: job.name,
    id: queued.id ?? '',
    issues: error.issues,
    data: JSON.stringify(queued.data) ?? '',
  };
}
