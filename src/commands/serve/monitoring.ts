import type { FastifyInstance, FastifyRequest } from 'fastify';
import { openMetrics } from '../../compose/metrics.ts';
import type { Principal } from '../../server/api/principal.ts';
import { Refusal } from '../../server/api/problem.ts';
import { mountMetrics } from '../../server/metrics/mount.ts';
import type { SharedStore } from '../shared-store.ts';
import type { ServeContext } from './serve-context.ts';

interface Monitored extends Pick<ServeContext, 'loaded' | 'health'> {
  readonly shared: Pick<SharedStore, 'shards'>;
}

/**
 * Adds `/healthz` (the process runs), which needs no role, and `/metrics` and `/health` (the verdict of `lockhound health`) for callers
 * who see every target. Returns a function that ends the measurements.
 */
export function addMonitoring(
  app: FastifyInstance,
  { loaded, shared, health }: Monitored,
  authenticate: (request: FastifyRequest) => Promise<Principal>,
): () => Promise<void> {
  const shards = shared.shards.map(({ store }) => store);
  const metrics = openMetrics(loaded, shards);
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
