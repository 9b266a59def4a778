import type { Logger } from 'pino';
import { ConfigError } from '../config/errors.ts';
import type { LoadedConfig, Secrets } from '../config/load.ts';
import { startValkey } from '../embedded/valkey.ts';
import { redisUrlList } from '../model/queue/redis-urls.ts';
import type { HealthServer } from '../server/health.ts';
import { withSentinelPassword } from '../store/redis/address.ts';
import type { ConnectOptions, RedisClient } from '../store/redis/connection.ts';
import { closeRedis, connectRedis } from '../store/redis/connection.ts';

/** The connection that all shards share, and the embedded engine. */
export type Connection = Awaited<ReturnType<typeof openConnection>>;

/**
 * Connects to the configured Redis or Valkey, or starts the embedded engine when none is configured.
 * Throws `StoreError` when Redis does not answer and `EmbeddedError` when the engine does not start.
 */
export async function openConnection(
  { config, secrets }: LoadedConfig,
  log: Logger,
  options: Pick<ConnectOptions, 'refused' | 'timeoutMs' | 'waiting'>,
) {
  const started = performance.now();
  const engine =
    config.redis.url === undefined
      ? await startValkey({ log: (line) => log.debug({ component: 'valkey' }, line) })
      : undefined;
  const urls = () => (engine === undefined ? redisUrls(config.redis.url ?? '', secrets) : [engine.url]);
  const redis = await connect({ ...options, urls }, log, engine);
  return {
    redis,
    urls: urls(),
    /** The embedded engine, if it was started. */
    embedded:
      engine === undefined ? undefined : { url: engine.url, startedInMs: performance.now() - started },
    async close() {
      await closeRedis(redis);
      await engine?.close();
    },
  };
}

async function connect(
  options: ConnectOptions,
  log: Logger,
  engine: { close(): Promise<void> } | undefined,
): Promise<RedisClient> {
  try {
    return await connectRedis({
      ...options,
      onChange: (change) => {
        if (change.kind === 'lost') log.warn({ error: change.error.message }, 'redis connection lost');
        else log.info('redis connection restored');
      },
    });
  } catch (error) {
    await engine?.close();
    throw error;
  }
}

/** The URLs with their passwords, which the configuration keeps separately so that messages do not contain them. */
export function redisUrls(
  urls: string,
  { redisPassword, sentinelPassword }: Pick<Secrets, 'redisPassword' | 'sentinelPassword'>,
): readonly string[] {
  return redisUrlList(urls).map((text) => {
    const url = new URL(text);
    if (redisPassword !== undefined) url.password = encodeURIComponent(redisPassword.reveal());
    const complete = redisPassword === undefined ? text : url.href;
    return sentinelPassword === undefined
      ? complete
      : withSentinelPassword(complete, sentinelPassword.reveal());
  });
}

/** Throws `ConfigError` when `redis.url` is not set: other processes cannot use an embedded engine. */
export function requireRedisUrl({ config }: LoadedConfig): string {
  if (config.redis.url !== undefined) return config.redis.url;
  throw new ConfigError(
    'config-invalid',
    'redis.url is not set: set it (or REDIS_URL) to the Redis or Valkey that the workers use',
  );
}

/**
 * How a process that runs until it is stopped waits for Redis at its start: an orchestrator may start both at the same time. The log and
 * `/readyz` say that it waits.
 */
export function waitForRedis(
  log: Logger,
  signal: AbortSignal,
  health: Pick<HealthServer, 'waitFor'> | undefined,
): ConnectOptions['waiting'] {
  return {
    signal,
    onWait({ message }) {
      log.warn({ error: message }, 'waiting for Redis');
      health?.waitFor(message);
    },
  };
}
