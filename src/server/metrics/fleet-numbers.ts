import type { StoppedRoute } from '../../model/alert/delivery.ts';
import type { Cadence, Freshness, RefreshRecord } from '../../model/fleet/refresh.ts';
import type { FleetCounts } from '../../store/fleet/fleet-counts.ts';
import type { LastArchive } from '../../store/fleet/ledger-archive.ts';
import type { QueueDepth } from '../../store/queue-depths.ts';
import type { ServerInfo } from '../../store/redis/server-info.ts';

/** The numbers of all workers together, as Redis has them. */
export interface FleetNumbers {
  readonly servers: readonly ServerInfo[];
  readonly queues: readonly QueueNumbers[];
  readonly counts: FleetCounts;
  /** Workers that renewed their presence in time. */
  readonly runningWorkers: number;
  readonly stoppedRoutes: readonly StoppedRoute[];
  /** When the oldest alert that is not delivered was filed, in ms since 1970. */
  readonly oldestDelivery?: number | undefined;
  /** How the last passes ended that moved old blocks of ledgers to the storage, by shard. Empty before the first one, and without a storage. */
  readonly archives: readonly LastArchive[];
  /** Stored values that this process could not read. */
  readonly unreadable: number;
  readonly refreshes: readonly RefreshNumbers[];
  readonly freshness: Freshness;
  readonly targets: TargetNumbers;
}

export interface QueueNumbers extends Omit<QueueDepth, 'oldest'> {
  /** How long the oldest job that could run has waited, without intended delays. */
  readonly oldestMs: number;
}

export interface RefreshNumbers {
  readonly cadence: Cadence;
  /** The last one that ended. */
  readonly last?: RefreshRecord | undefined;
  /** Parts of the one in progress. */
  readonly running?: { readonly open: number; readonly done: number } | undefined;
}

/** Numbers from the list of targets. */
export interface TargetNumbers {
  /** Open findings by rule and severity, without notes. */
  readonly open: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Targets whose lockfiles were read last longer ago than this, by name of the time. */
  readonly olderThan: ReadonlyMap<string, number>;
}
