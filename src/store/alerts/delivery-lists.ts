import type { DeliveryRecord } from '../../model/alert/delivery.ts';
import { chunks } from '../../model/yielding.ts';
import type { Keys } from '../keys.ts';
import { type NewestRange, newestIds, type PlacedId, placedIds } from '../newest-ids.ts';
import type { RedisClient } from '../redis/connection.ts';

export const DELIVERY_INDEXES = ['open', 'failed', 'delivered'] as const;
export type DeliveryIndex = (typeof DELIVERY_INDEXES)[number];

/** Records that are read in parallel. */
const CHUNK = 500;
/** Open deliveries at each end of their order whose age is read. */
const LOOKED_AT = 50;

/**
 * The lists of all deliveries: each is in one of three sorted sets by its last change. `findAll`: the records of ids, without those that are
 * not stored or unreadable.
 */
export function createDeliveryLists(
  redis: RedisClient,
  keys: Keys,
  findAll: (ids: readonly string[]) => Promise<readonly DeliveryRecord[]>,
) {
  const index: Readonly<Record<DeliveryIndex, string>> = {
    open: keys.openDeliveries,
    failed: keys.failedDeliveries,
    delivered: keys.delivered,
  };
  return {
    /** Ids of deliveries by their last change, newest first. `since`: ms since 1970. */
    async list(kinds: readonly DeliveryIndex[], since = 0): Promise<readonly string[]> {
      const read = (kind: DeliveryIndex) => redis.zrevrangebyscore(index[kind], '+inf', since, 'WITHSCORES');
      const found = (await Promise.all(kinds.map(read))).flatMap(placedIds);
      return found.sort((left, right) => right.time - left.time).map(({ id }) => id);
    },
    /** The ids of all that changed at this time (ms since 1970) or later, with the time of the last change, oldest first. */
    async idsSince(since: number): Promise<readonly PlacedId[]> {
      // One that moves from one index to another while they are read is in both.
      const times = new Map<string, number>();
      for (const key of Object.values(index)) {
        for await (const part of newestIds(redis, key, { since, count: 1_000 })) {
          for (const { id, time } of part) times.set(id, Math.max(time, times.get(id) ?? 0));
        }
      }
      return Array.from(times, ([id, time]) => ({ id, time })).sort((left, right) => left.time - right.time);
    },
    /** Deliveries of one kind by their last change, newest first, from a place on. An unreadable one is reported. */
    async *newest(kind: DeliveryIndex, range: NewestRange) {
      for await (const part of newestIds(redis, index[kind], range)) {
        const records = new Map((await findAll(part.map(({ id }) => id))).map((one) => [one.id, one]));
        for (const place of part) {
          const delivery = records.get(place.id);
          if (delivery !== undefined) yield { ...place, delivery };
        }
      }
    },
    /**
     * When the oldest open delivery was filed, in ms since 1970; `undefined` without one. Looks at the 50 that changed first and the 50
     * that changed last: those that wait for their turn do not change, and one that is retried changes with each attempt.
     */
    async openSince(): Promise<number | undefined> {
      const [first, last] = await Promise.all([
        redis.zrange(index.open, '0', String(LOOKED_AT - 1)),
        redis.zrevrange(index.open, 0, LOOKED_AT - 1),
      ]);
      const records = await findAll([...new Set([...first, ...last])]);
      const times = records.map(({ filedAt }) => Date.parse(filedAt));
      return times.length === 0 ? undefined : Math.min(...times);
    },
    /** Number of deliveries of each kind. */
    async counts(): Promise<Readonly<Record<DeliveryIndex, number>>> {
      const [open = 0, failed = 0, delivered = 0] = await Promise.all(
        DELIVERY_INDEXES.map((kind) => redis.zcard(index[kind])),
      );
      return { open, failed, delivered };
    },
    /** Number of open deliveries of each route that has some. Reads the route of every one. */
    async openByRoute(): Promise<ReadonlyMap<string, number>> {
      const counts = new Map<string, number>();
      for (const chunk of chunks(await redis.zrevrange(index.open, 0, -1), CHUNK)) {
        for (const route of await Promise.all(chunk.map((id) => redis.hget(keys.delivery(id), 'route')))) {
          if (route !== null) counts.set(route, (counts.get(route) ?? 0) + 1);
        }
      }
      return counts;
    },
  };
}
