import type { FastifyInstance, FastifyRequest } from 'fastify';
import { openMetrics } from '../../compose/metrics.ts';
import { type MonitoredWorker, probedShards } from '../../compose/worker/worker-health.ts';
import type { FleetView } from '../../fleet/view/fleet-view.ts';
import { within } from '../../model/time-limit.ts';
import type { Principal } from '../../operations/principal.ts';
import { Refusal } from '../../operations/refusal.ts';
import { type Probe, readinessOf, type ShownHealth } from '../health.ts';
import { redisProbe } from '../probes.ts';
import type { ServeContext } from '../serve-context.ts';
import { mountMetrics, type ScrapedMetrics, WITHOUT_REDIS } from './mount.ts';

/** Time limit for learning who asks for metrics: less than that of a scrape. */
const AUTHENTICATION_MS = 2_000;

interface Monitored extends Pick<ServeContext, 'loaded' | 'view' | 'fleet'> {
  readonly worker: MonitoredWorker | undefined;
}

/**
 * Adds `/healthz` (the process runs) and `/readyz` (it can answer, and its worker can work), which need no role, and `/metrics` for
 * callers who see every target. With a worker in this process, metrics and readiness are those of both. Returns both, and a function
 * that ends the measurements.
 */
export function addMonitoring(
  app: FastifyInstance,
  { loaded, fleet, view, worker }: Monitored,
  authenticate: (request: FastifyRequest) => Promise<Principal>,
): ShownHealth & { close(): Promise<void> } {
  const { shards } = fleet;
  const metrics = worker?.metrics ?? openMetrics(loaded, shards);
  const current = metricsFor(authenticate, metrics);
  const probes = [...(worker?.probes ?? [redisProbe(probedShards(shards))]), fleetProbe(view)];
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (request, reply) => {
    const { code, status, checks } = await readinessOf(probes);
    // Reasons name targets and routes.
    const isNamed = request.headers.authorization !== undefined && (await authenticate(request)).seesAll;
    return reply.code(code).send(isNamed ? { status, checks } : { status });
  });
  mountMetrics(app, current);
  // Those of a worker end with it.
  return { probes, metrics, close: worker === undefined ? metrics.close : async () => {} };
}

/**
 * Returns a function that checks who asks for metrics. Throws `Refusal` for callers who do not see every target. When Redis cannot say
 * who they are, everybody may know that: a scrape that fails would not say why.
 */
function metricsFor(
  authenticate: (request: FastifyRequest) => Promise<Principal>,
  metrics: ScrapedMetrics,
): (request: FastifyRequest) => Promise<ScrapedMetrics> {
  const away = () => {
    throw new Refusal(503, 'too-slow', `Redis did not answer within ${AUTHENTICATION_MS} ms`);
  };
  return async (request) => {
    try {
      const { seesAll, name } = await within(authenticate(request), AUTHENTICATION_MS, away);
      if (seesAll) return metrics;
      const detail = `these are numbers of all targets, and ${name} sees only some`;
      throw new Refusal(403, 'target-forbidden', detail);
    } catch (error) {
      if (error instanceof Refusal && error.status === 503) return WITHOUT_REDIS;
      throw error;
    }
  };
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
