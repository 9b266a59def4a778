import type { Cache } from '../../model/ports/shared-state.ts';
import { chunks, createYielder } from '../../model/yielding.ts';
import type { Keys } from '../keys.ts';
import { valuesOf } from '../queue-depths.ts';
import type { RedisClient } from '../redis/connection.ts';
import { packJson, unpackJson } from '../values/compression.ts';

export interface CacheOptions {
  /** Called when the cache cannot be read or written; the work continues without it. */
  readonly onProblem?: (error: unknown) => void;
}

/** Keys in one command: longer commands would block Redis. */
const CHUNK = 500;

export function createCache(redis: RedisClient, keys: Keys, options: CacheOptions = {}): Cache {
  return {
    async getMany(kind, names) {
      try {
        const values: unknown[] = [];
        const yieldIfDue = createYielder();
        for (const part of chunks(names, CHUNK)) {
          const stored = await redis.mgetBuffer(...part.map((name) => keys.cache(kind, name)));
          for (const one of stored) {
            // An unreadable value is a miss: it is fetched and written again.
            values.push(one === null ? undefined : await unpackJson(one).catch(() => undefined));
          }
          await yieldIfDue();
        }
        return values;
      } catch (error) {
        options.onProblem?.(error);
        return names.map(() => undefined);
      }
    },
    async setMany(kind, entries, ttlMs) {
      const px = Math.max(1, Math.round(ttlMs));
      try {
        for (const part of chunks(entries, CHUNK)) {
          const pipeline = redis.pipeline();
          for (const [name, value] of part)
            pipeline.set(keys.cache(kind, name), await packJson(value), 'PX', px);
          valuesOf(await pipeline.exec());
        }
      } catch (error) {
        options.onProblem?.(error);
      }
    },
  };
}
