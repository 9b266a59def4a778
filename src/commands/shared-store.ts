import { Queue } from 'bullmq';
import type { Logger } from 'pino';
import { createLogger } from '../compose/logger.ts';
import { openStore, type Store } from '../compose/store.ts';
import { ConfigError } from '../config/errors.ts';
import type { LoadedConfig } from '../config/load.ts';

/** The Redis that the workers use. */
export interface SharedStore {
  readonly store: Store;
  readonly log: Logger;
  /** Opens the queue of a job without changing its metadata. */
  openQueue(job: string): Queue;
  /** Closes the queues and the store. */
  close(): Promise<void>;
}

/** Throws `ConfigError` when `redis.url` is not set and `StoreError` when Redis does not answer. */
export async function openSharedStore(loaded: LoadedConfig): Promise<SharedStore> {
  requireRedisUrl(loaded);
  const log = createLogger(loaded);
  const store = await openStore(loaded, log);
  const queues: Queue[] = [];
  return {
    store,
    log,
    openQueue(job) {
      const { redis: connection, prefix } = store;
      const queue = new Queue(job, { connection, prefix, skipMetasUpdate: true, skipVersionCheck: true });
      queues.push(queue);
      return queue.on('error', (error) => log.warn({ error: error.message }, 'queue connection'));
    },
    async close() {
      await Promise.all(queues.map((queue) => queue.close()));
      await store.close();
    },
  };
}

/** Throws `ConfigError` when `redis.url` is not set: other processes cannot use an embedded engine. */
export function requireRedisUrl({ config }: LoadedConfig): string {
  if (config.redis.url !== undefined) return config.redis.url;
  throw new ConfigError(
    'config-invalid',
    'redis.url is not set: set it (or REDIS_URL) to the Redis or Valkey that the workers use',
  );
}
