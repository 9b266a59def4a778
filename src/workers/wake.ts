import { ErrorCode, type Job, type Queue } from 'bullmq';

/** Has a job that was put off run now. One that runs, waits to run or is done is left alone. */
export async function wake(queue: Queue | undefined, id: string): Promise<void> {
  const job = await queue?.getJob(id);
  if (job !== undefined && (await job.isDelayed())) await unlessMoved(job.promote());
}

/** Has the job run that others wait for, should the queue itself have given it up (its workers died again and again). */
export async function revive(queue: Queue | undefined, id: string): Promise<void> {
  const job: Job | undefined = await queue?.getJob(id);
  if (job !== undefined && (await job.isFailed())) {
    await unlessMoved(job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true }));
  }
}

/** Somebody else may be faster between our looking and our acting. */
async function unlessMoved(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code !== ErrorCode.JobNotInState && code !== ErrorCode.JobNotExist) throw error;
  }
}
