import type { FollowUp } from '../jobs/follow-up.ts';
import type { JobRun, SpentOutcomes } from '../jobs/job.ts';
import type { OpenJob } from '../model/queue/open-job.ts';

export interface StoredOutcome {
  /** `null` when the outcome is spent. */
  readonly result: unknown;
  /** Empty when the outcome is spent. */
  readonly next: readonly FollowUp[];
}

export interface OutcomeReader {
  read(job: string, key: string): Promise<StoredOutcome | undefined>;
  has(job: string, key: string): Promise<boolean>;
}

/** Circumstances of a run, for the store. */
export interface RunCircumstances {
  /** The jobs that follow: open from now on. */
  readonly follows: readonly OpenJob<FollowUp>[];
  /** When the run began; ms since 1970. */
  readonly startedAt: number;
}

/** Where outcomes are saved: the first one under a job and key stays, and only that one has effects. */
export interface Outcomes extends OutcomeReader {
  save(
    job: string,
    key: string,
    run: JobRun<unknown>,
    circumstances: RunCircumstances,
  ): Promise<
    | { readonly status: 'saved' }
    | { readonly status: 'already-there'; readonly outcome: StoredOutcome }
    | { readonly status: 'state-moved' }
  >;
  spend(spent: SpentOutcomes): Promise<void>;
}
