import type { FiledDelivery } from '../alert/delivery.ts';
import type { DigestEntry } from '../alert/notification.ts';
import type { TargetState } from '../scan/change.ts';
import type { ScanRecordUpdate } from '../scan/scan-record.ts';
import type { StoredKind } from '../stored/kind.ts';
import type { StoredFollowUp } from './follow-up.ts';
import type { OpenJob } from './open-job.ts';

/** The result of a job, and what follows from it. */
export interface StoredOutcome {
  /** `null` once the outcome is spent and its value has expired. */
  readonly result: unknown;
  /** Version of the result's kind; 1 when absent. */
  readonly resultVersion?: number;
  /** Empty once the outcome is spent: what follows is done. */
  readonly next: readonly StoredFollowUp[];
}

export interface OutcomeName {
  readonly job: string;
  readonly key: string;
}

/** Outcomes that no job reads any longer. */
export interface SpentOutcomes {
  /** A marker stays, so that the job does not run again. */
  readonly marked: readonly OutcomeName[];
  /** Removed completely, because only jobs whose outcomes are marked create them. */
  readonly removed: readonly OutcomeName[];
}

/** A target's new state, saved together with the outcome or not at all. */
export interface TargetChange {
  readonly target: string;
  /** The revision it replaces; 0 when the target is new. If another one is stored, the job runs again. */
  readonly replaces: number;
  readonly state: TargetState;
  /** Changes that now wait for periodic digests. */
  readonly digests?: readonly DigestAddition[];
}

export interface DigestAddition {
  readonly route: string;
  readonly entry: DigestEntry;
}

/** Entries that a digest contains, removed together with its outcome, so that each is in exactly one digest. */
export interface DigestClaim {
  readonly route: string;
  /** Scans of the entries. */
  readonly taken: readonly string[];
}

/** What is saved together with an outcome. */
export interface OutcomeEffects {
  readonly state?: TargetChange | DigestClaim;
  /** Deliveries among the follow-ups: each stays listed until it is delivered. */
  readonly deliveries?: readonly FiledDelivery[];
  /** Fields to set in the record of the scan. */
  readonly record?: ScanRecordUpdate;
}

/** Circumstances of a run. */
export interface RunCircumstances {
  /** The jobs that follow: open from now on. */
  readonly follows?: readonly OpenJob[];
  /** When the run began; ms since 1970. */
  readonly startedAt?: number;
  /** Version of the result's kind; 1 when absent. */
  readonly resultVersion?: number | undefined;
}

type SaveAnswer =
  | { readonly status: 'saved' }
  | { readonly status: 'already-there'; readonly outcome: StoredOutcome }
  | { readonly status: 'state-moved' };

/** Outcomes of jobs: the first one saved under a job and key stays, and only that one has effects. */
export interface Outcomes {
  read(job: string, key: string): Promise<StoredOutcome | undefined>;
  /**
   * The checked result of a job; `null` once it is spent and its value has expired, `undefined` when there is no
   * outcome.
   */
  readResult<Result>(kind: StoredKind<Result>, job: string, key: string): Promise<Result | null | undefined>;
  /** Whether there is one, without reading it. */
  has(job: string, key: string): Promise<boolean>;
  save(
    job: string,
    key: string,
    run: StoredOutcome & OutcomeEffects,
    circumstances?: RunCircumstances,
  ): Promise<SaveAnswer>;
  /** Frees the memory of outcomes. May be repeated. */
  spend(spent: SpentOutcomes): Promise<void>;
}
