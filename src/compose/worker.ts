import type { Logger } from 'pino';
import { ConfigError } from '../config/errors.ts';
import type { LoadedConfig } from '../config/load.ts';
import { workerProbes } from '../server/probes.ts';
import { StoreError } from '../store/errors.ts';
import { formatAddresses, parseAddresses } from '../store/redis/address.ts';
import { readServerSettings } from '../store/redis/server-settings.ts';
import { openContracts } from './contracts.ts';
import { digestSchedules } from './digests.ts';
import { keepProvisioned } from './keep-provisioned.ts';
import { captureConsole, createLogger } from './logger.ts';
import { type NotifierHandle, openNotifier } from './notifier.ts';
import { startPipeline } from './pipeline.ts';
import { openStore, type Store } from './store.ts';

export interface WorkerOptions {
  readonly signal: AbortSignal;
  /** Uses an embedded engine in place of Redis. Its data ends with the process. */
  readonly ephemeral: boolean;
}

/**
 * The `worker` command: processes jobs until it is closed. Scans run before the webhooks are provisioned; their alerts wait
 * in the queue. Throws `ConfigError` for a configuration that a worker cannot run with.
 */
export async function runWorker(loaded: LoadedConfig, options: WorkerOptions) {
  requireRedis(loaded, options);
  const log = createLogger(loaded);
  const release = captureConsole(log);
  const opened: (() => Promise<unknown>)[] = [async () => release()];
  const close = async (): Promise<void> => {
    for (const step of opened.splice(0).reverse()) await step();
  };
  try {
    await openWorker(loaded, options.signal, log, (step) => opened.push(step));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    async close() {
      await close();
      log.info('worker stopped');
    },
  };
}

/** Opens the parts of a worker. `onClose` receives a function that closes each part, in the order of opening. */
async function openWorker(
  loaded: LoadedConfig,
  signal: AbortSignal,
  log: Logger,
  onClose: (step: () => Promise<unknown>) => void,
): Promise<void> {
  const { config } = loaded;
  const store = await openStore(loaded, log, { refused: 'wait' });
  onClose(store.close);
  const note = await checkRedis(store, log);
  if (store.embedded !== undefined) {
    log.warn({ url: store.embedded.url }, '--ephemeral: embedded engine; its data ends with this process');
  }
  const notifier = await openAlerts(loaded, store, log, signal, onClose);
  const contracts = await openContracts(loaded, store.cache, log);
  if (contracts !== undefined) onClose(contracts.close);
  const pipeline = await startPipeline(loaded, store, {
    log,
    contracts,
    schedules: [
      ...(contracts === undefined ? [] : [contracts.schedule]),
      ...(config.notify === undefined ? [] : digestSchedules(store, config.notify)),
    ],
    notifier,
  });
  onClose(() => pipeline.close(config.worker.shutdownGrace));
  const health = await openHealth(loaded, store, notifier, note);
  if (health !== undefined) onClose(health.close);
  log.info({ prefix: store.prefix, health: health?.url }, 'worker ready');
}

/** Delivery of alerts. Keeps the webhooks provisioned until it is closed. `undefined` when no receiver is configured. */
async function openAlerts(
  loaded: LoadedConfig,
  store: Store,
  log: Logger,
  signal: AbortSignal,
  onClose: (step: () => Promise<unknown>) => void,
): Promise<NotifierHandle | undefined> {
  const { notify } = loaded.config;
  if (notify === undefined) {
    log.warn('notify is not configured: changes are recorded, and no alerts are sent');
    return undefined;
  }
  const notifier = await openNotifier(loaded, notify, store, log);
  onClose(notifier.close);
  const stop = new AbortController();
  const provisioning = keepProvisioned(notifier, {
    log,
    signal: AbortSignal.any([signal, stop.signal]),
    recheckMs: notify.recheck,
  });
  onClose(() => {
    stop.abort();
    return provisioning;
  });
  return notifier;
}

/** A worker without Redis loses all state when it ends, so it has to be requested explicitly. */
function requireRedis({ config }: LoadedConfig, { ephemeral }: WorkerOptions): void {
  if (ephemeral && config.redis.url !== undefined) {
    throw new ConfigError(
      'config-invalid',
      '--ephemeral runs without Redis, but redis.url is set: remove one of them',
    );
  }
  if (!ephemeral && config.redis.url === undefined) {
    throw new ConfigError(
      'config-invalid',
      'redis.url is not set. Without Redis a worker stores nothing, producers cannot reach it, and it would send every ' +
        'alert again after a restart. Set redis.url (or REDIS_URL), or add --ephemeral to try it without Redis',
    );
  }
}

async function openHealth(
  { config }: LoadedConfig,
  store: Store,
  notifier: NotifierHandle | undefined,
  redisNote: string | undefined,
) {
  const { healthPort, healthHost } = config.worker;
  if (healthPort === undefined) return undefined;
  const { startHealthServer } = await import('../server/health.ts');
  const probes = workerProbes(store, notifier, redisNote);
  return await startHealthServer({ host: healthHost, port: healthPort, probes });
}

const NOT_PERSISTENT =
  'Redis does not write to disk: queued scans and alerts are lost when it restarts. Set `appendonly yes`, and ' +
  '`appendfsync always` if no alert may be lost in a power failure (docs/redis.md)';

/**
 * Refuses a Redis that evicts keys, because jobs and alerts would be lost: throws `StoreError` (`evicting`). Returns a
 * warning about one that does not write to disk.
 */
async function checkRedis({ redis, urls, embedded }: Store, log: Logger): Promise<string | undefined> {
  if (embedded !== undefined) return undefined;
  const { evictionPolicy = 'noeviction', persistent } = await readServerSettings(redis);
  if (evictionPolicy !== 'noeviction') {
    const where = formatAddresses(parseAddresses(urls));
    throw new StoreError(
      'evicting',
      `Redis at ${where} evicts keys when its memory is full (maxmemory-policy ${evictionPolicy}), so jobs and alerts ` +
        'would be lost. Set `maxmemory-policy noeviction`, or set redis.url to a Redis for Lockhound alone.',
    );
  }
  if (persistent !== false) return undefined;
  log.warn(NOT_PERSISTENT);
  return NOT_PERSISTENT;
}
