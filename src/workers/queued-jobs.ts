import { ErrorCode, type Job, type Queue } from 'bullmq';

/** Has a job that was put off run now. One that is not there, runs, waits to run or is done is left alone. */
export async function promoteJob(queue: Queue | undefined, id: string): Promise<void> {
  const job = await queue?.getJob(id);
  if (job !== undefined) await unlessMoved(job.promote());
}

/** Sees to it that a queue holds a job, and not as one that is done or failed. */
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

/** Has a job run again that its queue takes for done or failed. One in any other state is left alone. */
export async function retryFinished(job: Job): Promise<void> {
  const state = (await job.isFailed()) ? 'failed' : 'completed';
  await unlessMoved(job.retry(state, { resetAttemptsMade: true, resetAttemptsStarted: true }));
}

/** Others may be faster between our looking and our acting. */
async function unlessMoved(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code !== ErrorCode.JobNotInState && code !== ErrorCode.JobNotExist) throw error;
  }
}
