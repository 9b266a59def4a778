import type { Job } from 'bullmq';

/** A job that workers died under as often as this is taken to be what kills them. */
export const MAX_STALLS = 3;

/** How often a worker died under the job since it was given up for that. BullMQ counts over its whole life. */
export function stallsOf({ stalledCounter, progress }: Job): number {
  return stalledCounter - (isForgiven(progress) ? progress.forgivenStalls : 0);
}

/** An operator who has a failed job run again gives it all its lives back. */
export async function forgiveStalls(job: Job): Promise<void> {
  await job.updateProgress({ forgivenStalls: job.stalledCounter } satisfies Forgiven);
}

interface Forgiven {
  readonly forgivenStalls: number;
}

function isForgiven(progress: unknown): progress is Forgiven {
  return typeof progress === 'object' && progress !== null && 'forgivenStalls' in progress;
}
