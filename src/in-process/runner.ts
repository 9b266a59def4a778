import type { AnyJob } from '../jobs/job.ts';
import type { StoredFollowUp } from '../model/queue/follow-up.ts';
import { type AttemptOptions, createJobAttempts } from './job-attempts.ts';

export interface RunnerOptions extends AttemptOptions {
  readonly jobs: readonly AnyJob[];
}

/**
 * Runs a job: its children before it, what follows from it after it. Resolves when all of that is done or has failed
 * permanently; rejects with the reason of the signal.
 */
export type Runner = (work: StoredFollowUp) => Promise<void>;

/** The runtime of jobs without a queue: everything happens in this process, and ends with it. */
export function createRunner({ jobs, ...options }: RunnerOptions): Runner {
  const known = new Map(jobs.map((job) => [job.name, { job, attempts: createJobAttempts(options, job) }]));
  const lanes = createLanes();
  const run: Runner = async ({ job: name, key, payload, children = [] }) => {
    const found = known.get(name);
    if (found === undefined) throw new RangeError(`no job is named "${name}"`);
    const { job, attempts } = found;
    // Its place in the lane is that of the outcome that it follows from, so it is taken before anything is awaited.
    const turn = lanes.join(job.lane?.(payload));
    try {
      await Promise.all(children.map(run));
      await turn.begins;
      const next = await attempts(key ?? job.key(payload), payload);
      turn.end();
      await Promise.all(next.map(run));
    } finally {
      turn.end();
    }
  };
  return run;
}

interface Turn {
  readonly begins: Promise<void>;
  end(): void;
}

/** Places in lanes: the turn of each begins when the one before it ends. */
function createLanes(): { join(lane: string | undefined): Turn } {
  const last = new Map<string, Promise<void>>();
  return {
    join(lane) {
      if (lane === undefined) return { begins: Promise.resolve(), end: () => {} };
      const { promise, resolve } = Promise.withResolvers<void>();
      const begins = last.get(lane) ?? Promise.resolve();
      last.set(lane, promise);
      return { begins, end: resolve };
    },
  };
}
