import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';

/** When the state of each target changed last, for processes that follow the store. Written by the script that saves a state. */
export interface TouchedTargets {
  /** Targets whose state changed at this time or later (ms since 1970, by the clock of Redis), and the newest such time. */
  since(time: number): Promise<{ readonly targets: readonly string[]; readonly newest: number }>;
  /** Number of targets with a state. */
  count(): Promise<number>;
  /** The revisions of the states of these targets, in the same order; `undefined` for a target without a state. */
  revisions(targets: readonly string[]): Promise<readonly (string | undefined)[]>;
}

export function createTouchedTargets(redis: RedisClient, keys: Keys): TouchedTargets {
  return {
    async since(time) {
      const found = await redis.zrangebyscore(keys.touchedTargets, time, '+inf', 'WITHSCORES');
      const targets = found.filter((_, index) => index % 2 === 0);
      return { targets, newest: Number(found.at(-1) ?? time) };
    },
    count: () => redis.scard(keys.targets),
    async revisions(targets) {
      const found = await Promise.all(targets.map((target) => redis.hget(keys.target(target), 'revision')));
      return found.map((revision) => revision ?? undefined);
    },
  };
}
