import { chunks } from '../model/yielding.ts';
import type { RedisClient } from './redis/connection.ts';

/** An id in a sorted set by time. */
export interface PlacedId {
  readonly id: string;
  /** ms since 1970. */
  readonly time: number;
}

export interface NewestRange {
  /** This time or later, in ms since 1970. */
  readonly since?: number | undefined;
  /** The id after which the range begins; it need not exist any more. */
  readonly after?: PlacedId | undefined;
  /** Ids in one command. Default 100. */
  readonly count?: number | undefined;
}

/** The ids of a sorted set by time, from an answer of Redis `WITHSCORES`. */
export function placedIds(pairs: readonly string[]): readonly PlacedId[] {
  return chunks(pairs, 2).map(([id = '', time]) => ({ id, time: Number(time) }));
}

/** Newest first; of equal times the id that is last in the order of bytes comes first, as in a sorted set of Redis. */
export function compareNewest(left: PlacedId, right: PlacedId): number {
  return right.time - left.time || Buffer.compare(Buffer.from(right.id), Buffer.from(left.id));
}

/** The ids of a sorted set by time, in parts. Ids that are added meanwhile are not among them. */
export async function* newestIds(
  redis: RedisClient,
  key: string,
  { since = 0, after, count = 100 }: NewestRange,
): AsyncGenerator<readonly PlacedId[]> {
  let newest: number | string = after?.time ?? '+inf';
  for (let from = 0; ; from += count) {
    const range = [newest, since, 'WITHSCORES', 'LIMIT', from, count] as const;
    const pairs = await redis.zrevrangebyscore(key, ...range);
    if (newest === '+inf') newest = Number(pairs[1] ?? 0);
    const part = placedIds(pairs).filter((place) => after === undefined || compareNewest(after, place) < 0);
    if (part.length > 0) yield part;
    if (pairs.length < 2 * count) return;
  }
}
