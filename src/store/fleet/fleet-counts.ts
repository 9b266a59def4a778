import type { DayCount } from '../../model/fleet/day-count.ts';
import { DAY_COUNT } from '../../model/stored/catalog.ts';
import type { Keys } from '../keys.ts';
import { valuesOf } from '../queue-depths.ts';
import type { RedisClient } from '../redis/connection.ts';
import { createHashValues } from '../values/hash-values.ts';
import type { OnUnreadable } from '../values/stored-values.ts';

/** Numbers of one shard. */
export interface FleetCounts {
  readonly targets: number;
  /** Targets whose last scan could not see everything. */
  readonly incompleteTargets: number;
  /** Targets whose source cannot be read. */
  readonly failingSources: number;
  readonly openJobs: number;
  readonly openDeliveries: number;
  readonly failedDeliveries: number;
  readonly rejectedPayloads: number;
}

/** Reads numbers that Redis keeps, in one round trip and constant time. */
export function createFleetCounts(redis: RedisClient, keys: Keys) {
  return async (): Promise<FleetCounts> => {
    const pipeline = redis.pipeline();
    pipeline.hlen(keys.targetSummaries).scard(keys.incompleteTargets).scard(keys.failingTargets);
    pipeline.hlen(keys.openJobs).zcard(keys.openDeliveries).zcard(keys.failedDeliveries);
    pipeline.hlen(keys.rejected);
    const counts = valuesOf(await pipeline.exec()).map(Number) as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const [targets, incompleteTargets, failingSources, openJobs, ...deliveries] = counts;
    const [openDeliveries, failedDeliveries, rejectedPayloads] = deliveries;
    return {
      ...{ targets, incompleteTargets, failingSources, openJobs },
      ...{ openDeliveries, failedDeliveries, rejectedPayloads },
    };
  };
}

/** Days that are kept, of about 100 bytes each. */
const MAX_DAYS = 400;

/** The fleet by day. All shards share one series, so that it stays when their number changes. */
export function createDayCounts(redis: RedisClient, keys: Keys, onUnreadable: OnUnreadable = () => {}) {
  const key = keys.dayCounts;
  const remedy = 'Delete the field: the trend then lacks this day.';
  const values = createHashValues(redis, DAY_COUNT, { key, remedy, onUnreadable });
  return {
    /** Replaces the count of its day, and removes the oldest days over the limit. */
    async write(count: DayCount): Promise<void> {
      await values.put(count.day, count);
      const days = await redis.hkeys(key);
      if (days.length > MAX_DAYS) await redis.hdel(key, ...days.sort().slice(0, days.length - MAX_DAYS));
    },
    /** The counted days from `since` (`YYYY-MM-DD`) on, oldest first. One that cannot be read is reported and left out. */
    async since(since: string): Promise<readonly DayCount[]> {
      const counts = await values.some((await redis.hkeys(key)).filter((day) => day >= since).sort());
      return counts.map(([, count]) => count);
    },
  };
}
