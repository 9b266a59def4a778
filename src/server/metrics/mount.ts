import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Metrics in the text format of Prometheus. */
export interface ScrapedMetrics {
  readonly contentType: string;
  /** Resolves within a few seconds, whatever Redis does. */
  text(): Promise<string>;
}

/** Serves `GET /metrics`: for each request those that `current` returns. */
export function mountMetrics(
  server: Pick<FastifyInstance, 'get'>,
  current: (request: FastifyRequest) => ScrapedMetrics | Promise<ScrapedMetrics>,
): void {
  server.get('/metrics', async (request, reply) => {
    const { contentType, text } = await current(request);
    return reply.type(contentType).send(await text());
  });
}
