import { isDeepStrictEqual } from 'node:util';
import type { Processor, Job as QueuedJob } from 'bullmq';
import { DelayedError, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import { EnvelopeError, sealEnvelope } from '../jobs/envelope.ts';
import { JobError } from '../jobs/errors.ts';
import { type AnyJob, type AttemptEnding, spentBy } from '../jobs/job.ts';
import { messageOf } from '../model/errors.ts';
import { isObject } from '../model/json-object.ts';
import type { Attempt, ParsedJob, ProcessorOptions } from './attempt.ts';
import { beginAttempt, idTaken, refuse } from './attempt.ts';
import { WorkerError } from './errors.ts';
import { DEFAULT_WAITING, endingOf, failureOf } from './failure.ts';
import { MAX_STALLS, resetStalls, stallsOf } from './queued-jobs.ts';
import { runJob } from './run-job.ts';
import { closeFailed, recheckTurn, requireTurn } from './turn.ts';

/** Processes one job, from its envelope to its enqueued follow-ups. */
export function createProcessor(options: ProcessorOptions): Processor {
  const { job, limits, log, shutdown } = options;
  return async (queued, token, lockLost) => {
    // Options that a producer set do not apply: the job defines its attempts, and failed jobs are kept for operators.
    queued.opts.attempts = limits.attempts;
    queued.opts.backoff = { type: 'by-error' };
    queued.opts.removeOnFail = false;
    const attempt: Attempt = { queued, token, log: log.child({ job: job.name, jobId: queued.id }) };
    try {
      await processJob(options, attempt, lockLost);
      // Nothing is left to do. BullMQ does not complete a job whose children were queued again, and it must not stay in the list of failed jobs.
      queued.opts.removeOnFail = true;
    } catch (error) {
      if (shutdown.aborted) throw await returnToQueue(attempt);
      throw await handleFailure(options, attempt, error);
    }
  };
}

async function processJob(
  options: ProcessorOptions,
  attempt: Attempt,
  lockLost: AbortSignal | undefined,
): Promise<void> {
  const { limits, now = Date.now } = options;
  const { queued, log } = attempt;
  const { parsed, begun } = await beginAttempt(options, attempt);
  if (await forwardJob(options, parsed)) return;
  attempt.parsed = parsed;
  await requireTurn(options, parsed, begun);
  await runJob(options, {
    parsed,
    log,
    lockLost,
    mayBeDone: begun.hasOutcome,
    wanted:
      parsed.content === undefined
        ? { queue: options.job.name, id: queued.id ?? '', isOpen: attempt.stored !== undefined }
        : undefined,
    isFirst: queued.attemptsStarted <= 1,
    lastAttempt: queued.attemptsMade + 1 >= limits.attempts,
    stalled: stallsOf(queued) >= MAX_STALLS,
    waited: waitOf(attempt, now()),
  });
  // One that was done before may follow from another job, which closed it: only requests certainly do not.
  const isRoot = !begun.hasOutcome || parsed.content !== undefined;
  const { job, ports } = options;
  if (attempt.stored === undefined && queued.parentKey === undefined && isRoot && keepsOutcome(job, parsed)) {
    options.completed.add({
      // Another program may have queued it under another id.
      followUp: { job: job.name, ...sealEnvelope(job, parsed.payload) },
      hasInput: async () => (await job.hasInput?.(parsed.payload, ports)) !== false,
    });
  }
}

/** Whether the outcome of a job stays when it is done. Of others nothing shows whether Redis lost it. */
function keepsOutcome(job: AnyJob, { key, payload }: ParsedJob): boolean {
  return spentBy(job, key, payload)?.removed.every((one) => one.job !== job.name) !== false;
}

/**
 * Whether nothing waits for the job any more. Redis has lost what opened it: the job that it follows from runs again and opens it again, or
 * does not. Or another worker has ended the job, and what it reads is gone, or the job that waits for it is done. Then it must not stay in
 * the list of failed jobs.
 */
async function isLost({ openJobs, flow }: ProcessorOptions, error: unknown, { queued, stored }: Attempt) {
  if (error instanceof WorkerError && error.code === 'not-wanted') return true;
  if (error instanceof WorkerError && error.code === 'turn-over') return queued.attemptsMade === 0;
  const { parent } = queued;
  // What cannot be read now may be there.
  if (error instanceof JobError && error.code === 'facts-missing')
    return stored === undefined || (await openJobs.find(stored.id).catch(() => stored)) === undefined;
  if (parent?.id === undefined) return false;
  const queue = flow.queues.get(parent.queueKey.slice(flow.prefix.length + 1));
  const waiting = await queue?.getJob(parent.id).catch(() => queued);
  return waiting === undefined || waiting.finishedOn !== undefined;
}

/** The wait of a first attempt that waited for nothing but a worker: not for its children, another attempt or its turn. */
function waitOf({ queued, stored }: Attempt, time: number): { readonly waitedMs?: number } {
  const { attemptsStarted, timestamp, opts } = queued;
  if (attemptsStarted > 1 || stored?.children !== undefined) return {};
  return { waitedMs: Math.max(0, time - timestamp - (opts.delay ?? 0)) };
}

async function returnToQueue({ queued, token, parsed, log }: Attempt): Promise<WaitingError> {
  await queued.moveToWait(token);
  log.info({ key: parsed?.key ?? queued.id }, 'job returned to its queue');
  return new WaitingError();
}

/**
 * Moves a job whose target another shard has to the queue of that shard, where it stays open until it is done. Resolves to false
 * for a job of this shard. May be repeated: its id is the same there.
 */
async function forwardJob(options: ProcessorOptions, parsed: ParsedJob): Promise<boolean> {
  const { job, flow, openJobs, log } = options;
  const { id, key, payload, lane, content } = parsed;
  const target = job.target?.(payload);
  const other = target === undefined ? undefined : options.shardOf?.(target);
  if (other === undefined) return false;
  const data = sealEnvelope(job, payload);
  const claim = content === undefined ? undefined : { scan: key, content };
  const outcome = { job: job.name, key };
  const beginning = { id, ownId: id, lane: undefined, outcome, claim };
  const { open, claim: claimed } = await other.openJobs.begin(beginning);
  if (claimed === 'taken') throw idTaken(parsed);
  if (open === undefined) await other.openJobs.open({ id, job: job.name, data });
  await flow.producer.add({
    name: job.name,
    queueName: job.name,
    prefix: other.prefix,
    data,
    opts: { jobId: id },
  });
  await openJobs.close({ id, lane });
  log.debug({ job: job.name, key, prefix: other.prefix }, 'job moved to the shard of its target');
  return true;
}

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
async function handleFailure(options: ProcessorOptions, attempt: Attempt, error: unknown): Promise<Error> {
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
    if (await isLost(options, error, attempt)) {
      queued.opts.removeOnFail = true;
      log.warn({ key, reason }, 'job dropped: nothing waits for it');
      return new UnrecoverableError(failure.message);
    }
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
  const { job, ports } = options;
  const { queued, parsed, stored, log } = attempt;
  try {
    // Its failure is recorded already, or it has no place yet.
    if (error instanceof WorkerError && error.code === 'turn-over') return true;
    // It was closed elsewhere, or Redis lost it: the job that it follows from runs again, possibly with another follow-up under this id.
    if (stored !== undefined && !isDeepStrictEqual(await options.openJobs.find(stored.id), stored))
      return true;
    if (error instanceof EnvelopeError) await refuse(options, queued, error);
    if (parsed !== undefined) {
      await job.onEnd?.(parsed.payload, { kind: 'failed', reason: messageOf(error) }, ports);
    }
    const lane = stored?.lane ?? parsed?.lane;
    // A job that was opened after this attempt began stays open.
    if (stored !== undefined || lane !== undefined || parsed?.content !== undefined) {
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
  const key = isObject(data) ? data['key'] : undefined;
  return typeof key === 'string' ? key : (id ?? '');
}
