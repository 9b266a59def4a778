import type { Job } from 'bullmq';

/** After so many workers died while they ran a job, the job is considered the cause. */
export const MAX_STALLS = 3;

/** How often a worker died while running the job since its last permanent failure. BullMQ's counter is never reset. */
export function stallsOf({ stalledCounter, progress }: Job): number {
  return stalledCounter - (hasReset(progress) ? progress.forgivenStalls : 0);
}

/** Resets the count, so that a job which an operator retries gets all its attempts back. */
export async function resetStalls(job: Job): Promise<void> {
  await job.updateProgress({ forgivenStalls: job.stalledCounter } satisfies StallReset);
}

interface StallReset {
  readonly forgivenStalls: number;
}

function hasReset(progress: unknown): progress is StallReset {
  return typeof progress === 'object' && progress !== null && 'forgivenStalls' in progress;
}
