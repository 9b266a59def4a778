import { type Processor, WaitingError } from 'bullmq';
import type { StoredFollowUp } from '../model/queue/follow-up.ts';
import type { Attempt, ProcessorOptions } from './attempt.ts';
import { attemptSignal } from './attempt-signal.ts';
import { beginAttempt } from './begin.ts';
import { addFollowUps, enqueueFollowUps, openJobsOf } from './flow.ts';
import { forwardJob } from './forward.ts';
import { handleFailure } from './handle-failure.ts';
import { runOnce } from './run-once.ts';
import { MAX_STALLS, stallsOf } from './stalls.ts';
import { closeCompleted, releaseTurn, requireTurn } from './turn.ts';

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
  const { job, limits, outcomes, ports, flow, shutdown, onEvent, now = Date.now } = options;
  const { queued, log } = attempt;
  const { parsed, begun } = await beginAttempt(options, attempt);
  attempt.parsed = parsed;
  const { id, key, payload, lane } = parsed;
  if (await forwardJob(options, parsed)) return;
  await requireTurn(options, parsed, begun);
  const what = `${job.name} "${key}"`;
  const limit = attemptSignal({ what, timeoutMs: limits.timeoutMs, shutdown, lockLost });
  onEvent?.({ kind: 'started', job: job.name, key, ...waitOf(attempt, now()) });
  log.debug({ key }, 'job started');
  const startedAt = now();
  const follows = (next: readonly StoredFollowUp[]) => openJobsOf(flow.jobs, next);
  const ends = { id, lane, spent: job.spent?.(payload) };
  const closing = job.onEnd === undefined || job.endsWithOutcome === true ? { ends } : {};
  const work = { job, key, payload, startedAt, openJobsOf: follows, mayBeDone: begun.hasOutcome, ...closing };
  const { result, next, isNew, closed } = await runOnce(work, outcomes, ports, {
    startedAt,
    signal: limit.signal,
    lastAttempt: queued.attemptsMade + 1 >= limits.attempts,
    stalled: stallsOf(queued) >= MAX_STALLS,
    progress: (progress) => onEvent?.({ kind: 'progress', job: job.name, key, progress }),
  }).finally(limit.release);
  if (closed === undefined) {
    if (isNew) await addFollowUps(flow, next);
    else await enqueueFollowUps(flow, next);
    if (!(isNew && job.endsWithOutcome === true)) await job.onEnd?.(payload, { kind: 'done' }, ports);
    await closeCompleted(options, { ...ends, key });
  } else await releaseTurn(options, closed.next);
  const durationMs = now() - startedAt;
  onEvent?.({ kind: 'finished', job: job.name, key, durationMs, ...(isNew ? { result } : {}) });
  const { facts, warning } = result === null ? {} : (job.log?.(payload, result) ?? {});
  const line = { key, ...facts, followUps: next.length, durationMs };
  if (warning === undefined) log.info(line, 'job finished');
  else log.warn(line, `job finished: ${warning}`);
}

/** Only for a first attempt that waited for nothing but a worker: not for its children, another attempt or its turn. */
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
