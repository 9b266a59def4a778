import type { LoadedConfig } from '../config/load.ts';
import { openContracts } from './contracts.ts';
import { digestSchedules } from './digests.ts';
import { keepProvisioned } from './keep-provisioned.ts';
import { createLogger } from './logger.ts';
import { type NotifierHandle, openNotifier } from './notifier.ts';
import { startPipeline } from './pipeline.ts';
import { openStore, type Store } from './store.ts';

/**
 * The `worker` command: works until closed. Until the platform is provisioned scans go on, and their alerts wait in the
 * queue.
 */
export async function runWorker(loaded: LoadedConfig, { signal }: { readonly signal: AbortSignal }) {
  const { config } = loaded;
  const log = createLogger(loaded);
  const store = await openStore(loaded, log);
  if (store.embedded !== undefined) {
    log.warn({ url: store.embedded.url }, 'no redis.url: embedded engine, nothing outlives this process');
  }
  const notifier =
    config.notify === undefined ? undefined : await openNotifier(loaded, config.notify, store, log);
  if (notifier === undefined) log.warn('no notify configuration: changes are recorded, nobody is alerted');
  const stop = new AbortController();
  const provisioning =
    notifier === undefined
      ? Promise.resolve()
      : keepProvisioned(notifier, {
          log,
          signal: AbortSignal.any([signal, stop.signal]),
          recheckMs: config.notify?.recheck ?? 0,
        });
  const contracts = await openContracts(loaded, store.cache, log);
  const pipeline = await startPipeline(loaded, store, {
    log,
    contracts,
    schedules: [
      ...(contracts === undefined ? [] : [contracts.schedule]),
      ...(config.notify === undefined ? [] : digestSchedules(store, config.notify)),
    ],
    ...(notifier === undefined ? {} : { notifier }),
  });
  const health = await openHealth(loaded, store, notifier);
  log.info({ prefix: store.prefix, health: health?.url }, 'worker ready');
  return {
    async close() {
      stop.abort();
      await provisioning;
      await health?.close();
      await pipeline.close(config.worker.shutdownGrace);
      await contracts?.close();
      await notifier?.close();
      await store.close();
      log.info('worker stopped');
    },
  };
}

async function openHealth({ config }: LoadedConfig, store: Store, notifier: NotifierHandle | undefined) {
  const { healthPort, healthHost } = config.worker;
  if (healthPort === undefined) return undefined;
  const { startHealthServer } = await import('../server/health.ts');
  return await startHealthServer({
    host: healthHost,
    port: healthPort,
    checks: async () => {
      const webhook = notifier?.fault();
      const drift = notifier?.drift();
      return [
        {
          name: 'redis',
          ...(store.redis.status === 'ready' ? {} : { fault: `connection is ${store.redis.status}` }),
        },
        {
          name: 'webhook',
          ...(webhook === undefined ? {} : { fault: webhook }),
          ...(drift === undefined ? {} : { note: drift }),
        },
      ];
    },
  });
}
