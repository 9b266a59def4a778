import Fastify from 'fastify';
import { messageOf } from '../model/errors.ts';
import { listen } from '../model/listen.ts';
import { within } from '../model/time-limit.ts';
import { mountMetrics, type ScrapedMetrics, WITHOUT_REDIS } from './metrics/mount.ts';

const DEFAULT_LIMIT_MS = 3_000;

export interface HealthOptions {
  readonly host: string;
  /** 0: the system chooses a port. */
  readonly port: number;
  /** Time limit of one probe in milliseconds. Default 3,000. */
  readonly limitMs?: number;
}

/** The state that the server shows. */
export interface ShownHealth {
  readonly probes: readonly Probe[];
  /** Served as `/metrics`. */
  readonly metrics: ScrapedMetrics;
}

export type HealthServer = Awaited<ReturnType<typeof startHealthServer>>;

/** Checks one component. A probe that fails or exceeds the limit does not delay others. */
export interface Probe {
  readonly name: string;
  /** Whether the process works whatever the probe finds: it has notes only, and without an answer a note that it is not known. */
  readonly informs?: boolean;
  check(): Promise<readonly Check[]>;
}

/** A condition of readiness. `fault` says why it is not met; `note` is information that does not affect readiness. */
export interface Check {
  readonly name: string;
  readonly fault?: string | undefined;
  readonly note?: string | undefined;
}

/**
 * Serves `GET /healthz` (always 200), `GET /readyz` (200 when every check passes, else 503 with the reasons) and `GET /metrics`. A
 * process opens it before it connects to Redis: until `show` is called it is not ready, and its metrics say that Redis is away.
 */
export async function startHealthServer({ host, port, limitMs = DEFAULT_LIMIT_MS }: HealthOptions) {
  let startFault = 'the process is starting';
  let shown: ShownHealth = {
    probes: [{ name: 'start', check: async () => [{ name: 'start', fault: startFault }] }],
    metrics: WITHOUT_REDIS,
  };
  const server = Fastify({ logger: false });
  server.get('/healthz', async () => ({ status: 'ok' }));
  server.get('/readyz', async (_request, reply) => {
    const { code, ...readiness } = await readinessOf(shown.probes, limitMs);
    return reply.code(code).send(readiness);
  });
  mountMetrics(server, () => shown.metrics);
  const url = await listen(server, 'The health server', { host, port });
  return {
    url,
    /** Says what the start of the process waits for. */
    waitFor(fault: string): void {
      startFault = fault;
    },
    show(health: ShownHealth): void {
      shown = health;
    },
    close: () => server.close(),
  };
}

/** The results of all probes, with the HTTP status of `/readyz`. */
export async function readinessOf(probes: readonly Probe[], limitMs = DEFAULT_LIMIT_MS) {
  const checks = (await Promise.all(probes.map((probe) => run(probe, limitMs)))).flat();
  const isReady = checks.every(({ fault }) => fault === undefined);
  return { code: isReady ? 200 : 503, status: isReady ? 'ok' : 'not ready', checks };
}

async function run({ name, informs = false, check }: Probe, limitMs: number): Promise<readonly Check[]> {
  const unknown = (reason: string) => [
    informs ? { name, note: `not known: ${reason}` } : { name, fault: reason },
  ];
  try {
    return await within(check(), limitMs, () => unknown(`could not be checked within ${limitMs} ms`));
  } catch (error) {
    return unknown(`could not be checked: ${messageOf(error)}`);
  }
}
