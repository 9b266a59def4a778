import { DelayedError, type Job as QueuedJob, UnrecoverableError, Worker } from 'bullmq';
import { EnvelopeError, UnparsedData } from '../jobs/envelope.ts';
import type { AnyJob, AttemptEnding } from '../jobs/job.ts';
import { messageOf } from '../model/errors.ts';
import type { RejectedPayload } from '../model/queue/rejected-payload.ts';
import type { Attempt, ProcessorOptions } from './attempt.ts';
import { WorkerError } from './errors.ts';
import { DEFAULT_WAITING, type Failure, failureOf } from './failure.ts';
import { forgiveStalls } from './stalls.ts';
import { closeFailed, recheckTurn } from './turn.ts';

/** What is thrown for another attempt; BullMQ's backoff strategy reads the delay. */
class RetryError extends Error {
  readonly delayMs: number;

  constructor(cause: unknown, delayMs: number) {
    super(messageOf(cause), { cause });
    this.delayMs = delayMs;
  }
}

/** When giving up could not be written down, it is tried again after this time. */
const GIVE_UP_AGAIN_MS = 10_000;

/** Does what the failure asks for; gives what has to be thrown to tell BullMQ so. */
export async function handleFailure(
  options: ProcessorOptions,
  attempt: Attempt,
  error: unknown,
): Promise<Error> {
  const { job, limits, waiting = DEFAULT_WAITING, onEvent, now = Date.now, random = Math.random } = options;
  const { queued, log } = attempt;
  const key = keyOf(queued);
  const failure = failureOf({
    error,
    limits,
    waiting,
    attempts: queued.attemptsMade + 1,
    postponements: queued.attemptsStarted - queued.attemptsMade - 1,
    ageMs: now() - queued.timestamp - (queued.opts.delay ?? 0),
    random: random(),
  });
  const reason = messageOf(error);
  if (failure.kind === 'fail') {
    if (!(await recordFailure(options, attempt, error))) {
      return await postpone(options, attempt, GIVE_UP_AGAIN_MS);
    }
    log.error({ key, reason, err: error }, 'job failed for good');
    onEvent?.({ kind: 'failed', job: job.name, key, reason });
    return new UnrecoverableError(failure.message);
  }
  const { delayMs } = failure;
  if (isWaiting(failure)) log.debug({ key, reason, delayMs }, 'job waits for its turn');
  else log.warn({ key, reason, delayMs }, `job will be tried again (${failure.kind})`);
  onEvent?.({ kind: 'retrying', job: job.name, key, reason, delayMs });
  await reportEnding(options, attempt, endingOf(failure, reason));
  return await errorToThrow(options, attempt, failure, error);
}

/** Writes down that the job is given up, and has the next one of its lane go on. False when that was not possible. */
async function recordFailure(options: ProcessorOptions, attempt: Attempt, error: unknown): Promise<boolean> {
  const { job, ports, now = Date.now } = options;
  const { queued, opened, kept, log } = attempt;
  try {
    // A job without a place was given up before, for a reason that is written down; or it has no place yet.
    if (error instanceof WorkerError && error.code === 'turn-over') return true;
    // One that is not open any more was closed elsewhere, or Redis lost the decision: it will be decided again.
    if (kept !== undefined && (await options.openJobs.find(kept.id)) === undefined) return true;
    if (error instanceof EnvelopeError) await options.reject(rejectedOf(job, queued, error, now()));
    if (opened !== undefined) {
      await job.onEnd?.(opened.payload, { kind: 'failed', reason: messageOf(error) }, ports);
    }
    const lane = kept?.lane ?? opened?.lane;
    // What was opened after this attempt began is not given up with it.
    if (kept !== undefined || lane !== undefined) {
      await closeFailed(options, { id: opened?.id ?? queued.id ?? '', lane });
    }
    if (error instanceof WorkerError && error.code === 'stalled') await forgiveStalls(queued);
    return true;
  } catch (problem) {
    log.warn({ reason: messageOf(problem) }, 'giving a job up could not be written down; tried again');
    return false;
  }
}

/** For the record only: the attempt goes on without. */
async function reportEnding(
  { job, ports }: ProcessorOptions,
  { opened, log }: Attempt,
  ending: AttemptEnding,
): Promise<void> {
  if (opened === undefined) return;
  try {
    await job.onEnd?.(opened.payload, ending, ports);
  } catch (problem) {
    log.warn({ reason: messageOf(problem) }, 'the end of an attempt could not be written down');
  }
}

async function errorToThrow(
  options: ProcessorOptions,
  attempt: Attempt,
  failure: Exclude<Failure, { kind: 'fail' }>,
  error: unknown,
): Promise<Error> {
  switch (failure.kind) {
    case 'retry':
      return new RetryError(error, failure.delayMs);
    case 'pause':
      await options.pause(failure.delayMs);
      return Worker.RateLimitError();
    case 'postpone': {
      const delayed = await postpone(options, attempt, failure.delayMs);
      if (isWaiting(failure)) await recheckTurn(options, attempt.opened);
      return delayed;
    }
  }
}

async function postpone(
  { now = Date.now }: ProcessorOptions,
  { queued, token }: Attempt,
  delayMs: number,
): Promise<DelayedError> {
  await queued.moveToDelayed(now() + delayMs, token);
  return new DelayedError();
}

function isWaiting(failure: Failure): boolean {
  return failure.kind === 'postpone' && failure.code === 'not-its-turn';
}

function endingOf(failure: Exclude<Failure, { kind: 'fail' }>, reason: string): AttemptEnding {
  const { kind, delayMs } = failure;
  if (kind === 'retry') return { kind: 'retry', reason, delayMs };
  const code = kind === 'postpone' ? failure.code : 'paused';
  return { kind: 'postponed', code, reason, delayMs };
}

function keyOf({ data, id }: QueuedJob): string {
  const key: unknown =
    typeof data === 'object' && data !== null ? (data as { key?: unknown }).key : undefined;
  return typeof key === 'string' ? key : (id ?? '');
}

function rejectedOf(job: AnyJob, queued: QueuedJob, error: EnvelopeError, now: number): RejectedPayload {
  return {
    at: new Date(now).toISOString(),
    job: job.name,
    id: queued.id ?? '',
    issues: error.issues,
    data: queued.data instanceof UnparsedData ? queued.data.text : (JSON.stringify(queued.data) ?? ''),
  };
}
