import type { StoppedRoute } from '../model/alert/delivery.ts';
import { STOPPED_ROUTE } from '../model/stored/catalog.ts';
import type { Keys } from './keys.ts';
import type { RedisClient } from './redis/connection.ts';
import { type OnUnreadable, readEach, readValue, writeText } from './values/stored-values.ts';

/** Routes that are stopped for all workers until an operator resumes them. */
export interface StoppedRoutes {
  /** False when it was stopped already: the first reason stays. */
  stopRoute(route: string, reason: string): Promise<boolean>;
  /** False when it was not stopped. */
  resumeRoute(route: string): Promise<boolean>;
  /** Throws `state-corrupt` or `state-newer`: a route whose entry cannot be read stays stopped. */
  stoppedRoute(route: string): Promise<StoppedRoute | undefined>;
  /** An entry that cannot be read is reported and left out. */
  stoppedRoutes(): Promise<readonly StoppedRoute[]>;
}

export function createStoppedRoutes(
  redis: RedisClient,
  keys: Keys,
  { onUnreadable, now }: { readonly onUnreadable: OnUnreadable; readonly now: () => number },
): StoppedRoutes {
  const key = keys.stoppedRoutes;
  const read = (route: string, text: string): Promise<StoppedRoute> => {
    const remedy = `Resume the route: \`lockhound deliveries resume ${route}\`.`;
    return readValue(STOPPED_ROUTE, text, { key, field: route, remedy });
  };
  return {
    async stopRoute(route, reason) {
      const stopped = { route, at: new Date(now()).toISOString(), reason };
      return (await redis.hsetnx(key, route, writeText(STOPPED_ROUTE, stopped))) === 1;
    },
    resumeRoute: async (route) => (await redis.hdel(key, route)) === 1,
    async stoppedRoute(route) {
      const stored = await redis.hget(key, route);
      return stored === null ? undefined : await read(route, stored);
    },
    async stoppedRoutes() {
      const stored = Object.entries(await redis.hgetall(key));
      return await readEach(stored, ([route, text]) => read(route, text), onUnreadable);
    },
  };
}
