import { type Processor, type Job as QueuedJob, WaitingError } from 'bullmq';
import { sealEnvelope } from '../jobs/envelope.ts';
import { type Attempt, beginAttempt, idTaken, type ParsedJob, type ProcessorOptions } from './attempt.ts';
import { WorkerError } from './errors.ts';
import { handleFailure } from './handle-failure.ts';
import { MAX_STALLS, stallsOf } from './queued-jobs.ts';
import { runJob } from './run-job.ts';
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
      if (isLost(error, queued)) {
        queued.opts.removeOnComplete = true;
        attempt.log.warn(
          { key: attempt.parsed?.key },
          'job dropped: the outcome that it follows from is lost',
        );
        return;
      }
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
    const { job, ports } = options;
    options.completed.add({
      // Another program may have queued it under another id.
      followUp: { job: job.name, ...sealEnvelope(job, parsed.payload) },
      hasInput: async () => (await job.hasInput?.(parsed.payload, ports)) !== false,
    });
  }
}

/**
 * Whether Redis has lost what opened a job that never failed. The job that it follows from runs again and opens it again, or does not,
 * so that it must not stay in the list of failed jobs.
 */
function isLost(error: unknown, { attemptsMade }: QueuedJob): boolean {
  return error instanceof WorkerError && error.code === 'turn-over' && attemptsMade === 0;
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
  const { open, claim: claimed } = await other.openJobs.begin({
    id,
    ownId: id,
    lane: undefined,
    outcome,
    claim,
  });
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
