import type { StoppedRoute } from '../../model/alert/delivery.ts';
import { STOPPED_ROUTE } from '../../model/stored/catalog.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { type OnUnreadable, readEach, readValue, writeText } from '../values/stored-values.ts';

/** Routes that are stopped for all workers until an operator resumes them. */
export function createStoppedRoutes(
  redis: RedisClient,
  keys: Keys,
  { onUnreadable, now }: { readonly onUnreadable: OnUnreadable; readonly now: () => number },
) {
  const key = keys.stoppedRoutes;
  const read = (route: string, text: string): Promise<StoppedRoute> => {
    const remedy = `Resume the route: \`lockhound deliveries resume ${route}\`.`;
    return readValue(STOPPED_ROUTE, text, { key, field: route, remedy });
  };
  return {
    /** False when it was stopped already: the first reason stays. */
    async stopRoute(route: string, reason: string): Promise<boolean> {
      const stopped = { route, at: new Date(now()).toISOString(), reason };
      return (await redis.hsetnx(key, route, writeText(STOPPED_ROUTE, stopped))) === 1;
    },
    /** False when it was not stopped. */
    resumeRoute: async (route: string) => (await redis.hdel(key, route)) === 1,
    /** Throws `state-corrupt` or `state-newer`: a route whose entry cannot be read stays stopped. */
    async stoppedRoute(route: string): Promise<StoppedRoute | undefined> {
      const stored = await redis.hget(key, route);
      return stored === null ? undefined : await read(route, stored);
    },
    /** An entry that cannot be read is reported and left out. */
    async stoppedRoutes(): Promise<readonly StoppedRoute[]> {
      const stored = Object.entries(await redis.hgetall(key));
      return await readEach(stored, ([route, text]) => read(route, text), onUnreadable);
    },
  };
}
