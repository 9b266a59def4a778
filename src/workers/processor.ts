import { type Processor, WaitingError } from 'bullmq';
import type { Attempt, ProcessorOptions } from './attempt.ts';
import { beginAttempt } from './begin.ts';
import { forwardJob } from './forward.ts';
import { handleFailure } from './handle-failure.ts';
import { runJob } from './run-job.ts';
import { MAX_STALLS, stallsOf } from './stalls.ts';
import { requireTurn } from './turn.ts';

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
    isFirst: queued.attemptsStarted <= 1,
    lastAttempt: queued.attemptsMade + 1 >= limits.attempts,
    stalled: stallsOf(queued) >= MAX_STALLS,
    waited: waitOf(attempt, now()),
  });
  if (attempt.stored === undefined && queued.parentKey === undefined) {
    options.completed.add({ job: options.job.name, ...queued.data });
  }
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
