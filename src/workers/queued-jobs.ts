import { ErrorCode, type Job, type Queue } from 'bullmq';
import { isObject } from '../model/json-object.ts';

/** Runs a delayed job now. Does nothing when the job is absent, in any other state, or not wanted as it is now. */
export async function promoteJob(
  queue: Queue | undefined,
  id: string,
  isWanted: (job: Job) => boolean = () => true,
): Promise<void> {
  const job = await queue?.getJob(id);
  if (job !== undefined && isWanted(job)) await ignoreMoved(job.promote());
}

/**
 * Makes sure that a queue holds a job, neither completed nor failed, unless it has been closed meanwhile: then it was done after
 * the caller read that it is open.
 */
export async function ensureQueued(
  queue: Queue | undefined,
  id: string,
  { isOpen, add }: { readonly isOpen: () => Promise<boolean>; readonly add: () => Promise<unknown> },
): Promise<'queued-already' | 'closed' | 'added' | 'restarted'> {
  const job = await queue?.getJob(id);
  if (job !== undefined && job.finishedOn === undefined) return 'queued-already';
  if (!(await isOpen())) return 'closed';
  if (job === undefined) {
    await add();
    return 'added';
  }
  await retryFinished(job);
  return 'restarted';
}

/** Runs a completed or failed job again. Does nothing when the job is in any other state. */
export async function retryFinished(job: Job): Promise<void> {
  const state = (await job.isFailed()) ? 'failed' : 'completed';
  await ignoreMoved(job.retry(state, { resetAttemptsMade: true, resetAttemptsStarted: true }));
}

/** Another worker may have moved the job since it was read. */
async function ignoreMoved(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code !== ErrorCode.JobNotInState && code !== ErrorCode.JobNotExist) throw error;
  }
}

/** After so many workers died while they ran a job, the job is considered the cause. */
export const MAX_STALLS = 3;

/** How often a worker died while running the job since its last permanent failure. BullMQ's counter is never reset. */
export function stallsOf({ stalledCounter, progress }: Job): number {
  return stalledCounter - (isObject(progress) ? Number(progress['forgivenStalls'] ?? 0) : 0);
}

/** Resets the count, so that a job which an operator retries gets all its attempts back. */
export async function resetStalls(job: Job): Promise<void> {
  await job.updateProgress({ forgivenStalls: job.stalledCounter });
}
