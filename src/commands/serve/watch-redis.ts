import { Refusal } from '../../server/api/problem.ts';
import type { RedisClient } from '../../store/redis/connection.ts';

/**
 * Returns a function that throws `Refusal` (503) while the connection to Redis is lost. Commands wait until it is restored, and the
 * commands of all requests until then would fill the memory.
 */
export function watchRedis(redis: RedisClient): () => void {
  let isLost = false;
  redis.on('close', () => {
    isLost = true;
  });
  redis.on('ready', () => {
    isLost = false;
  });
  return () => {
    if (!isLost) return;
    throw new Refusal(503, 'store-unreachable', 'the connection to Redis is lost', { retryAfter: 5 });
  };
}
