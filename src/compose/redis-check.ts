import type { Logger } from 'pino';
import { formatAddresses, parseAddresses } from '../store/address.ts';
import { StoreError } from '../store/errors.ts';
import { readServerSettings } from '../store/server-settings.ts';
import type { Store } from './store.ts';

const NOT_PERSISTENT =
  'Redis writes nothing to disk: when it restarts, scans and alerts that were taken are lost. Set `appendonly yes`, and ' +
  '`appendfsync always` where no alert may be lost in a power failure (docs/redis.md)';

/**
 * Refuses a Redis that drops keys when its memory is full: jobs and alerts would vanish. Throws `StoreError`
 * (`evicting`). Gives what is worth knowing about one that is used all the same.
 */
export async function checkRedis({ redis, urls, embedded }: Store, log: Logger): Promise<string | undefined> {
  if (embedded !== undefined) return undefined;
  const { evictionPolicy = 'noeviction', persistent } = await readServerSettings(redis);
  if (evictionPolicy !== 'noeviction') {
    const where = formatAddresses(parseAddresses(urls));
    throw new StoreError(
      'evicting',
      `Redis at ${where} drops keys when its memory is full (maxmemory-policy ${evictionPolicy}): jobs and alerts would ` +
        'be lost. Set `maxmemory-policy noeviction` there, or name a Redis of its own by redis.url.',
    );
  }
  if (persistent !== false) return undefined;
  log.warn(NOT_PERSISTENT);
  return NOT_PERSISTENT;
}

/** For how long a health check waits for Redis to take a write. */
const PROBE_LIMIT_MS = 2_000;

/** Whether Redis takes a write, as a health check. */
export async function redisHealth(store: Store, note: string | undefined) {
  const { status } = store.redis;
  const fault = status === 'ready' ? await store.probeWrite(PROBE_LIMIT_MS) : `connection is ${status}`;
  return {
    name: 'redis',
    ...(fault === undefined ? {} : { fault }),
    ...(note === undefined ? {} : { note }),
  };
}
