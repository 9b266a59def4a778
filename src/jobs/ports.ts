import type { CompleteRequest, LockfileLimits } from '../lockfiles/read.ts';
import type { DeliveryAnswer, DeliveryIdentity, DeliveryMove } from '../model/alert/delivery.ts';
import type { DigestEntry, Notification } from '../model/alert/notification.ts';
import type { Routing } from '../model/alert/routing.ts';
import type { ContractComparison } from '../model/api/contract.ts';
import type { Insights } from '../model/ports/insights.ts';
import type { TargetState } from '../model/scan/change.ts';
import type { Lockfile } from '../model/scan/lockfile.ts';
import type { Policy } from '../model/scan/policy.ts';
import type { ScanRecordUpdate } from '../model/scan/scan-record.ts';
import type { LockfileReference } from '../model/scan/target.ts';
import type { StoredKind } from '../model/stored/kind.ts';

/** All access of jobs to the outside. Built in `compose/ports.ts`. */
export interface Ports {
  readonly blobs: BlobPort;
  readonly lockfiles: LockfilePort;
  readonly insights: Insights;
  readonly outcomes: OutcomePort;
  readonly targets: TargetPort;
  readonly notifier: NotifierPort;
  readonly contracts: ContractPort;
  readonly deliveries: DeliveryPort;
  readonly limits: LimitsPort;
  readonly routing: RoutingPort;
  readonly policy: PolicyPort;
  readonly digests: DigestPort;
  readonly scans: ScanPort;
  readonly reuse: ReusePort;
}

/** Limits on input from the configuration. */
interface LimitsPort {
  readonly lockfile: LockfileLimits;
}

/** When a scan of unchanged lockfiles repeats the result of the last one. */
export interface ReusePort {
  /** Identifies this release and everything in the configuration that decides what a scan finds and where it is sent. */
  readonly settings: string;
  /** How long facts are fresh, in milliseconds: records, and that the service has none. */
  readonly recordMs: number;
  readonly missMs: number;
}

interface LockfilePort {
  /**
   * Reads a lockfile within time and memory limits in proportion to its size. Rejects with a coded error when it cannot be
   * read, with the signal's reason when that aborts.
   */
  read(request: CompleteRequest, signal: AbortSignal): Promise<Lockfile>;
}

export interface BlobPort {
  /** The content of a lockfile. Throws a coded error (`blob-missing`) when it is not stored. */
  read(reference: LockfileReference): Promise<Buffer>;
}

export interface OutcomePort {
  /**
   * The checked result of a job, or `undefined` when it has none (not run, failed or expired). Throws a coded error
   * (`state-corrupt`, `state-newer`) when it cannot be read.
   */
  read<Result>(kind: StoredKind<Result>, job: string, key: string): Promise<Result | undefined>;
}

export interface TargetPort {
  read(target: string): Promise<TargetState | undefined>;
}

interface RoutingPort {
  routing(): Routing;
}

interface PolicyPort {
  policy(): Policy;
}

export interface ScanPort {
  /** Records that a scan failed permanently. May be repeated. */
  fail(record: ScanRecordUpdate): Promise<void>;
}

export interface DigestPort {
  /** The changes that wait for the next periodic digest of a route, oldest scan first. */
  read(route: string): Promise<readonly DigestEntry[]>;
}

export interface NotifierPort {
  /** Renders and sends; throws a coded error when the receiver did not accept it. */
  deliver(route: string, notification: Notification, signal: AbortSignal): Promise<DeliveryAnswer>;
}

/** The record of every delivery. */
export interface DeliveryPort {
  /** Stores a notification until it is delivered. A stored one is not replaced. */
  file(identity: DeliveryIdentity, notification: Notification): Promise<void>;
  /** The notification stored under an id. */
  read(id: string): Promise<Notification | undefined>;
  /** Records the state of a delivery. `delivered` is final. */
  move(identity: DeliveryIdentity, move: DeliveryMove): Promise<void>;
}

export interface ContractPort {
  /** Names of the APIs whose pinned documents are compared with the published ones. */
  apis(): readonly string[];
  /** `undefined` for an API that is not published. Throws a coded error when the document cannot be fetched. */
  compare(api: string, signal: AbortSignal): Promise<ContractComparison | undefined>;
}
