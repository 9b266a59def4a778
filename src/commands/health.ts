import { openHealth } from '../compose/health.ts';
import { createLogger } from '../compose/logger.ts';
import { requireRedisUrl } from '../compose/redis-connection.ts';
import { openStores } from '../compose/store.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { HealthVerdict } from '../model/api/lockhound-api.generated.ts';
import { closing } from '../model/closing.ts';
import { messageOf } from '../model/errors.ts';
import { unreachableVerdict } from '../server/verdict/verdict.ts';
import { StoreError } from '../store/errors.ts';
import { withErrorsOnly } from './webhooks/webhook-admin.ts';

const CONNECT_MS = 5_000;

/** The state of the whole deployment in words. Throws `ConfigError` when `redis.url` is not set. */
export async function readHealth(loaded: LoadedConfig): Promise<HealthVerdict> {
  requireRedisUrl(loaded);
  const log = createLogger(withErrorsOnly(loaded));
  const stores = await openStores(loaded, log, { timeoutMs: CONNECT_MS }).catch((error: unknown) => {
    if (error instanceof StoreError) return error;
    throw error;
  });
  if (stores instanceof StoreError) return unreachableVerdict(messageOf(stores), Date.now());
  return await closing(stores, () => openHealth(loaded, stores)());
}
