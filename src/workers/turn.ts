import type { OpenedJob, ProcessorOptions } from './attempt.ts';
import { WorkerError } from './errors.ts';
import { promoteJob } from './queued-jobs.ts';

/**
 * Returns when it is the job's turn in its lane, or when it has an outcome that only has to be acted on. Throws
 * `WorkerError`: `not-its-turn`, or `turn-over` when it has no place.
 */
export async function requireTurn(
  { job, openJobs, outcomes, ports }: ProcessorOptions,
  { id, key, payload, lane }: OpenedJob,
): Promise<void> {
  if (lane === undefined) return;
  const turn = await openJobs.turn({ lane, id });
  if (turn.kind === 'first' || (await outcomes.has(job.name, key))) return;
  if (turn.kind === 'absent') {
    const why = 'it was given up before, or what it follows from is not in the store';
    throw new WorkerError('turn-over', `${job.name} "${key}" has no place in ${lane}: ${why}`);
  }
  await job.whileWaiting?.(payload as never, ports);
  throw new WorkerError('not-its-turn', `${job.name} "${key}" waits for another one of ${lane}`);
}

/** Closes a job that is done and wakes whoever is next. Throws `outcome-lost` when Redis does not have its outcome. */
export async function closeCompleted(options: ProcessorOptions, { id, key, lane }: OpenedJob): Promise<void> {
  const { job, openJobs } = options;
  const closing = await openJobs.close({ id, lane, outcome: { job: job.name, key } });
  if (closing.kind === 'outcome-missing') {
    throw new WorkerError(
      'outcome-lost',
      `the outcome of ${job.name} "${key}" was saved and is not in the store`,
    );
  }
  await promoteNext(options, closing.next);
}

/** Closes a job that is given up and wakes whoever is next. */
export async function closeFailed(
  options: ProcessorOptions,
  { id, lane }: Pick<OpenedJob, 'id' | 'lane'>,
): Promise<void> {
  const closing = await options.openJobs.close({ id, lane });
  if (closing.kind === 'closed') await promoteNext(options, closing.next);
}

/**
 * To be called when a job has been put off. Its turn may have come while it was: whoever woke the next one found it still
 * at work.
 */
export async function recheckTurn(options: ProcessorOptions, opened: OpenedJob | undefined): Promise<void> {
  if (opened?.lane === undefined) return;
  const { id, lane } = opened;
  if ((await options.openJobs.turn({ lane, id })).kind === 'first') await promoteNext(options, id);
}

async function promoteNext({ flow, job }: ProcessorOptions, id: string | undefined): Promise<void> {
  if (id !== undefined) await promoteJob(flow.queues.get(job.name), id);
}
