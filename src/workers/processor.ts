import { type Processor, WaitingError } from 'bullmq';
import { openEnvelope } from '../jobs/envelope.ts';
import { jobIdOf } from '../jobs/job-id.ts';
import type { StoredFollowUp } from '../model/queue/follow-up.ts';
import type { Attempt, ParsedJob, ProcessorOptions } from './attempt.ts';
import { attemptSignal } from './attempt-signal.ts';
import { addFollowUps, enqueueFollowUps, openJobOf } from './flow.ts';
import { handleFailure } from './handle-failure.ts';
import { runOnce } from './run-once.ts';
import { MAX_STALLS, stallsOf } from './stalls.ts';
import { closeCompleted, requireTurn } from './turn.ts';

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
  const parsed = await parseJob(options, attempt);
  attempt.parsed = parsed;
  const { key, payload } = parsed;
  await requireTurn(options, parsed);
  const what = `${job.name} "${key}"`;
  const limit = attemptSignal({ what, timeoutMs: limits.timeoutMs, shutdown, lockLost });
  onEvent?.({ kind: 'started', job: job.name, key });
  log.debug({ key }, 'job started');
  const openJobsOf = (followUps: readonly StoredFollowUp[]) =>
    followUps.map((one) => openJobOf(flow.jobs, one));
  const startedAt = now();
  const work = { job, key, payload, startedAt, openJobsOf };
  const { result, next, isNew } = await runOnce(work, outcomes, ports, {
    startedAt,
    signal: limit.signal,
    lastAttempt: queued.attemptsMade + 1 >= limits.attempts,
    stalled: stallsOf(queued) >= MAX_STALLS,
    progress: (progress) => onEvent?.({ kind: 'progress', job: job.name, key, progress }),
  }).finally(limit.release);
  if (isNew) await addFollowUps(flow, next);
  else await enqueueFollowUps(flow, next);
  await job.onEnd?.(payload, { kind: 'done' }, ports);
  await closeCompleted(options, parsed);
  const spent = job.spent?.(payload);
  if (spent !== undefined) await outcomes.spend(spent);
  onEvent?.({ kind: 'finished', job: job.name, key });
  const { facts, warning } = result === null ? {} : (job.log?.(payload, result) ?? {});
  const line = { key, ...facts, followUps: next.length, durationMs: now() - startedAt };
  if (warning === undefined) log.info(line, 'job finished');
  else log.warn(line, `job finished: ${warning}`);
}

/** The stored open job takes precedence over the data in the queue: Redis may have lost part of either. */
async function parseJob({ job, openJobs }: ProcessorOptions, attempt: Attempt): Promise<ParsedJob> {
  const { queued } = attempt;
  const stored = await openJobs.find(queued.id ?? '');
  attempt.stored = stored;
  const { key, payload } = openEnvelope(job, stored?.data ?? queued.data);
  return { id: jobIdOf(job.name, key), key, payload, lane: stored?.lane ?? job.lane?.(payload) };
}

async function returnToQueue({ queued, token, parsed, log }: Attempt): Promise<WaitingError> {
  await queued.moveToWait(token);
  log.info({ key: parsed?.key ?? queued.id }, 'job returned to its queue');
  return new WaitingError();
}
