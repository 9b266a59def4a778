import type { FastifyInstance } from 'fastify';

/** Metrics in the text format of Prometheus. */
export interface ScrapedMetrics {
  readonly contentType: string;
  /** Resolves within a few seconds, whatever Redis does. */
  text(): Promise<string>;
}

/** Serves `GET /metrics`. */
export function mountMetrics(
  server: Pick<FastifyInstance, 'get'>,
  { contentType, text }: ScrapedMetrics,
): void {
  server.get('/metrics', async (_request, reply) => reply.type(contentType).send(await text()));
}
