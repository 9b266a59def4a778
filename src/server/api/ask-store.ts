import { within } from '../../model/time-limit.ts';
import { Refusal } from '../../operations/refusal.ts';
import type { RedisClient } from '../../store/redis/connection.ts';

/**
 * Runs work that asks Redis. Throws `Refusal` (503) at once while the connection is lost, and when there is no answer within the limit;
 * the work itself goes on.
 */
export type AskStore = <Value>(work: () => Promise<Value>) => Promise<Value>;

/** Seconds after which a caller may ask again. */
const RETRY_AFTER = 5;

/**
 * Watches a connection to Redis, so that no caller waits for it. Commands wait until a lost connection is restored, and the commands of
 * all requests until then would fill the memory. `limitMs`: time limit for an answer.
 */
export function openAskStore(redis: RedisClient, limitMs = 30_000): AskStore {
  let isLost = false;
  redis.on('close', () => {
    isLost = true;
  });
  redis.on('ready', () => {
    isLost = false;
  });
  return async (work) => {
    if (isLost) throw unavailable('store-unreachable', 'the connection to Redis is lost');
    const late = `there is no answer within ${limitMs / 1_000} seconds; a change may still happen`;
    return await within(work(), limitMs, () => {
      throw unavailable('too-slow', late);
    });
  };
}

function unavailable(code: string, detail: string): Refusal {
  return new Refusal(503, code, detail, { retryAfter: RETRY_AFTER });
}
