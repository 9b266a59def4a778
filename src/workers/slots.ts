import pLimit, { type LimitFunction } from 'p-limit';

/** Limits of concurrency that the runtimes of one process share: each runs the jobs of one shard. */
export interface Slots {
  /** How many of `concurrency` jobs one runtime claims, so that jobs do not wait here while another process is idle. */
  share(concurrency: number): number;
  /** Runs at most `concurrency` jobs of a name in this process. */
  limitOf(job: string, concurrency: number): LimitFunction;
}

export function createSlots(runtimes: number): Slots {
  const limits = new Map<string, LimitFunction>();
  return {
    share: (concurrency) => Math.ceil(concurrency / runtimes),
    limitOf(job, concurrency) {
      const limit = limits.get(job) ?? pLimit(concurrency);
      limits.set(job, limit);
      return limit;
    },
  };
}
