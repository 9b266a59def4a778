import type { AnyJob, RunContext } from '../jobs/job.ts';
import type { Ports } from '../jobs/ports.ts';
import type { StoredFollowUp } from '../model/queue/follow-up.ts';
import type { EndedJob, OpenJob } from '../model/queue/open-job.ts';
import type { Outcomes, PrecedingRun, StoredOutcome } from '../model/queue/outcome.ts';
import { raceAbort } from '../model/race-abort.ts';
import { WorkerError } from './errors.ts';
import { MAX_STALLS } from './stalls.ts';

export interface Work {
  readonly job: AnyJob;
  readonly key: string;
  readonly payload: unknown;
  /** ms since 1970. */
  readonly startedAt: number;
  /** The follow-ups as open jobs. */
  readonly openJobsOf: (next: readonly StoredFollowUp[]) => readonly OpenJob[];
  /** False when the caller knows that there was no outcome when the attempt began. */
  readonly mayBeDone: boolean;
  /** Closed with the outcome when nothing follows. Absent for a job that has more to do then. */
  readonly ends?: EndedJob;
  /** Runs the only follow-up and saves both outcomes. Resolves to `undefined` when the outcome has to be saved alone. */
  readonly runFollowUp?: ((run: PrecedingRun) => Promise<JobOutcome | undefined>) | undefined;
  /** The run that this one follows directly: both outcomes are saved, or none. */
  readonly after?: PrecedingRun | undefined;
}

/** The saved outcome of a job. */
export interface JobOutcome extends StoredOutcome {
  /** The follow-ups as open jobs, when this run saved it: they were never queued. */
  readonly opened?: readonly OpenJob[];
  /** Present when the job was closed with its outcome. `next`: the first job of its lane now. */
  readonly closed?: { readonly next: string | undefined };
}

const STATE_RACES = 5;

/**
 * Runs a job unless its outcome exists, and saves what it returns. Resolves to the saved outcome, which is another worker's
 * when that one was saved first (single assignment).
 */
export async function runOnce(
  work: Work,
  outcomes: Outcomes,
  ports: Ports,
  context: RunContext,
): Promise<JobOutcome> {
  const { job, key, payload, startedAt, openJobsOf, mayBeDone, ends, after } = work;
  const known = mayBeDone ? await outcomes.read(job.name, key) : undefined;
  if (known !== undefined) return known;
  if (context.stalled && job.runsAfterStalls !== true) {
    throw new WorkerError(
      'stalled',
      `${job.name} "${key}" failed permanently: ${MAX_STALLS} workers died while they ran it`,
    );
  }
  for (let race = 0; race < STATE_RACES; race += 1) {
    context.signal.throwIfAborted();
    // A port that ignores the signal must not block the job; nothing that it does later is saved.
    const finished = await raceAbort(job.run(payload, ports, context), context.signal);
    const opened = openJobsOf(finished.next);
    const common = { follows: opened, startedAt, resultKind: job.resultKind };
    const run = { job: job.name, key, run: finished, circumstances: { ...common, ends } };
    const followed = await work.runFollowUp?.(run);
    if (followed !== undefined) return followed;
    const closing = finished.next.length === 0 ? ends : undefined;
    const answer = await outcomes.save(job.name, key, finished, { ...common, ends: closing, after });
    if (answer.status === 'saved') {
      const { next } = answer;
      return { ...finished, opened, ...(closing === undefined ? {} : { closed: { next } }) };
    }
    if (after !== undefined) {
      throw new WorkerError('state-moved', `${job.name} "${key}" cannot be saved together with ${after.job}`);
    }
    if (answer.status === 'already-there') return answer.outcome;
  }
  throw new WorkerError(
    'state-moved',
    `${job.name} "${key}": the state of its target changed ${STATE_RACES} times while it ran`,
  );
}
