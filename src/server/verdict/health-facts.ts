import type { FeedPosition } from '../../model/advisories/osv-record.ts';
import type { WorkerPresence } from '../../store/worker-records.ts';
import type { FleetNumbers } from '../metrics/fleet-numbers.ts';

/** The facts on which the verdict is based. */
export interface HealthFacts {
  readonly numbers: FleetNumbers;
  readonly workers: readonly WorkerPresence[];
  readonly shards: number;
  /** Median of some round trips to Redis, in milliseconds. */
  readonly redisMs: number;
  /** Jobs that one worker runs at the same time, by queue. */
  readonly concurrency: ReadonlyMap<string, number>;
  readonly settings: {
    /** `watch.every` and `watch.staleAfter` in milliseconds. */
    readonly refreshEveryMs: number;
    readonly staleAfterMs: number;
    readonly requestsPerSecond: number | undefined;
    /** Interval in which workers write their records. */
    readonly recordEveryMs: number;
  };
  /** How far each list of changed advisories was read, by ecosystem; `undefined` before the first reading. Empty when none is followed. */
  readonly feeds?: readonly (readonly [ecosystem: string, position: FeedPosition | undefined])[];
  /** ms since 1970, by the clock of Redis. */
  readonly now: number;
}
