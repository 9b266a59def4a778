import Fastify from 'fastify';

export interface HealthOptions {
  readonly host: string;
  /** 0: chosen by the system. */
  readonly port: number;
  readonly checks: () => Promise<readonly Check[]>;
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
export async function startHealthServer({ host, port, checks }: HealthOptions): Promise<HealthServer> {
  const server = Fastify({ logger: false });
  server.get('/healthz', async () => ({ status: 'ok' }));
  server.get('/readyz', async (_request, reply) => {
    const results = await checks();
    const ready = results.every(({ fault }) => fault === undefined);
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ok' : 'not ready', checks: results });
  });
  const url = await server.listen({ host, port });
  return { url, close: () => server.close() };
}
