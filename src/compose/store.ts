import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/load.ts';
import { startValkey } from '../embedded/valkey.ts';
import { messageOf } from '../model/errors.ts';
import type { RequestBudget } from '../model/ports/request-budget.ts';
import type { Secret } from '../model/secret.ts';
import { createAppliedObjects } from '../store/applied-objects.ts';
import { createBlobStore } from '../store/blobs.ts';
import { createCache } from '../store/cache.ts';
import { createDeliveryStore } from '../store/deliveries.ts';
import { createDigestStore } from '../store/digests.ts';
import type { StoreError } from '../store/errors.ts';
import { createKeys, type Keys } from '../store/keys.ts';
import { createClaim, createLock } from '../store/lock.ts';
import { createOpenJobStore } from '../store/open-jobs.ts';
import { createOutcomeStore } from '../store/outcomes.ts';
import {
  type ConnectOptions,
  closeRedis,
  connectRedis,
  type RedisClient,
} from '../store/redis/connection.ts';
import { createWriteProbe } from '../store/redis/write-probe.ts';
import { createRejectedStore } from '../store/rejected.ts';
import { createRequestBudget } from '../store/request-budget.ts';
import { createScanStore } from '../store/scans.ts';
import { createSeenVersions } from '../store/seen-versions.ts';
import { createTargetStore } from '../store/targets.ts';
import { logThrottled } from '../workers/throttled-log.ts';

/** Work continues without the cache: each kind of failure is logged once a minute. */
function logCacheFailure(log: Logger): (error: unknown) => void {
  const logError = logThrottled(log, 'the cache of package records cannot be read or written');
  return (error) => logError(error instanceof Error ? error : new Error(messageOf(error)));
}

/** The stores in Redis and their connection. */
export type Store = Awaited<ReturnType<typeof openStore>>;

/**
 * Connects to the configured Redis or Valkey, or starts the embedded engine when none is configured.
 * Throws `StoreError` when Redis does not answer and `EmbeddedError` when the engine does not start.
 */
export async function openStore(
  loaded: LoadedConfig,
  log: Logger,
  options: Pick<ConnectOptions, 'refused'> = {},
) {
  const { config, secrets } = loaded;
  const started = performance.now();
  const engine =
    config.redis.url === undefined
      ? await startValkey({ log: (line) => log.debug({ component: 'valkey' }, line) })
      : undefined;
  const urls = engine === undefined ? redisUrls(config.redis.url ?? '', secrets.redisPassword) : [engine.url];
  const redis = await connect({ ...options, urls }, log, engine);
  const keys = createKeys(config.redis.prefix);
  const unreadable = new Set<string>();
  const onUnreadable = ({ message }: StoreError): void => {
    if (!unreadable.has(message)) log.error(message);
    unreadable.add(message);
  };
  return {
    redis,
    urls,
    prefix: keys.prefix,
    /** The embedded engine, if it was started. */
    embedded:
      engine === undefined ? undefined : { url: engine.url, startedInMs: performance.now() - started },
    blobs: createBlobStore(redis, keys, {
      ttlMs: config.lockfiles.retention,
      maxBytes: config.lockfiles.maxBytes,
    }),
    outcomes: createOutcomeStore(redis, keys, { ttlMs: config.worker.retention }),
    targets: createTargetStore(redis, keys),
    digests: createDigestStore(redis, keys, onUnreadable),
    scans: createScanStore(redis, keys, { onUnreadable }),
    cache: createCache(redis, keys, { onProblem: logCacheFailure(log) }),
    seen: createSeenVersions(redis, keys),
    // The lock of a worker that died expires as soon as the locks of its jobs do.
    lock: createLock(redis, keys, { ttlMs: config.worker.lockDuration }),
    /** Stored values that this process could not read: key, reason and what to do. The others are used without them. */
    unreadable,
    /** Why Redis does not accept a write within so many milliseconds; `undefined` when it does. */
    probeWrite: createWriteProbe(redis, keys),
    claim: createClaim(redis, keys),
    applied: createAppliedObjects(redis, keys, onUnreadable),
    rejected: createRejectedStore(redis, keys, onUnreadable),
    /** `undefined` when no limit is configured. */
    insightsBudget: budgetOf(redis, keys, config.insights.requestsPerSecond),
    openJobs: createOpenJobStore(redis, keys, onUnreadable),
    deliveries: createDeliveryStore(redis, keys, {
      retentionMs: config.notify?.history.retention,
      keptAttempts: config.notify?.history.attempts,
      onUnreadable,
    }),
    async close() {
      await closeRedis(redis);
      await engine?.close();
    },
  };
}

function budgetOf(redis: RedisClient, keys: Keys, perSecond: number | undefined): RequestBudget | undefined {
  return perSecond === undefined
    ? undefined
    : createRequestBudget(redis, keys, { name: 'insights', perSecond });
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

/** The URLs with their password, which the configuration keeps separately so that messages do not contain it. */
export function redisUrls(urls: string, password: Secret | undefined): readonly string[] {
  return urls.split(',').map((text) => {
    if (password === undefined) return text;
    const url = new URL(text);
    url.password = encodeURIComponent(password.reveal());
    return url.href;
  });
}
