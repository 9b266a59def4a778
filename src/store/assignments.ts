import type { Assignment } from '../model/scan/assignment.ts';
import { ASSIGNMENT } from '../model/stored/catalog.ts';
import type { Keys } from './keys.ts';
import type { RedisClient } from './redis/connection.ts';
import { createHashValues } from './values/hash-values.ts';
import { type OnUnreadable, writeText } from './values/stored-values.ts';

/** Issues that can be assigned at a time, of about 200 bytes each. */
export const MAX_ASSIGNMENTS = 20_000;

/** Who works on which issue, by the id of the issue, for all shards. */
export function createAssignments(redis: RedisClient, keys: Keys, onUnreadable?: OnUnreadable) {
  const key = keys.assignments;
  const remedy = 'The issue counts as not assigned. Assign it again.';
  const values = createHashValues(redis, ASSIGNMENT, { key, remedy, onUnreadable });
  return {
    count: (): Promise<number> => redis.hlen(key),
    /** All of them. One that cannot be read is reported and left out. */
    all: async (): Promise<ReadonlyMap<string, Assignment>> => new Map(await values.all()),
    /** The assignments of these issues. */
    some: async (issues: readonly string[]): Promise<ReadonlyMap<string, Assignment>> =>
      new Map(await values.some([...new Set(issues)])),
    /** `undefined`: nobody works on them. */
    async put(issues: readonly string[], assignment: Assignment | undefined): Promise<void> {
      if (assignment === undefined) await redis.hdel(key, ...issues);
      else {
        const text = writeText(ASSIGNMENT, assignment);
        await redis.hset(key, ...issues.flatMap((issue) => [issue, text]));
      }
    },
  };
}
