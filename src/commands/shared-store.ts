import { Queue } from 'bullmq';
import { createLogger } from '../compose/logger.ts';
import { requireRedisUrl } from '../compose/redis-url.ts';
import { openStores, type Store } from '../compose/store.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { ConnectOptions } from '../store/redis/connection.ts';
import { requireLayout } from '../store/shards/shard-layout.ts';

/** The Redis that the workers use. */
export type SharedStore = Awaited<ReturnType<typeof openSharedStore>>;

/** One shard of the Redis that the workers use. */
export interface SharedShard {
  readonly store: Store;
  /** Opens the queue of a job without changing its metadata, once. */
  openQueue(job: string): Queue;
}

/**
 * The Redis that the workers use. Throws `ConfigError` when `redis.url` is not set, and `StoreError` when Redis does not answer or
 * when its targets are spread over another number of shards than `redis.shards`.
 */
export async function openSharedStore(loaded: LoadedConfig, options: Pick<ConnectOptions, 'waiting'> = {}) {
  requireRedisUrl(loaded);
  const log = createLogger(loaded);
  const stores = await openStores(loaded, log, options);
  const opened: Map<string, Queue>[] = [];
  const shards = stores.shards.map((store): SharedShard => {
    const { redis: connection, prefix } = store;
    const queues = new Map<string, Queue>();
    opened.push(queues);
    return {
      store,
      openQueue(job) {
        const known = queues.get(job);
        if (known !== undefined) return known;
        const queue = new Queue(job, { connection, prefix, skipMetasUpdate: true, skipVersionCheck: true });
        queues.set(job, queue);
        return queue.on('error', (error) => log.warn({ error: error.message }, 'queue connection'));
      },
    };
  });
  const close = async (): Promise<void> => {
    await Promise.all(opened.flatMap((queues) => [...queues.values()].map((queue) => queue.close())));
    await stores.close();
  };
  try {
    requireLayout(await stores.layouts.read(), shards.length);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    /** All shards. */
    shards,
    /** The shard of a target. */
    of: stores.of,
    /** Of the first shard, for what all shards share. */
    ...(shards[0] as SharedShard),
    close,
  };
}
