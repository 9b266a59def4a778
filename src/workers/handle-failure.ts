import { isDeepStrictEqual } from 'node:util';
import { DelayedError, type Job as QueuedJob, UnrecoverableError, Worker } from 'bullmq';
import { EnvelopeError, UnparsedData } from '../jobs/envelope.ts';
import type { AnyJob, AttemptEnding } from '../jobs/job.ts';
import { messageOf } from '../model/errors.ts';
import type { RejectedPayload } from '../model/queue/rejected-payload.ts';
import type { Attempt, ProcessorOptions } from './attempt.ts';
import { WorkerError } from './errors.ts';
import { DEFAULT_WAITING, endingOf, failureOf } from './failure.ts';
import { resetStalls } from './queued-jobs.ts';
import { closeFailed, recheckTurn } from './turn.ts';

/** Requests another attempt; BullMQ's backoff strategy reads the delay. */
class RetryError extends Error {
  readonly delayMs: number;

  constructor(cause: unknown, delayMs: number) {
    super(messageOf(cause), { cause });
    this.delayMs = delayMs;
  }
}

/** A permanent failure that could not be recorded is recorded again after this time. */
const RECORD_AGAIN_MS = 10_000;

/** Acts on a failed attempt; resolves to the error that the processor throws to BullMQ. */
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
      return await delay(options, attempt, RECORD_AGAIN_MS);
    }
    log.error({ key, reason, err: error }, 'job failed permanently');
    onEvent?.({ kind: 'failed', job: job.name, key, reason });
    return new UnrecoverableError(failure.message);
  }
  const { delayMs } = failure;
  const waits = failure.kind === 'postpone' ? failure.code : undefined;
  if (waits === 'not-its-turn' || waits === 'others-first')
    log.debug({ key, reason, delayMs }, 'job waits for its turn');
  else log.warn({ key, reason, delayMs }, `job is retried later (${failure.kind})`);
  onEvent?.({ kind: 'retrying', how: failure.kind, job: job.name, key, reason, delayMs });
  await reportEnding(options, attempt, endingOf(failure, reason));
  if (failure.kind === 'retry') return new RetryError(error, delayMs);
  if (failure.kind === 'pause') {
    await options.pause(delayMs);
    return Worker.RateLimitError();
  }
  const delayed = await delay(options, attempt, delayMs);
  if (waits === 'not-its-turn' && attempt.parsed !== undefined) await recheckTurn(options, attempt.parsed);
  return delayed;
}

/** Records the permanent failure and releases the job's turn. Resolves to false when that was not possible. */
async function recordFailure(options: ProcessorOptions, attempt: Attempt, error: unknown): Promise<boolean> {
  const { job, ports, now = Date.now } = options;
  const { queued, parsed, stored, log } = attempt;
  try {
    // Its failure is recorded already, or it has no place yet.
    if (error instanceof WorkerError && error.code === 'turn-over') return true;
    // It was closed elsewhere, or Redis lost it: the job that it follows from runs again, possibly with another follow-up under this id.
    if (stored !== undefined && !isDeepStrictEqual(await options.openJobs.find(stored.id), stored))
      return true;
    if (error instanceof EnvelopeError) await options.reject(rejectedOf(job, queued, error, now()));
    if (parsed !== undefined) {
      await job.onEnd?.(parsed.payload, { kind: 'failed', reason: messageOf(error) }, ports);
    }
    const lane = stored?.lane ?? parsed?.lane;
    // A job that was opened after this attempt began stays open.
    if (stored !== undefined || lane !== undefined) {
      await closeFailed(options, { id: parsed?.id ?? queued.id ?? '', lane });
    }
    if (error instanceof WorkerError && error.code === 'stalled') await resetStalls(queued);
    return true;
  } catch (problem) {
    log.warn(
      { reason: messageOf(problem) },
      'a permanent failure could not be recorded; it is recorded later',
    );
    return false;
  }
}

/** An ending that cannot be reported does not stop the job. */
async function reportEnding(
  { job, ports }: ProcessorOptions,
  { parsed, log }: Attempt,
  ending: AttemptEnding,
): Promise<void> {
  try {
    if (parsed !== undefined) await job.onEnd?.(parsed.payload, ending, ports);
  } catch (problem) {
    log.warn({ reason: messageOf(problem) }, 'the end of an attempt could not be recorded');
  }
}

async function delay(
  { now = Date.now }: ProcessorOptions,
  { queued, token }: Attempt,
  delayMs: number,
): Promise<DelayedError> {
  await queued.moveToDelayed(now() + delayMs, token);
  return new DelayedError();
}

function keyOf({ data, id }: QueuedJob): string {
  const key: unknown = typeof data === 'object' && data !== null && 'key' in data ? data.key : undefined;
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
