import Fastify from 'fastify';
import { messageOf } from '../model/errors.ts';

const DEFAULT_LIMIT_MS = 3_000;

export interface HealthOptions {
  readonly host: string;
  /** 0: chosen by the system. */
  readonly port: number;
  readonly probes: readonly Probe[];
  /** Milliseconds that one probe may take. Default 3,000. */
  readonly limitMs?: number;
}

/** Looks at one thing. A probe that fails or takes too long is a fault under its name, and holds up no other one. */
export interface Probe {
  readonly name: string;
  check(): Promise<readonly Check[]>;
}

/** What has to be true before work is done: a name and, when it is not, the reason. A note is worth knowing only. */
export interface Check {
  readonly name: string;
  readonly fault?: string;
  readonly note?: string;
}

export interface HealthServer {
  readonly url: string;
  close(): Promise<void>;
}

/** `GET /healthz`: the process answers. `GET /readyz`: 200 when every check passes, else 503 with the reasons. */
export async function startHealthServer(options: HealthOptions): Promise<HealthServer> {
  const { host, port, probes, limitMs = DEFAULT_LIMIT_MS } = options;
  const server = Fastify({ logger: false });
  server.get('/healthz', async () => ({ status: 'ok' }));
  server.get('/readyz', async (_request, reply) => {
    const results = (await Promise.all(probes.map((probe) => run(probe, limitMs)))).flat();
    const ready = results.every(({ fault }) => fault === undefined);
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ok' : 'not ready', checks: results });
  });
  const url = await server.listen({ host, port });
  return { url, close: () => server.close() };
}

async function run({ name, check }: Probe, limitMs: number): Promise<readonly Check[]> {
  const late = Promise.withResolvers<readonly Check[]>();
  const timer = setTimeout(
    () => late.resolve([{ name, fault: `could not be checked within ${limitMs} ms` }]),
    limitMs,
  );
  try {
    return await Promise.race([check(), late.promise]);
  } catch (error) {
    return [{ name, fault: `could not be checked: ${messageOf(error)}` }];
  } finally {
    clearTimeout(timer);
  }
}
