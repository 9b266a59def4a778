import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lock } from '../model/ports/shared-state.ts';
import type { Keys } from './keys.ts';
import type { RedisClient } from './redis/connection.ts';
import { defineScript, runScript } from './scripts/run-script.ts';

export interface LockOptions {
  /** The lock of a process that died expires after this time. Default 30 s. */
  readonly ttlMs?: number;
  /** Mean time between two attempts. Default 200 ms. */
  readonly pollMs?: number;
  /** In [0, 1). */
  readonly random?: () => number;
}

export function createLock(redis: RedisClient, keys: Keys, options: LockOptions = {}): Lock {
  const { ttlMs = 30_000, pollMs = 200, random = Math.random } = options;
  return {
    async hold(name, work, signal) {
      const key = keys.lock(name);
      const token = randomUUID();
      let requestedAt = Date.now();
      while ((await redis.set(key, token, 'PX', ttlMs, 'NX')) !== 'OK') {
        signal?.throwIfAborted();
        await sleep(pollMs * (0.5 + random()), undefined, { signal });
        requestedAt = Date.now();
      }
      const keeper = keep(redis, { key, token, ttlMs }, requestedAt);
      try {
        signal?.throwIfAborted();
        return await work(signal === undefined ? keeper.signal : AbortSignal.any([signal, keeper.signal]));
      } finally {
        keeper.stop();
        await release(redis, key, token);
      }
    },
  };
}

/** For work that one of many processes does from time to time: true for the first caller within `ms`, else false. */
export function createClaim(redis: RedisClient, keys: Keys): (name: string, ms: number) => Promise<boolean> {
  return async (name, ms) =>
    (await redis.set(keys.claim(name), '1', 'PX', Math.max(1, Math.round(ms)), 'NX')) === 'OK';
}

/**
 * Renews the lock until stopped. Aborts when another process holds it, or when no renewal was confirmed within the time to
 * live, because the lock may have expired.
 */
function keep(
  redis: RedisClient,
  { key, token, ttlMs }: { readonly key: string; readonly token: string; readonly ttlMs: number },
  heldSince: number,
): { signal: AbortSignal; stop(): void } {
  const lost = new AbortController();
  const abort = (cause?: unknown): void => lost.abort(new Error(`The lock ${key} was lost`, { cause }));
  let deadline = setTimeout(abort, Math.max(0, heldSince + ttlMs - Date.now()));
  const renewal = setInterval(async () => {
    const requestedAt = Date.now();
    try {
      if ((await runScript(redis, RENEW_LOCK, [key], [token, ttlMs])) !== 1) return abort();
      clearTimeout(deadline);
      if (!stopped) deadline = setTimeout(abort, Math.max(0, requestedAt + ttlMs - Date.now()));
    } catch (error) {
      abort(error);
    }
  }, ttlMs / 3);
  let stopped = false;
  return {
    signal: lost.signal,
    stop() {
      stopped = true;
      clearInterval(renewal);
      clearTimeout(deadline);
    },
  };
}

/** A failed release must not discard the result; the lock expires. */
async function release(redis: RedisClient, key: string, token: string): Promise<void> {
  try {
    await runScript(redis, RELEASE_LOCK, [key], [token]);
  } catch (error) {
    if (redis.status === 'ready') throw error;
  }
}

/** Key: lock. Argument: the holder's token. Deletes the lock only when the token is that of its holder. */
const RELEASE_LOCK = defineScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
`);

/** Key: lock. Arguments: the holder's token, time to live in ms. 0 when another process holds it. */
const RENEW_LOCK = defineScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0
`);
