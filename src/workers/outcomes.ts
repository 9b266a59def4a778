import type { FollowUp } from '../jobs/follow-up.ts';
import type { DigestTaking, StateChange } from '../jobs/job.ts';
import type { OpenJob } from '../model/open-job.ts';

export interface StoredOutcome {
  readonly result: unknown;
  readonly next: readonly FollowUp[];
}

export interface OutcomeReader {
  read(job: string, key: string): Promise<StoredOutcome | undefined>;
  has(job: string, key: string): Promise<boolean>;
}

/** Where outcomes are saved: the first one under a job and key stays, and opens what follows from it. */
export interface Outcomes extends OutcomeReader {
  save(
    job: string,
    key: string,
    outcome: StoredOutcome,
    state?: StateChange | DigestTaking,
    follows?: readonly OpenJob<FollowUp>[],
  ): Promise<
    | { readonly status: 'saved' }
    | { readonly status: 'already-there'; readonly outcome: StoredOutcome }
    | { readonly status: 'state-moved' }
  >;
}
