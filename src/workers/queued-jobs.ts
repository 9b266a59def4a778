import { ErrorCode, type Job, type Queue } from 'bullmq';

/** Runs a delayed job now. Does nothing when the job is absent or in any other state. */
export async function promoteJob(queue: Queue | undefined, id: string): Promise<void> {
  const job = await queue?.getJob(id);
  if (job !== undefined) await ignoreMoved(job.promote());
}

/** Makes sure that a queue holds a job, neither completed nor failed. */
export async function ensureQueued(
  queue: Queue | undefined,
  id: string,
  add: () => Promise<unknown>,
): Promise<'queued-already' | 'added' | 'restarted'> {
  const job = await queue?.getJob(id);
  if (job === undefined) {
    await add();
    return 'added';
  }
  if (job.finishedOn === undefined) return 'queued-already';
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
