import type { DestinationStream, Logger } from 'pino';
import { ConfigError } from '../config/errors.ts';
import type { LoadedConfig } from '../config/load.ts';
import { messageOf } from '../model/errors.ts';
import { dataFaults } from '../model/telemetry.ts';
import { raceAbort, within } from '../model/time-limit.ts';
import { StoreError } from '../store/errors.ts';
import { formatAddresses, parseAddresses } from '../store/redis/address.ts';
import { readServerSettings } from '../store/redis/server-settings.ts';
import { isFollowing } from './advisory-feed.ts';
import { openContracts } from './contracts.ts';
import { openExploits } from './exploits.ts';
import { captureConsole, createLogger, logConfigNotes } from './logger.ts';
import { keepProvisioned, type NotifierHandle, openNotifier } from './notify/notifier.ts';
import { startPipeline } from './pipeline.ts';
import { isInspecting, NO_ROUTING, reuseOf } from './ports.ts';
import { waitForRedis } from './redis-connection.ts';
import { openStores, type Store } from './store.ts';
import { openTracing } from './tracing.ts';
import { dayCountSchedule, digestSchedules, refreshSchedules } from './worker/schedules.ts';

import { openWatch, storeConfiguredSchedules } from './worker/watch.ts';
import type { MonitoredWorker } from './worker/worker-health.ts';
import { monitorWorker, openWorkerMetrics, startWorkerHealth } from './worker/worker-health.ts';
import { keepPresence, measureLoad } from './worker/worker-presence.ts';

/** Time for closing one part of a worker, in addition to the grace time of running jobs. */
const CLOSING_MS = 10_000;

interface WorkerOptions {
  readonly signal: AbortSignal;
  /** Uses an embedded engine in place of Redis. Its data ends with the process. */
  readonly ephemeral: boolean;
  /** Indexes of the shards whose jobs this worker runs. Default: all. */
  readonly shards?: readonly number[] | undefined;
  /** Whether the API is served in this process, which then shows metrics and readiness. */
  readonly serving?: boolean;
  /** The destination of its log. Default: standard error. */
  readonly log?: DestinationStream;
}

/**
 * The `worker` command: processes jobs until it is closed. Scans run before the webhooks are provisioned; their alerts wait
 * in the queue. Throws `ConfigError` for a configuration that a worker cannot run with.
 */
export async function runWorker(loaded: LoadedConfig, options: WorkerOptions) {
  requireRedis(loaded, options);
  requireKnownShards(loaded, options);
  const { config } = loaded;
  const log = createLogger(loaded, options.log);
  const release = captureConsole(log);
  const opened: (() => Promise<unknown>)[] = [async () => release()];
  const close = async (): Promise<void> => {
    const limitMs = config.worker.shutdownGrace + CLOSING_MS;
    // A part that Redis or a service keeps from closing must not keep a stopped worker alive.
    const late = () =>
      log.warn({ limitMs }, 'a part of the worker did not close in time; it is left as it is');
    const parts = opened.splice(0).reverse();
    await closeInTurn(parts.map((step) => () => within(step(), limitMs, late)));
  };
  let isClosed = false;
  const opening = openWorker(loaded, options, log, (step) => {
    opened.push(step);
    // It was opened after the end. The process ends soon.
    if (isClosed) void close().catch((error: unknown) => log.warn({ error: messageOf(error) }, 'not closed'));
  });
  // A part that writes does not open while Redis accepts no writes.
  const { lost, monitored } = await raceAbort(opening, options.signal).catch(async (error: unknown) => {
    isClosed = true;
    await close();
    throw error;
  });
  return {
    /** Aborts when the worker must not go on. */
    lost,
    /** The state for the server of the API. */
    monitored,
    async close() {
      await close();
      log.info('worker stopped');
    },
  };
}

/** Closes parts one after the other, also when one of them fails. Throws the first error after all. */
export async function closeInTurn(parts: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of parts) await close().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** A refresh of what changed begins within this time. */
const LISTED_MS = 10_000;

/** Opens the parts of a worker. `onClose` receives a function that closes each part, in the order of opening. */
async function openWorker(
  loaded: LoadedConfig,
  { signal, shards, serving = false }: WorkerOptions,
  log: Logger,
  onClose: (step: () => Promise<unknown>) => void,
): Promise<{ readonly lost: AbortSignal; readonly monitored: MonitoredWorker | undefined }> {
  const { config } = loaded;
  const health = await startWorkerHealth(loaded);
  if (health !== undefined) onClose(health.close);
  const waiting = waitForRedis(log, signal, health);
  const stores = await openStores(loaded, log, { refused: 'wait', waiting });
  onClose(stores.close);
  const own = stores.shards.filter(({ shard }) => shards?.includes(shard.index) !== false);
  // What is no part of a shard is the same in all of them.
  const store = stores.shards[0] as Store;
  const note = await checkRedis(store, log);
  logConfigNotes(loaded, log);
  const tracing = await openTracing(loaded, log);
  if (tracing !== undefined) onClose(tracing.close);
  const load = measureLoad();
  onClose(async () => load.close());
  const ending = dataFaults.subscribe(({ data, reason }) => {
    if (reason !== undefined) log.error({ data }, `imported data are not whole or not up to date: ${reason}`);
  });
  onClose(async () => ending());
  const presence = await keepPresence(stores, {
    shards: stores.shards.length,
    lockDurationMs: config.worker.lockDuration,
    log,
    settings: {
      concurrency: config.insights.concurrency,
      ...(shards === undefined ? {} : { shards: [...shards] }),
    },
    state: () => ({ load: load.read(), traces: tracing?.state() ?? 'off', faults: load.faults() }),
  });
  onClose(presence.close);
  if (store.embedded !== undefined) {
    log.warn({ url: store.embedded.url }, '--ephemeral: embedded engine; its data ends with this process');
  }
  const notifier = await openAlerts(loaded, store, log, signal, onClose);
  const contracts = await openContracts(loaded, store.cache, log);
  if (contracts !== undefined) onClose(contracts.close);
  for (const shard of own) await storeConfiguredSchedules(loaded, shard, log);
  const watch = openWatch(loaded, stores);
  onClose(watch.close);
  const metrics = await openWorkerMetrics(loaded, stores.shards, serving);
  if (metrics !== undefined) onClose(metrics.close);
  const exploits = openExploits(loaded, stores, log);
  onClose(exploits.close);
  const pipeline = await startPipeline(
    loaded,
    { own, of: stores.of },
    {
      log,
      watch: watch.of,
      contracts,
      exploits: exploits.port,
      schedules: (shard) => [
        // Once for all shards: its job runs in the shard of its target.
        ...(contracts === undefined || shard.shard.index > 0 ? [] : [contracts.schedule]),
        ...(shard.shard.index > 0 ? [] : [...exploits.schedules, dayCountSchedule(stores.shards)]),
        ...(config.notify === undefined ? [] : digestSchedules(shard, config.notify)),
        watch.of(shard).unwatched,
        ...refreshSchedules(
          shard,
          { ...config.watch, inspect: isInspecting(config) },
          {
            settings: reuseOf(loaded, notifier?.routing).settings,
            routing: notifier?.routing ?? NO_ROUTING,
            listedEvery: isFollowing(config) ? Math.min(LISTED_MS, config.data.osv.every) : 0,
            log,
          },
        ),
      ],
      notifier,
      telemetry: tracing?.telemetry,
      onEvent(event) {
        load.onEvent(event);
        metrics?.onEvent(event);
      },
    },
  );
  onClose(() => pipeline.close(config.worker.shutdownGrace));
  const monitored = await monitorWorker(loaded, own, { notifier, redisNote: note, metrics });
  if (monitored !== undefined) health?.show(monitored);
  log.info({ prefix: config.redis.prefix, shards: shardsText(own), health: health?.url }, 'worker ready');
  return { lost: presence.lost, monitored };
}

/** The text about shards for the log; absent when there is only one. */
function shardsText(own: readonly Store[]): string | undefined {
  const count = own[0]?.shard.count ?? 1;
  return count === 1 ? undefined : `${own.map(({ shard }) => shard.index).join(', ')} of ${count}`;
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
      '--ephemeral runs without Redis, but redis.url or redis.sentinels is set: remove one of them',
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

/** Throws `ConfigError` for a shard that does not exist. */
function requireKnownShards({ config }: LoadedConfig, { shards = [] }: WorkerOptions): void {
  const { shards: count } = config.redis;
  const unknown = shards.find((index) => index >= count);
  if (unknown === undefined) return;
  throw new ConfigError(
    'config-invalid',
    `--shard ${unknown}: redis.shards is ${count}, so shards are 0 to ${count - 1}`,
  );
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
