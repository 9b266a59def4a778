import type { Queue, Telemetry } from 'bullmq';
import type { Logger } from 'pino';
import { policyOf } from '../config/effective-policy.ts';
import type { LoadedConfig } from '../config/load.ts';
import { defined } from '../model/defined.ts';
import type { Policy } from '../model/scan/policy.ts';
import type { ListedTarget } from '../store/fleet/target-summaries.ts';
import type { ConnectOptions } from '../store/redis/connection.ts';
import { requireLayout } from '../store/shards/shard-layout.ts';
import type { OnUnreadable } from '../store/values/stored-values.ts';
import { createLogger } from './logger.ts';
import { requireRedisUrl } from './redis-connection.ts';
import { openStores, type Store } from './store.ts';

/** The fleet in the Redis of the workers, and what could not be read of it. */
export interface FleetStore {
  readonly shards: readonly Store[];
  of(target: string): Store;
  /** The queue of a job in a shard. It is opened once, and its metadata stay those of the workers. */
  queueOf(shard: Pick<Store, 'redis' | 'prefix'>, job: string): Promise<Queue>;
  /** One sentence for each stored value that is damaged or newer than this release; the answer lacks what they hold. */
  readonly unreadable: readonly string[];
  /** The sentences of the last minute about faults that may pass: the storage of ledgers does not answer. They name no target. */
  readonly away: readonly string[];
  readonly onUnreadable: OnUnreadable;
  /** Adds to `unreadable`. */
  readonly note: (message: string) => void;
  readonly policy: Policy;
  close(): Promise<void>;
}

const AWAY_MS = 60_000;

interface FleetStoreOptions extends Pick<ConnectOptions, 'waiting'> {
  /** The telemetry for the queues: what is put on one continues its trace. */
  readonly telemetry?: () => Promise<Telemetry | undefined>;
}

/**
 * Throws `ConfigError` when `redis.url` is not set, and `StoreError` when Redis does not answer or when its targets are spread over
 * another number of shards than `redis.shards`.
 */
export async function openFleetStore(
  loaded: LoadedConfig,
  { telemetry, ...options }: FleetStoreOptions = {},
): Promise<FleetStore> {
  requireRedisUrl(loaded);
  const log = createLogger(loaded);
  const { shards, of, layouts, close } = await openStores(loaded, log, options);
  const queues = openQueues(log, telemetry);
  // A server asks for the same value again and again.
  const unreadable = new Set<string>();
  const passing = new Map<string, number>();
  const away = () => [...passing].flatMap(([message, at]) => (at > Date.now() - AWAY_MS ? [message] : []));
  try {
    requireLayout(await layouts.read(), shards.length);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    shards,
    of,
    queueOf: queues.of,
    get unreadable() {
      return [...unreadable, ...away()];
    },
    get away() {
      return away();
    },
    onUnreadable({ code, message }) {
      if (code === 'storage-away') passing.set(message, Date.now());
      else unreadable.add(message);
    },
    note: (message) => void unreadable.add(message),
    policy: policyOf(loaded.config),
    async close() {
      await queues.close();
      await close();
    },
  };
}

/** Queues by shard and job. BullMQ is loaded with the first one, because most questions need none. */
function openQueues(log: Logger, telemetryOf: FleetStoreOptions['telemetry']) {
  const opened = new Map<string, Promise<Queue>>();
  const open = async ({ redis: connection, prefix }: Pick<Store, 'redis' | 'prefix'>, job: string) => {
    const { Queue } = await import('bullmq');
    const { CRON_SETTINGS } = await import('../workers/schedules.ts');
    const telemetry = await telemetryOf?.();
    const queue = new Queue(job, {
      connection,
      prefix,
      skipMetasUpdate: true,
      skipVersionCheck: true,
      ...CRON_SETTINGS,
      ...defined({ telemetry }),
    });
    return queue.on('error', (error) => log.warn({ error: error.message }, 'queue connection'));
  };
  return {
    of(shard: Pick<Store, 'redis' | 'prefix'>, job: string): Promise<Queue> {
      const key = `${shard.prefix} ${job}`;
      const queue = opened.get(key) ?? open(shard, job);
      opened.set(key, queue);
      return queue;
    },
    close: async () => await Promise.all([...opened.values()].map(async (queue) => (await queue).close())),
  };
}

/** All targets in short. */
export async function* summariesOf({ shards, onUnreadable }: FleetStore): AsyncGenerator<ListedTarget> {
  for (const { targetSummaries } of shards) {
    for await (const part of targetSummaries.all(onUnreadable)) yield* part;
  }
}
