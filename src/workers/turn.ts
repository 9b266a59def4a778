import type { BegunJob, ClosedJob } from '../model/queue/open-job.ts';
import type { ParsedJob, ProcessorOptions } from './attempt.ts';
import { WorkerError } from './errors.ts';
import { promoteJob } from './queued-jobs.ts';

/**
 * Resolves when the job holds the turn of its lane, has no lane, or already has an outcome. Throws `WorkerError`:
 * `not-its-turn`, or `turn-over` when it has no place in the lane.
 */
export async function requireTurn(
  { job }: ProcessorOptions,
  { key, lane }: ParsedJob,
  { turn, hasOutcome }: BegunJob,
): Promise<void> {
  if (turn === undefined || turn.kind === 'first' || hasOutcome) return;
  if (turn.kind === 'absent') {
    const why = 'it failed permanently before, or the outcome that it follows from is not in the store';
    throw new WorkerError('turn-over', `${job.name} "${key}" has no place in ${lane}: ${why}`);
  }
  throw new WorkerError('not-its-turn', `${job.name} "${key}" waits for another job of ${lane}`);
}

/**
 * Closes a completed job together with those that ran directly after it, frees outcomes and releases its turn. Throws `outcome-lost`
 * when the outcome of one is not in Redis: then all stay open.
 */
export async function closeCompleted(
  options: ProcessorOptions,
  job: ClosedJob,
  others: readonly ClosedJob[],
): Promise<void> {
  const closing = await options.openJobs.close(job, others);
  if (closing.kind === 'outcome-missing') {
    const names = [job, ...others].map(({ outcome }) => `${outcome?.job} "${outcome?.key}"`);
    throw new WorkerError(
      'outcome-lost',
      `the outcome of ${names.join(' or ')} was saved but is no longer in the store`,
    );
  }
  await releaseTurn(options, closing.next);
}

/** Closes a job that failed permanently and releases its turn. */
export async function closeFailed(
  options: ProcessorOptions,
  { id, lane }: Pick<ParsedJob, 'id' | 'lane'>,
): Promise<void> {
  const closing = await options.openJobs.close({ id, lane });
  if (closing.kind === 'closed') await releaseTurn(options, closing.next);
}

/**
 * Call it after a job was delayed because it does not hold the turn. When the turn was released to it meanwhile, the job was
 * still active and could not be promoted.
 */
export async function recheckTurn(options: ProcessorOptions, { id, lane }: ParsedJob): Promise<void> {
  if (lane === undefined) return;
  if ((await options.openJobs.turn({ lane, id })).kind === 'first') await releaseTurn(options, id);
}

/** Runs the job that is first in its lane now. */
export async function releaseTurn({ flow, job }: ProcessorOptions, next: string | undefined): Promise<void> {
  if (next !== undefined) await promoteJob(flow.queues.get(job.name), next);
}
