import { z } from 'zod';
import type { DeliveryIdentity, FiledDelivery } from '../alert/delivery.ts';
import type { DigestEntry } from '../alert/notification.ts';
import type { Routing } from '../alert/routing.ts';
import type { LedgerNote } from '../fleet/ledger.ts';
import type { LoggedChanges } from '../fleet/logged-changes.ts';
import type { Cadence, RefreshRecord } from '../fleet/refresh.ts';
import type { TargetLockfile, TargetSummary } from '../fleet/target-summary.ts';
import type { PendingFact } from '../ports/shared-state.ts';
import type { TargetState } from '../scan/change.ts';
import type { ResolvedLockfile } from '../scan/inventory.ts';
import type { ScanRecordUpdate } from '../scan/scan-record.ts';
import type { StoredKind, ValueOf } from '../stored/kind.ts';
import type { WatchUpdate } from '../watch/schedule.ts';
import type { EndedJob, OpenJob } from './open-job.ts';
import { followUpSchema } from './open-job.ts';

/** The result of a job, and what follows from it. */
export type StoredOutcome = ValueOf<typeof outcomeSchema>;

export const outcomeSchema = z.object({
  /** Checked by its own kind; `null` once the outcome is spent and its value has expired. */
  result: z.unknown(),
  /** Version of the result's kind; 1 when absent. */
  resultVersion: z.number().exactOptional(),
  /** Empty once the outcome is spent and its value has expired. */
  next: z.array(followUpSchema),
});

/** A target's new state, saved together with the outcome or not at all. */
export interface TargetChange {
  readonly target: string;
  /** The revision it replaces; 0 when the target is new. If another one is stored, the job runs again. */
  readonly replaces: number;
  readonly state: TargetState;
  /** Changes that now wait for periodic digests. */
  readonly digests?: readonly DigestAddition[];
  /** Changed lockfiles; absent for a target without lockfiles, and when they did not change. */
  readonly lockfiles?: LockfileChange;
  /** The new summary; absent when it did not change. */
  readonly summary?: Omit<TargetSummary, 'lockfiles' | 'packages'>;
  /** The note for the ledger of the target; absent when neither its packages nor its findings changed. */
  readonly ledger?: LedgerNote;
  /** Changes for the log of the fleet. */
  readonly log?: LoggedChanges;
}

/** The lockfiles that a scan read. The store adds them to `lockfiles` of the state, with their inventories. */
interface LockfileChange {
  /** Lockfiles of the state that is replaced. */
  readonly before: readonly TargetLockfile[];
  readonly read: readonly ResolvedLockfile[];
}

export interface DigestAddition {
  readonly route: string;
  /** The store adds the revision of the state. */
  readonly entry: Omit<DigestEntry, 'revision'>;
}

/** Entries that a digest contains, removed together with its outcome, so that each is in exactly one digest. */
export interface DigestClaim {
  readonly route: string;
  /** Scans of the entries. */
  readonly taken: readonly string[];
}

/** Reserves a name for its holder. While another holder has it, the outcome is not saved, and the job runs again. */
export interface Claim {
  readonly name: string;
  readonly holder: string;
  /** Until it expires, in milliseconds; 0 releases it. */
  readonly ttlMs: number;
  /** The holder that the job saw. Any other one keeps the outcome from being saved, and the job runs again. */
  readonly replaces?: string | undefined;
  /** Renews the claim if it is held, and takes none. */
  readonly onlyHeld?: boolean;
}

/** Changes that jobs of the fleet refresh save together with their outcome. */
export interface FleetEffects {
  readonly claim?: Claim;
  /** A refresh that ended. */
  readonly refreshed?: { readonly cadence: Cadence; readonly record: RefreshRecord };
  /** The settings by which all targets are judged again: their hash, and their routes. */
  readonly settings?: { readonly hash: string; readonly routing: Routing };
  /** Revision of the suppressions by which all targets are judged again. */
  readonly suppressions?: string;
  /** Facts whose targets are selected, and targets that were due: they are no longer pending, unless they changed again. */
  readonly selected?: PendingFacts & { readonly due?: readonly DueTarget[] };
  /**
   * When this scan compared its facts with those of the fleet, in ms since 1970. What changed after that is pending again,
   * because the selection of its targets may not have seen the lockfiles of the scan.
   */
  readonly comparedAt?: number;
}

/** A target that is judged again at a time although nothing changed. */
export interface DueTarget {
  readonly target: string;
  /** In ms since 1970. */
  readonly dueAt: number;
}

/** Facts about package versions and advisories whose targets are not selected yet. */
export interface PendingFacts {
  readonly versions: readonly PendingFact[];
  readonly advisories: readonly PendingFact[];
}

/** Changes that are saved together with an outcome. */
export interface OutcomeEffects {
  readonly state?: TargetChange | DigestClaim;
  /** Deliveries among the follow-ups: each stays listed until it is delivered. */
  readonly deliveries?: readonly FiledDelivery[];
  /** A delivery that this job completed. */
  readonly delivered?: DeliveryIdentity;
  /** Fields to set in the record of the scan. */
  readonly record?: ScanRecordUpdate;
  /** Changes of the records of schedules. */
  readonly watch?: WatchUpdate;
  readonly fleet?: FleetEffects;
}

/** A run whose only follow-up ran directly after it. It changes no state and nothing of the fleet. */
export interface PrecedingRun {
  readonly job: string;
  readonly key: string;
  readonly run: StoredOutcome & Omit<OutcomeEffects, 'state' | 'fleet'>;
  /** `follows`: the follow-up, which stays open when jobs follow from it. `ends`: the job is closed when none do. */
  readonly circumstances: Omit<RunCircumstances, 'after'>;
}

export interface RunCircumstances {
  /** The run that this one follows directly. Both outcomes are saved, or none when one of them exists or the state moved. */
  readonly after?: PrecedingRun | undefined;
  /** The jobs that follow: open from now on. */
  readonly follows?: readonly OpenJob[];
  /** The job itself, when nothing follows: it is closed with its outcome. */
  readonly ends?: EndedJob | undefined;
  /** The outcome is saved only while this job is still there. */
  readonly wanted?: WantedJob | undefined;
  /** When the run began; ms since 1970. */
  readonly startedAt?: number;
  /** The kind of the result; absent for a result that nothing reads. */
  readonly resultKind?: StoredKind<unknown> | undefined;
}

/**
 * A job that runs and that no other program requested. It is open, as when it began, or else in its queue. Otherwise another worker has
 * ended it, and nothing would ever delete its outcome.
 */
export interface WantedJob {
  readonly queue: string;
  readonly id: string;
  readonly isOpen: boolean;
}

type SaveAnswer =
  /** `next`: id of the job that is first in the lane of the closed job now. */
  | { readonly status: 'saved'; readonly next?: string | undefined }
  | { readonly status: 'already-there'; readonly outcome: StoredOutcome }
  | { readonly status: 'state-moved' | 'not-wanted' };

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
}
