import type { RedisClient } from './connection.ts';
import type { Keys } from './keys.ts';
import { ADD_REJECTED } from './scripts/add-rejected.lua.ts';
import { runScript } from './scripts/run-script.ts';

/** A payload that did not fit, as an operator finds it. */
export interface RejectedPayload {
  /** RFC 3339. */
  readonly at: string;
  readonly job: string;
  /** Id of the job that carried it. */
  readonly id: string;
  /** What is wrong, each with the JSON path in the job's data. */
  readonly issues: readonly { readonly path: string; readonly reason: string }[];
  /** The job's data as JSON, cut after 8 KiB. */
  readonly data: string;
}

/** The newest payloads that did not fit. */
export interface RejectedStore {
  /** Keeps a payload; the same job is kept once. */
  add(entry: RejectedPayload): Promise<void>;
  /** Newest first. */
  list(limit?: number): Promise<readonly RejectedPayload[]>;
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
      };
      await runScript(
        redis,
        ADD_REJECTED,
        [keys.rejected, keys.rejectedOrder],
        [`${entry.job}/${entry.id}`, Date.parse(entry.at), JSON.stringify(kept), KEPT],
      );
    },
    async list(limit = 100) {
      const names = await redis.zrevrange(keys.rejectedOrder, 0, limit - 1);
      if (names.length === 0) return [];
      const stored = await redis.hmget(keys.rejected, ...names);
      return stored.flatMap((text) => (text === null ? [] : [JSON.parse(text) as RejectedPayload]));
    },
  };
}
