import type { ScrapedMetrics } from './mount.ts';

export const REDIS_UP = { name: 'lockhound_redis_up', help: '1 when Redis answered the scrape, else 0.' };

/** The metrics of a process that cannot ask Redis: before its first connection, and for callers whose token cannot be checked. */
export const WITHOUT_REDIS: ScrapedMetrics = {
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  text: async () =>
    `# HELP ${REDIS_UP.name} ${REDIS_UP.help}\n# TYPE ${REDIS_UP.name} gauge\n${REDIS_UP.name} 0\n`,
};
