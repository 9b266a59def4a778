import Fastify from 'fastify';
import { messageOf } from '../model/errors.ts';
import { within } from '../model/within.ts';
import { mountMetrics, type ScrapedMetrics } from './metrics/mount.ts';

const DEFAULT_LIMIT_MS = 3_000;

export interface HealthOptions {
  readonly host: string;
  /** 0: the system chooses a port. */
  readonly port: number;
  readonly probes: readonly Probe[];
  /** Served as `/metrics`. */
  readonly metrics?: ScrapedMetrics | undefined;
  /** Time limit of one probe in milliseconds. Default 3,000. */
  readonly limitMs?: number;
}

/** Checks one component. A probe that fails or exceeds the limit is reported as a fault and does not delay others. */
export interface Probe {
  readonly name: string;
  check(): Promise<readonly Check[]>;
}

/** A condition of readiness. `fault` says why it is not met; `note` is information that does not affect readiness. */
export interface Check {
  readonly name: string;
  readonly fault?: string | undefined;
  readonly note?: string | undefined;
}

/**
 * Serves `GET /healthz` (always 200), `GET /readyz` (200 when every check passes, else 503 with the reasons) and `GET /metrics`.
 */
export async function startHealthServer(options: HealthOptions) {
  const { host, port, probes, metrics, limitMs = DEFAULT_LIMIT_MS } = options;
  const server = Fastify({ logger: false });
  server.get('/healthz', async () => ({ status: 'ok' }));
  server.get('/readyz', async (_request, reply) => {
    const { code, ...readiness } = await readinessOf(probes, limitMs);
    return reply.code(code).send(readiness);
  });
  if (metrics !== undefined) mountMetrics(server, metrics);
  const url = await server.listen({ host, port });
  return { url, close: () => server.close() };
}

/** What all probes find, with the HTTP status of `/readyz`. */
export async function readinessOf(probes: readonly Probe[], limitMs = DEFAULT_LIMIT_MS) {
  const checks = (await Promise.all(probes.map((probe) => run(probe, limitMs)))).flat();
  const isReady = checks.every(({ fault }) => fault === undefined);
  return { code: isReady ? 200 : 503, status: isReady ? 'ok' : 'not ready', checks };
}

async function run({ name, check }: Probe, limitMs: number): Promise<readonly Check[]> {
  try {
    return await within(check(), limitMs, () => [
      { name, fault: `could not be checked within ${limitMs} ms` },
    ]);
  } catch (error) {
    return [{ name, fault: `could not be checked: ${messageOf(error)}` }];
  }
}
