import type { Logger } from 'pino';
import { createLogger } from '../compose/logger.ts';
import { openStore, type Store } from '../compose/store.ts';
import { ConfigError } from '../config/errors.ts';
import type { LoadedConfig } from '../config/load.ts';

/** Opens the Redis that the workers use. Throws `ConfigError` without `redis.url`, `StoreError` when no Redis answers. */
export async function openSharedStore(
  loaded: LoadedConfig,
): Promise<{ readonly store: Store; readonly log: Logger }> {
  requireRedisUrl(loaded);
  const log = createLogger(loaded);
  return { store: await openStore(loaded, log), log };
}

/** Throws `ConfigError` without `redis.url`: an embedded engine is shared with nobody. */
export function requireRedisUrl({ config }: LoadedConfig): string {
  if (config.redis.url !== undefined) return config.redis.url;
  throw new ConfigError(
    'config-invalid',
    'redis.url: name the Redis or Valkey that the workers use (REDIS_URL); nothing can be shared without one',
  );
}
