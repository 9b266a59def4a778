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

export const REDIS_UP = { name: 'lockhound_redis_up', help: '1 when Redis answered the scrape, else 0.' };

/** The metrics of a process that cannot ask Redis: before its first connection, and for callers whose token cannot be checked. */
export const WITHOUT_REDIS: ScrapedMetrics = {
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  text: async () =>
    `# HELP ${REDIS_UP.name} ${REDIS_UP.help}\n# TYPE ${REDIS_UP.name} gauge\n${REDIS_UP.name} 0\n`,
};
