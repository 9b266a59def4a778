import { vi } from 'vitest';
import { createKeys } from '../../../src/store/keys.ts';
import { closeRedis, connectRedis } from '../../../src/store/redis/connection.ts';
import { startRedis, type TestRedis } from '../../redis.ts';
import { openFleet } from '../../store/fleet/fleet-room.ts';

export type Fleet = ReturnType<typeof openFleet>;

/** An engine that the commands of this process use. */
export async function openFleetCli() {
  const valkey: TestRedis = await startRedis();
  vi.stubEnv('REDIS_URL', valkey.url);
  const redis = await connectRedis({ urls: valkey.url });
  return {
    url: valkey.url,
    redis,
    /** An empty fleet under the default prefix. */
    async fresh(): Promise<Fleet> {
      await redis.flushall();
      return openFleet(redis, createKeys().prefix);
    },
    /** Its shards, where the targets are spread over several. */
    async shards(count: number): Promise<readonly Fleet[]> {
      await redis.flushall();
      const indexes = [...Array(count).keys()];
      return indexes.map((index) => openFleet(redis, 'lockhound', { shard: { index, count } }));
    },
    async close() {
      vi.unstubAllEnvs();
      await closeRedis(redis);
      await valkey.close();
    },
  };
}
