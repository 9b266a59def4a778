import type { AnyJob } from '../jobs/job.ts';
import type { StoredFollowUp } from '../model/queue/follow-up.ts';
import { type AttemptOptions, createJobAttempts } from './job-attempts.ts';

export interface RunnerOptions extends AttemptOptions {
  readonly jobs: readonly AnyJob[];
}

/**
 * Runs a job, its children before it and its follow-ups after it. Resolves when all of them are done or have failed
 * permanently; rejects with the signal's reason.
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
    // Joins the lane before anything is awaited, so that the jobs of a lane run in the order of the outcomes that they
    // follow from.
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
