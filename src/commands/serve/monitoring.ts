import type { FastifyInstance, FastifyRequest } from 'fastify';
import { openHealth } from '../../compose/health.ts';
import { openMetrics } from '../../compose/metrics.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { Principal } from '../../server/api/principal.ts';
import { Refusal } from '../../server/api/problem.ts';
import { mountMetrics } from '../../server/metrics/mount.ts';
import { createWorkerRecords } from '../../store/worker-records.ts';
import type { SharedStore } from '../shared-store.ts';

/**
 * Adds `/healthz` (the process runs), which needs no role, and `/metrics` and `/health` (the verdict of `lockhound health`) for callers
 * who see every target. Returns a function that ends the measurements.
 */
export function addMonitoring(
  app: FastifyInstance,
  {
    loaded,
    shared,
  }: { readonly loaded: LoadedConfig; readonly shared: Pick<SharedStore, 'shards' | 'store'> },
  authenticate: (request: FastifyRequest) => Promise<Principal>,
): () => Promise<void> {
  const shards = shared.shards.map(({ store }) => store);
  const workers = createWorkerRecords(shared.store.redis, loaded.config.redis.prefix);
  const metrics = openMetrics(loaded, shards);
  const health = openHealth(loaded, { shards, workers });
  const onRequest = async (request: FastifyRequest): Promise<void> => {
    const { seesAll, name } = await authenticate(request);
    if (seesAll) return;
    throw new Refusal(
      403,
      'target-forbidden',
      `these are numbers of all targets, and ${name} sees only some`,
    );
  };
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.register(async (guarded) => {
    guarded.addHook('onRequest', onRequest);
    guarded.get('/health', async () => await health());
    mountMetrics(guarded, metrics);
  });
  return metrics.close;
}
