import type { Fleet } from '../fleet/fleet.ts';
import type { LockfileLimits, LockfileRequest } from '../lockfiles/read-as.ts';
import type { DeliveryAnswer, DeliveryIdentity, DeliveryMove } from '../model/alert/delivery.ts';
import type { DigestEntry, Notification } from '../model/alert/notification.ts';
import type { Routing } from '../model/alert/routing.ts';
import type { ContractComparison } from '../model/api/contract.ts';
import type { ExploitData, FeedName } from '../model/exploits/exploit-data.ts';
import type { OpenAlert } from '../model/fleet/fleet-finding.ts';
import type { Lockfile } from '../model/lockfile/lockfile.ts';
import type { Insights } from '../model/ports/insights.ts';
import type { Facts, Inspections, KnownFixes, RefreshedFacts } from '../model/ports/shared-state.ts';
import type { ContentReference, TargetState } from '../model/scan/change.ts';
import type { Advisory, VersionRecordSummary } from '../model/scan/inventory.ts';
import type { Policy } from '../model/scan/policy.ts';
import type { ScanRecordUpdate } from '../model/scan/scan-record.ts';
import type { Suppression } from '../model/scan/suppression.ts';
import type { StoredKind } from '../model/stored/kind.ts';
import type {
  OpenTarget,
  Schedule,
  ScheduleRunReport,
  WatchedTarget,
  WatchUpdate,
} from '../model/watch/schedule.ts';
import type { SourceReading, SourceRevision, TargetSource } from '../model/watch/source.ts';

/** All access of jobs to the outside. Built in `compose/ports.ts`. */
export interface Ports {
  readonly blobs: {
    /** The content of a lockfile. Throws a coded error (`blob-missing`) when it is not stored. */
    read(reference: ContentReference): Promise<Buffer>;
    /** Whether all contents with these hashes are stored; they then stay stored for another time to live. */
    keep(hashes: readonly string[]): Promise<boolean>;
  };
  readonly lockfiles: {
    /**
     * Reads a lockfile within time and memory limits in proportion to its size. Rejects with a coded error when it cannot be
     * read, with the signal's reason when that aborts.
     */
    read(request: LockfileRequest, signal: AbortSignal): Promise<Lockfile>;
    /** Reserves this process for a target's large files until the result is called; `undefined` while another scan of it does so. */
    reserve?(target: string): (() => void) | undefined;
  };
  /** Limits on input from the configuration. */
  readonly limits: { readonly lockfile: LockfileLimits };
  readonly insights: Insights;
  readonly outcomes: OutcomePort;
  readonly targets: { read(target: string): Promise<TargetState | undefined> };
  readonly notifier: NotifierPort;
  readonly contracts: ContractPort;
  /** The record of every delivery. */
  readonly deliveries: {
    /** The notification stored under an id. */
    read(id: string): Promise<Notification | undefined>;
    /** Records the state of a delivery. `delivered` is final. */
    move(identity: DeliveryIdentity, move: DeliveryMove): Promise<void>;
  };
  readonly routing: { routing(): Routing };
  readonly policy: {
    policy(): Policy;
    /** The suppressions for all targets, in the order in which they apply. */
    suppressions(): Promise<readonly Suppression[]>;
  };
  readonly digests: {
    /** The changes that wait for the next periodic digest of a route, oldest scan first. */
    read(route: string): Promise<readonly DigestEntry[]>;
  };
  readonly scans: {
    /** Records that a scan failed permanently. May be repeated. */
    fail(record: ScanRecordUpdate): Promise<void>;
  };
  readonly reuse: ReusePort;
  /** The facts of the fleet: package versions by identity, advisories by id. */
  readonly facts: {
    readonly versions: Facts<VersionRecordSummary>;
    readonly advisories: Facts<Advisory> & Pick<RefreshedFacts<Advisory>, 'notAnswered'>;
  };
  readonly inspections: Inspections & { readonly mode: InspectionMode };
  /** Fixes for the whole fleet. `never`: this run computes advice in another way, or none. */
  readonly knownFixes: KnownFixes & { readonly mode: 'never' | 'apart' };
  readonly schedules: SchedulePort;
  readonly sources: SourcePort;
  readonly fleet: FleetPort;
  readonly exploits: ExploitPort;
}

/** The published lists about exploitation. */
export interface ExploitPort {
  /** The lists as they are now. A list that cannot be read is reported, and counts as one that was never imported. */
  current(): Promise<ExploitData>;
  /**
   * Reads a list from its configured URL and stores it; `osv`: the lists of changed advisories. Resolves to `undefined` for one without a
   * URL, and when the stored one is as new. Throws a coded error.
   */
  refresh(feed: FeedName | 'osv', signal: AbortSignal): Promise<RefreshedFeed | undefined>;
}

/** A list that was stored. */
export interface RefreshedFeed {
  readonly date: string;
  readonly entries: number;
  readonly rejected: number;
  /** Advisories whose issue was added to the catalogue, or that changed; their targets are judged again. */
  readonly newlyListed: number;
}

/** All targets together: their package versions, the refresh of what is known of them, and the targets that a change concerns. */
export interface FleetPort extends Fleet {
  /** Number of scans that wait for a worker. */
  waitingScans(): Promise<number>;
  /** Number of targets that a selection is about to judge again. */
  unjudgedTargets(): Promise<number>;
  /** The open alerts of all targets, each once. */
  openAlerts(): Promise<readonly OpenAlert[]>;
  /** The suppressions of `lockhound ignore` that were added or removed since the targets were judged by them. */
  changedSuppressions(): Promise<readonly Suppression[]>;
}

/** When package versions that are new are inspected: never, in jobs of their own, or before a scan is judged. */
export type InspectionMode = 'never' | 'apart' | 'before-judging';

/** When a scan of unchanged lockfiles repeats the result of the last one. */
export interface ReusePort {
  /** Identifies this release and everything in the configuration that decides what a scan finds and where it is sent. */
  readonly settings: string;
  /** How long facts are fresh, in milliseconds: records, and that the service has none. */
  readonly recordMs: number;
  readonly missMs: number;
}

export interface OutcomePort {
  /**
   * The checked result of a job, or `undefined` when it has none (not run, failed or expired). Throws a coded error
   * (`state-corrupt`, `state-newer`) when it cannot be read.
   */
  read<Result>(kind: StoredKind<Result>, job: string, key: string): Promise<Result | undefined>;
}

export interface NotifierPort {
  /**
   * Reads, renders and sends; throws a coded error when the receiver did not accept it. `read` is called once, also for a route that is
   * stopped.
   */
  deliver(route: string, read: () => Promise<Notification>, signal: AbortSignal): Promise<DeliveryAnswer>;
}

/** Schedules, their runs and their targets. */
interface SchedulePort {
  find(name: string): Promise<Schedule | undefined>;
  /** Newest first. */
  runs(schedule: string): Promise<readonly ScheduleRunReport[]>;
  /** The run that started last. */
  lastStarted(schedule: string): Promise<string | undefined>;
  /** Number of targets that the current run has not read yet. */
  countOpen(schedule: string): Promise<number>;
  /** A target that the current run has not read yet. */
  openTarget(schedule: string, target: string): Promise<OpenTarget | undefined>;
  targets(schedule: string): Promise<readonly WatchedTarget[]>;
  target(schedule: string, target: string): Promise<WatchedTarget | undefined>;
  /** The last reading, when all its contents are still stored. */
  reading(schedule: string, target: string): Promise<SourceReading | undefined>;
  /** Records a reading that failed permanently. */
  update(update: WatchUpdate): Promise<void>;
}

/** The sources of the lockfiles of schedules. Its errors are coded; retryable ones may not occur again. */
interface SourcePort {
  /** The targets of a schedule, each once. */
  list(
    schedule: Pick<Schedule, 'name' | 'source' | 'target'>,
    signal: AbortSignal,
  ): Promise<readonly { readonly target: string; readonly source: TargetSource }[]>;
  /** Stores the lockfiles of a target. `unchanged`: the source still is the `known` revision. */
  read(
    source: TargetSource,
    known: SourceRevision | undefined,
    signal: AbortSignal,
  ): Promise<SourceReading | 'unchanged'>;
}

export interface ContractPort {
  /** Names of the APIs whose pinned documents are compared with the published ones. */
  apis(): readonly string[];
  /** `undefined` for an API that is not published. Throws a coded error when the document cannot be fetched. */
  compare(api: string, signal: AbortSignal): Promise<ContractComparison | undefined>;
}
