import { ConfigError } from '../config/errors.ts';
import type { LoadedConfig } from '../config/load.ts';

/** Throws `ConfigError` when `redis.url` is not set: other processes cannot use an embedded engine. */
export function requireRedisUrl({ config }: LoadedConfig): string {
  if (config.redis.url !== undefined) return config.redis.url;
  throw new ConfigError(
    'config-invalid',
    'redis.url is not set: set it (or REDIS_URL) to the Redis or Valkey that the workers use',
  );
}
