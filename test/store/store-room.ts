import { createKeys, type Keys } from '../../src/store/keys.ts';
import { closeRedis, connectRedis, type RedisClient } from '../../src/store/redis/connection.ts';
import { startRedis } from '../redis.ts';

export interface StoreRoom {
  readonly url: string;
  readonly redis: RedisClient;
  readonly keys: Keys;
  close(): Promise<void>;
}

/** A separate engine with one connection to it. */
export async function openStoreRoom(): Promise<StoreRoom> {
  const valkey = await startRedis();
  const redis = await connectRedis({ urls: valkey.url });
  return {
    url: valkey.url,
    redis,
    keys: createKeys('test'),
    async close() {
      await closeRedis(redis);
      await valkey.close();
    },
  };
}
