import type { CompleteRequest, LockfileLimits } from '../lockfiles/read.ts';
import type { DeliveryAnswer, DeliveryIdentity, DeliveryMove } from '../model/alert/delivery.ts';
import type { DigestEntry } from '../model/alert/digest.ts';
import type { Notification } from '../model/alert/notification.ts';
import type { Routing } from '../model/alert/routing.ts';
import type { ContractComparison } from '../model/api/contract.ts';
import type { Advisory } from '../model/scan/advisory.ts';
import type { TargetState } from '../model/scan/change.ts';
import type { DependencyGraph } from '../model/scan/dependency-graph.ts';
import type { LockedPackage, Lockfile } from '../model/scan/lockfile.ts';
import type { Policy } from '../model/scan/policy.ts';
import type { Resolution } from '../model/scan/resolution.ts';
import type { ScanRecordUpdate } from '../model/scan/scan-record.ts';
import type { LockfileReference } from '../model/scan/target.ts';
import type { VersionKey } from '../model/scan/version-key.ts';
import type { StoredKind } from '../model/stored/kind.ts';

/** The outside world, as jobs see it. Wired in `compose.ts`. */
export interface Ports {
  readonly blobs: BlobPort;
  readonly lockfiles: LockfilePort;
  readonly insights: InsightsPort;
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
}

/** Bounds that the configuration sets for what comes in. */
export interface LimitsPort {
  readonly lockfile: LockfileLimits;
}

export interface LockfilePort {
  /**
   * Reads a lockfile within a time and a memory in proportion to its size. Rejects with a coded error when it cannot be
   * read, with the signal's reason when it aborts.
   */
  read(request: CompleteRequest, signal: AbortSignal): Promise<Lockfile>;
}

export interface BlobPort {
  /** The content of a lockfile. Throws a coded error (`blob-missing`) when it has expired or was never stored. */
  read(reference: LockfileReference): Promise<Buffer>;
}

export interface InsightsPort {
  /**
   * One resolution for each package, in order. Never throws for a package: what could not be looked up is `failed`.
   * `retryable` tells whether a failed look-up may succeed later; `retryAfterMs` when the service said so.
   */
  resolve(
    packages: readonly LockedPackage[],
    options: { readonly signal: AbortSignal; readonly progress?: (done: number, total: number) => void },
  ): Promise<{
    readonly resolutions: readonly Resolution[];
    readonly retryable: boolean;
    readonly retryAfterMs?: number | undefined;
  }>;
  /** The advisory, or `undefined` when the service has none of that id. */
  advisory(id: string, signal: AbortSignal): Promise<Advisory | undefined>;
  /** The resolved graph, or `undefined` when the service has not computed one. */
  dependencies(key: VersionKey, signal: AbortSignal): Promise<DependencyGraph | undefined>;
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

export interface RoutingPort {
  /** Where changes go, as of now. */
  routing(): Routing;
}

export interface PolicyPort {
  /** How findings are judged, as of now. */
  policy(): Policy;
}

export interface ScanPort {
  /** Notes that a scan was given up. May be repeated. */
  fail(record: ScanRecordUpdate): Promise<void>;
}

export interface DigestPort {
  /** What waits for the next periodic digest of a route, oldest scan first. */
  read(route: string): Promise<readonly DigestEntry[]>;
}

export interface NotifierPort {
  /** Renders and sends; throws a coded error when the receiver did not take it. */
  deliver(route: string, notification: Notification, signal: AbortSignal): Promise<DeliveryAnswer>;
}

/** The record of every delivery. */
export interface DeliveryPort {
  /** Puts a notification away until it is delivered, whatever expires meanwhile. One that lies there stays as it is. */
  file(identity: DeliveryIdentity, notification: Notification): Promise<void>;
  /** The notification put away under an id. */
  read(id: string): Promise<Notification | undefined>;
  /** Notes where a delivery stands. What is delivered stays so. */
  move(identity: DeliveryIdentity, move: DeliveryMove): Promise<void>;
}

export interface ContractPort {
  /** Names of the APIs whose pinned documents are held against what is published. */
  apis(): readonly string[];
  /** `undefined` for an API that is not published at all. Throws a coded error when that cannot be found out. */
  compare(api: string, signal: AbortSignal): Promise<ContractComparison | undefined>;
}
