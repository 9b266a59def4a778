import type { StoppedRoute } from '../../model/alert/delivery.ts';
import { STOPPED_ROUTE } from '../../model/stored/catalog.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { createHashValues } from '../values/hash-values.ts';
import { type OnUnreadable, writeText } from '../values/stored-values.ts';

/** Routes that are stopped for all workers until an operator resumes them. */
export function createStoppedRoutes(
  redis: RedisClient,
  keys: Keys,
  { onUnreadable, now }: { readonly onUnreadable: OnUnreadable; readonly now: () => number },
) {
  const key = keys.stoppedRoutes;
  const remedy = (route: string) => `Resume the route: \`lockhound deliveries resume ${route}\`.`;
  const stopped = createHashValues(redis, STOPPED_ROUTE, { key, remedy, onUnreadable });
  return {
    /** False when it was stopped already: the first reason stays. */
    async stopRoute(route: string, reason: string): Promise<boolean> {
      const entry = { route, at: new Date(now()).toISOString(), reason };
      return (await redis.hsetnx(key, route, writeText(STOPPED_ROUTE, entry))) === 1;
    },
    /** False when it was not stopped. */
    resumeRoute: async (route: string) => (await redis.hdel(key, route)) === 1,
    /** Throws `state-corrupt` or `state-newer`: a route whose entry cannot be read stays stopped. */
    stoppedRoute: stopped.find,
    /** An entry that cannot be read is reported and left out. */
    stoppedRoutes: async (): Promise<readonly StoppedRoute[]> =>
      (await stopped.all()).map(([, route]) => route),
  };
}
