import { messageOf } from '../../model/errors.ts';
import { within } from '../../model/time-limit.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from './connection.ts';

/** An operator can see the key for this long. */
const TTL_MS = 60_000;

/**
 * Checks that Redis accepts a write within `limitMs`; returns the reason when it does not, else `undefined`. Calls share one
 * write while it is under way.
 */
export function createWriteProbe(
  redis: RedisClient,
  keys: Keys,
): (limitMs: number) => Promise<string | undefined> {
  let writing: Promise<string | undefined> | undefined;
  return async (limitMs) => {
    writing ??= write(redis, keys).finally(() => {
      writing = undefined;
    });
    return await within(writing, limitMs, () => `a write was not answered within ${limitMs} ms`);
  };
}

async function write(redis: RedisClient, keys: Keys): Promise<string | undefined> {
  try {
    await redis.set(keys.probe, '1', 'PX', TTL_MS);
    return undefined;
  } catch (error) {
    return `a write was refused: ${messageOf(error)}`;
  }
}
