import type { FastifyInstance, FastifyRequest } from 'fastify';
import { openMetrics } from '../../compose/metrics.ts';
import { probedShards } from '../../compose/probed-shards.ts';
import type { MonitoredWorker } from '../../compose/worker/worker-health.ts';
import type { Principal } from '../../server/api/principal.ts';
import { Refusal } from '../../server/api/problem.ts';
import { type Probe, readinessOf } from '../../server/health.ts';
import { mountMetrics } from '../../server/metrics/mount.ts';
import { redisProbe } from '../../server/probes.ts';
import type { FleetView } from '../../server/view/fleet-view.ts';
import type { SharedStore } from '../shared-store.ts';
import type { ServeContext } from './serve-context.ts';

interface Monitored extends Pick<ServeContext, 'loaded' | 'view'> {
  readonly shared: Pick<SharedStore, 'shards'>;
  readonly worker: MonitoredWorker | undefined;
}

/**
 * Adds `/healthz` (the process runs) and `/readyz` (it can answer, and its worker can work), which need no role, and `/metrics` for
 * callers who see every target. With a worker in this process, metrics and readiness are those of both. Returns a function that ends the
 * measurements.
 */
export function addMonitoring(
  app: FastifyInstance,
  { loaded, shared, view, worker }: Monitored,
  authenticate: (request: FastifyRequest) => Promise<Principal>,
): () => Promise<void> {
  const shards = shared.shards.map(({ store }) => store);
  const metrics = worker?.metrics ?? openMetrics(loaded, shards);
  const onRequest = async (request: FastifyRequest): Promise<void> => {
    const { seesAll, name } = await authenticate(request);
    if (seesAll) return;
    throw new Refusal(
      403,
      'target-forbidden',
      `these are numbers of all targets, and ${name} sees only some`,
    );
  };
  const probes = [...(worker?.probes ?? [redisProbe(probedShards(shards))]), fleetProbe(view)];
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (request, reply) => {
    const { code, status, checks } = await readinessOf(probes);
    // Reasons name targets and routes.
    const isNamed = request.headers.authorization !== undefined && (await authenticate(request)).seesAll;
    return reply.code(code).send(isNamed ? { status, checks } : { status });
  });
  app.register(async (guarded) => {
    guarded.addHook('onRequest', onRequest);
    mountMetrics(guarded, metrics);
  });
  // Those of a worker end with it.
  return worker === undefined ? metrics.close : async () => {};
}

/** Whether the fleet was read. */
function fleetProbe(view: Pick<FleetView, 'snapshot'>): Probe {
  const name = 'fleet';
  return {
    name,
    check: async () => [
      { name, ...(view.snapshot() === undefined ? { fault: 'the fleet is being read' } : {}) },
    ],
  };
}
