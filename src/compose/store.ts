import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/load.ts';
import { startValkey } from '../embedded/valkey.ts';
import type { FollowUp } from '../jobs/follow-up.ts';
import type { RequestBudget } from '../model/ports/request-budget.ts';
import type { Secret } from '../model/secret.ts';
import { createAppliedObjects } from '../store/applied-objects.ts';
import { createBlobStore } from '../store/blobs.ts';
import { createCache } from '../store/cache.ts';
import { type ConnectOptions, closeRedis, connectRedis, type RedisClient } from '../store/connection.ts';
import { createDeliveryStore } from '../store/deliveries.ts';
import { createDigestStore } from '../store/digests.ts';
import { createKeys, type Keys } from '../store/keys.ts';
import { createClaim, createLock } from '../store/lock.ts';
import { createOpenJobStore } from '../store/open-jobs.ts';
import { createOutcomeStore } from '../store/outcomes.ts';
import { createRejectedStore } from '../store/rejected.ts';
import { createRequestBudget } from '../store/request-budget.ts';
import { createScanStore } from '../store/scans.ts';
import { createSeenVersions } from '../store/seen-versions.ts';
import { createTargetStore } from '../store/targets.ts';
import { createWriteProbe } from '../store/write-probe.ts';

/** Everything kept in Redis, and the connection it goes through. */
export type Store = Awaited<ReturnType<typeof openStore>>;

/**
 * Connects to the configured Redis or Valkey; without one it starts the embedded engine, which keeps nothing.
 * Throws `StoreError` when no Redis answers and `EmbeddedError` when the engine does not start.
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
  return {
    redis,
    urls,
    prefix: keys.prefix,
    /** How long the embedded engine took to start, in milliseconds; `undefined` when Redis is somebody else's. */
    embedded:
      engine === undefined ? undefined : { url: engine.url, startedInMs: performance.now() - started },
    blobs: createBlobStore(redis, keys, {
      ttlMs: config.lockfiles.retention,
      maxBytes: config.lockfiles.maxBytes,
    }),
    outcomes: createOutcomeStore<FollowUp>(redis, keys, { ttlMs: config.worker.retention }),
    targets: createTargetStore(redis, keys),
    digests: createDigestStore(redis, keys),
    scans: createScanStore(redis, keys),
    cache: createCache(redis, keys),
    seen: createSeenVersions(redis, keys),
    // A worker that died while it provisioned holds up the next one no longer than its jobs do.
    lock: createLock(redis, keys, { ttlMs: config.worker.lockDuration }),
    /** Why Redis takes no write, asked for so many ms; `undefined` when it takes one. */
    probeWrite: createWriteProbe(redis, keys),
    claim: createClaim(redis, keys),
    applied: createAppliedObjects(redis, keys),
    rejected: createRejectedStore(redis, keys),
    /** `undefined` when the configuration sets no limit. */
    insightsBudget: budgetOf(redis, keys, config.insights.requestsPerSecond),
    openJobs: createOpenJobStore<FollowUp>(redis, keys),
    deliveries: createDeliveryStore(redis, keys, {
      ...(config.notify === undefined
        ? {}
        : { retentionMs: config.notify.history.retention, keptAttempts: config.notify.history.attempts }),
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

/** The password is kept apart from the URL so that no message repeats it; here, at the last step, they meet. */
export function redisUrls(urls: string, password: Secret | undefined): readonly string[] {
  return urls.split(',').map((text) => {
    if (password === undefined) return text;
    const url = new URL(text);
    url.password = encodeURIComponent(password.reveal());
    return url.href;
  });
}
