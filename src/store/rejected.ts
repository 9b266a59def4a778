import type { RejectedPayload } from '../model/queue/rejected-payload.ts';
import { REJECTED_PAYLOAD } from '../model/stored/catalog.ts';
import type { Keys } from './keys.ts';
import type { RedisClient } from './redis/connection.ts';
import { defineScript, runScript } from './scripts/run-script.ts';
import { type OnUnreadable, readEach, readValue, writeText } from './values/stored-values.ts';

const KEPT = 1_000;
const MAX_DATA_CHARACTERS = 8_192;
const MAX_ISSUES = 50;

/** The newest payloads that do not fit their job's schema. One that cannot be read is reported and left out. */
export type RejectedStore = ReturnType<typeof createRejectedStore>;

export function createRejectedStore(redis: RedisClient, keys: Keys, onUnreadable: OnUnreadable = () => {}) {
  const read = async (names: readonly string[]): Promise<readonly RejectedPayload[]> => {
    const key = keys.rejected;
    const stored = names.length === 0 ? [] : await redis.hmget(key, ...names);
    const kept = names.flatMap((field, index) => {
      const text = stored[index];
      return text == null ? [] : [{ field, text }];
    });
    const remedy = 'Delete the field to forget the payload.';
    return await readEach(
      kept,
      ({ field, text }) => readValue(REJECTED_PAYLOAD, text, { key, field, remedy }),
      onUnreadable,
    );
  };
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
        ADD_REJECTED,
        [keys.rejected, keys.rejectedOrder],
        [nameOf(entry), Date.parse(entry.at), writeText(REJECTED_PAYLOAD, kept), KEPT],
      );
    },
    /** Newest first. Default: all. */
    list: async (limit = KEPT) =>
      read(await redis.zrevrange(keys.rejectedOrder, 0, Math.min(limit, KEPT) - 1)),
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

/**
 * Keeps a rejected payload and drops the oldest beyond a bound.
 *
 * Keys: payloads (hash), their order (sorted set). Arguments: name, time in ms, payload, bound.
 */
const ADD_REJECTED = defineScript(`
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
local excess = redis.call('ZCARD', KEYS[2]) - tonumber(ARGV[4])
if excess > 0 then
  local oldest = redis.call('ZRANGE', KEYS[2], 0, excess - 1)
  for _, name in ipairs(oldest) do
    redis.call('HDEL', KEYS[1], name)
    redis.call('ZREM', KEYS[2], name)
  end
end
return redis.call('ZCARD', KEYS[2])
`);
