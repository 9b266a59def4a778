import type { RejectedPayload } from '../model/queue/rejected-payload.ts';
import type { RedisClient } from './connection.ts';
import type { Keys } from './keys.ts';
import { ADD_REJECTED } from './scripts/add-rejected.lua.ts';
import { runScript } from './scripts/run-script.ts';

/** The newest payloads that did not fit. */
export interface RejectedStore {
  /** Keeps a payload; the same job is kept once. */
  add(entry: RejectedPayload): Promise<void>;
  /** Newest first. Default: all. */
  list(limit?: number): Promise<readonly RejectedPayload[]>;
  count(): Promise<number>;
  /** Those of jobs with this id, one a queue at most. `jobs`: names of all jobs. */
  find(id: string, jobs: readonly string[]): Promise<readonly RejectedPayload[]>;
  remove(entry: Pick<RejectedPayload, 'job' | 'id'>): Promise<void>;
}

const KEPT = 1_000;
const MAX_DATA_CHARACTERS = 8_192;
const MAX_ISSUES = 50;

export function createRejectedStore(redis: RedisClient, keys: Keys): RejectedStore {
  return {
    async add(entry) {
      const kept = {
        ...entry,
        issues: entry.issues.slice(0, MAX_ISSUES),
        data: entry.data.slice(0, MAX_DATA_CHARACTERS),
        ...(entry.data.length > MAX_DATA_CHARACTERS ? { cut: true } : {}),
      };
      await runScript(
        redis,
        ADD_REJECTED,
        [keys.rejected, keys.rejectedOrder],
        [nameOf(entry), Date.parse(entry.at), JSON.stringify(kept), KEPT],
      );
    },
    async list(limit = KEPT) {
      return read(redis, keys, await redis.zrevrange(keys.rejectedOrder, 0, Math.min(limit, KEPT) - 1));
    },
    count: () => redis.zcard(keys.rejectedOrder),
    find: (id, jobs) =>
      read(
        redis,
        keys,
        jobs.map((job) => nameOf({ job, id })),
      ),
    async remove(entry) {
      await redis.hdel(keys.rejected, nameOf(entry));
      await redis.zrem(keys.rejectedOrder, nameOf(entry));
    },
  };
}

function nameOf({ job, id }: Pick<RejectedPayload, 'job' | 'id'>): string {
  return `${job}/${id}`;
}

async function read(
  redis: RedisClient,
  keys: Keys,
  names: readonly string[],
): Promise<readonly RejectedPayload[]> {
  if (names.length === 0) return [];
  const stored = await redis.hmget(keys.rejected, ...names);
  return stored.flatMap((text) => (text === null ? [] : [JSON.parse(text) as RejectedPayload]));
}
