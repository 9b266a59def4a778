import type { Logger } from 'pino';
import { ConfigError } from '../config/errors.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Check } from '../server/health.ts';
import { alertChecks } from './alert-checks.ts';
import { captureConsole } from './console.ts';
import { openContracts } from './contracts.ts';
import { digestSchedules } from './digests.ts';
import { keepProvisioned } from './keep-provisioned.ts';
import { createLogger } from './logger.ts';
import { type NotifierHandle, openNotifier } from './notifier.ts';
import { startPipeline } from './pipeline.ts';
import { checkRedis, redisHealth } from './redis-check.ts';
import { openStore, type Store } from './store.ts';

export interface WorkerOptions {
  readonly signal: AbortSignal;
  /** Runs on an embedded engine that ends with the process, in place of Redis. */
  readonly ephemeral: boolean;
}

/**
 * The `worker` command: works until closed. Until the platform is provisioned scans go on, and their alerts wait in the
 * queue. Throws `ConfigError` for a configuration that a worker cannot run with; nothing stays open then.
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

/** Opens all that a worker consists of; `onClose` takes what closes each part, in the order of opening. */
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
    log.warn({ url: store.embedded.url }, '--ephemeral: embedded engine, nothing outlives this process');
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
    ...(notifier === undefined ? {} : { notifier }),
  });
  onClose(() => pipeline.close(config.worker.shutdownGrace));
  const health = await openHealth(loaded, store, notifier, note);
  if (health !== undefined) onClose(health.close);
  log.info({ prefix: store.prefix, health: health?.url }, 'worker ready');
}

/** The way to receivers, kept provisioned until it is closed; `undefined` when none is configured. */
async function openAlerts(
  loaded: LoadedConfig,
  store: Store,
  log: Logger,
  signal: AbortSignal,
  onClose: (step: () => Promise<unknown>) => void,
): Promise<NotifierHandle | undefined> {
  const { notify } = loaded.config;
  if (notify === undefined) {
    log.warn('no notify configuration: changes are recorded, nobody is alerted');
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

/** A worker without Redis is for a look only, and it must be what was meant. */
function requireRedis({ config }: LoadedConfig, { ephemeral }: WorkerOptions): void {
  if (ephemeral && config.redis.url !== undefined) {
    throw new ConfigError(
      'config-invalid',
      '--ephemeral runs without Redis, but redis.url is set: leave one of them out',
    );
  }
  if (!ephemeral && config.redis.url === undefined) {
    throw new ConfigError(
      'config-invalid',
      'redis.url is not set: without Redis a worker keeps nothing, no producer can reach it, and after each restart it ' +
        'would send every alert again. Set redis.url (or REDIS_URL), or add --ephemeral to try it without',
    );
  }
}

async function openHealth(
  { config }: LoadedConfig,
  store: Store,
  notifier: NotifierHandle | undefined,
  note: string | undefined,
) {
  const { healthPort, healthHost } = config.worker;
  if (healthPort === undefined) return undefined;
  const { startHealthServer } = await import('../server/health.ts');
  return await startHealthServer({
    host: healthHost,
    port: healthPort,
    probes: [
      { name: 'redis', check: async () => [await redisHealth(store, note)] },
      { name: 'webhook', check: async () => [webhookCheck(notifier)] },
      { name: 'routes', check: alertChecks(store, notifier) },
      { name: 'scans', check: async () => [await incompleteScans(store)] },
      { name: 'rejected', check: async () => [await rejectedPayloads(store)] },
    ],
  });
}

function webhookCheck(notifier: NotifierHandle | undefined): Check {
  const fault = notifier?.fault();
  const note = notifier?.drift();
  return {
    name: 'webhook',
    ...(fault === undefined ? {} : { fault }),
    ...(note === undefined ? {} : { note }),
  };
}

/** Payloads that did not fit are for an operator to look at. */
async function rejectedPayloads({ redis, rejected }: Store): Promise<Check> {
  const count = redis.status === 'ready' ? await rejected.count() : 0;
  if (count === 0) return { name: 'rejected' };
  const what = count === 1 ? '1 payload was' : `${count} payloads were`;
  return { name: 'rejected', note: `${what} rejected: \`lockhound rejected list\`` };
}

/** Says how many targets were not seen whole; nothing while Redis does not answer, which is a fault of its own. */
async function incompleteScans({ redis, targets }: Store): Promise<Check> {
  const count = redis.status === 'ready' ? await targets.countIncomplete() : 0;
  if (count === 0) return { name: 'scans' };
  const what = count === 1 ? 'of 1 target' : `of ${count} targets`;
  const note = `the last scan ${what} was incomplete: findings that it could not look for stay open`;
  return { name: 'scans', note };
}
