import type { RejectedPayload } from '../model/queue/rejected-payload.ts';
import { REJECTED_PAYLOAD } from '../model/stored/catalog.ts';
import type { Keys } from './keys.ts';
import type { RedisClient } from './redis/connection.ts';
import { PUT_NEWEST } from './scripts/put-newest.lua.ts';
import { runScript } from './scripts/run-script.ts';
import { createHashValues } from './values/hash-values.ts';
import { type OnUnreadable, writeText } from './values/stored-values.ts';

/** How many payloads are kept. */
export const KEPT_REJECTED = 1_000;
const MAX_DATA_CHARACTERS = 8_192;
const MAX_ISSUES = 50;

/** The newest payloads that do not fit their job's schema. One that cannot be read is reported and left out. */
export type RejectedStore = ReturnType<typeof createRejectedStore>;

export function createRejectedStore(redis: RedisClient, keys: Keys, onUnreadable?: OnUnreadable) {
  const remedy = 'Delete the field to forget the payload.';
  const payloads = createHashValues(redis, REJECTED_PAYLOAD, { key: keys.rejected, remedy, onUnreadable });
  const read = async (names: readonly string[]): Promise<readonly RejectedPayload[]> =>
    (await payloads.some(names)).map(([, payload]) => payload);
  return {
    /** Stores a payload, once for each job. */
    async add(entry: RejectedPayload): Promise<void> {
      const kept = {
        ...entry,
        issues: entry.issues.slice(0, MAX_ISSUES),
        data: entry.data.slice(0, MAX_DATA_CHARACTERS),
        ...(entry.data.length > MAX_DATA_CHARACTERS ? { cut: true } : {}),
      };
      await runScript(
        redis,
        PUT_NEWEST,
        [keys.rejected, keys.rejectedOrder],
        [Date.parse(entry.at), KEPT_REJECTED, nameOf(entry), writeText(REJECTED_PAYLOAD, kept)],
      );
    },
    /** Newest first. Default: all. */
    list: async (limit = KEPT_REJECTED) =>
      read(await redis.zrevrange(keys.rejectedOrder, 0, Math.min(limit, KEPT_REJECTED) - 1)),
    has: async (entry: Pick<RejectedPayload, 'job' | 'id'>) =>
      (await redis.hexists(keys.rejected, nameOf(entry))) === 1,
    count: () => redis.zcard(keys.rejectedOrder),
    /** Payloads of jobs with this id, at most one for each queue. `jobs`: names of all jobs. */
    find: (id: string, jobs: readonly string[]) => read(jobs.map((job) => nameOf({ job, id }))),
    async remove(entry: Pick<RejectedPayload, 'job' | 'id'>): Promise<void> {
      await redis.hdel(keys.rejected, nameOf(entry));
      await redis.zrem(keys.rejectedOrder, nameOf(entry));
    },
  };
}

function nameOf({ job, id }: Pick<RejectedPayload, 'job' | 'id'>): string {
  return `${job}/${id}`;
}
