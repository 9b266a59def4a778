import type { DayCount } from '../../model/fleet/day-count.ts';
import { DAY_COUNT } from '../../model/stored/catalog.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { createHashValues } from '../values/hash-values.ts';
import { type OnUnreadable, writeText } from '../values/stored-values.ts';

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
      await redis.hset(key, count.day, writeText(DAY_COUNT, count));
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
