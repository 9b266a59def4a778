import type { LookUpFailure } from '../../model/fleet/refresh.ts';
import { LOOK_UP_FAILURE } from '../../model/stored/catalog.ts';
import { chunks } from '../../model/yielding.ts';
import type { StoreError } from '../errors.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { defineScript, runScript } from '../scripts/run-script.ts';
import { readValue, reportTo, writeText } from '../values/stored-values.ts';

/** Keys in one command: longer commands would block Redis. */
const CHUNK = 500;
const MAX_REASON = 1_000;

/** A subject with the time of the last answer about it, or of its first look-up when it was never answered, in ms since 1970. */
export interface AnswerTime {
  readonly key: string;
  readonly at: number;
}

/** When the service answered last about the subjects of facts. `LEARN` writes these times with the answers. */
export function createAnswerTimes(
  redis: RedisClient,
  keys: ReturnType<Keys['facts']>,
  { now, onUnreadable }: { readonly now: () => number; readonly onUnreadable: (error: StoreError) => void },
) {
  const { answered, unanswered, failure } = keys;
  return {
    /** ms since 1970, in the order of `names`; `undefined` for what was never answered. */
    async answeredAt(names: readonly string[]): Promise<readonly (number | undefined)[]> {
      const parts = await Promise.all(chunks(names, CHUNK).map((part) => redis.zmscore(answered, ...part)));
      return parts.flat().map((time) => (time === null ? undefined : Number(time)));
    },
    /** Subjects with an earlier time than this one, in ms. */
    async answeredBefore(time: number): Promise<readonly AnswerTime[]> {
      const read = (key: string) => redis.zrange(key, '-inf', `(${time}`, 'BYSCORE', 'WITHSCORES');
      const listed = await Promise.all([read(answered), read(unanswered)]);
      return listed.flatMap((one) => chunks(one, 2).map(([key = '', at]) => ({ key, at: Number(at) })));
    },
    /** The earliest time since this one, in ms. */
    async oldestSince(time: number): Promise<number | undefined> {
      const read = (key: string) => redis.zrange(key, time, '+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES');
      const found = await Promise.all([read(answered), read(unanswered)]);
      const times = found.flatMap(([, at]) => (at === undefined ? [] : [Number(at)]));
      return times.length === 0 ? undefined : Math.min(...times);
    },
    /** Records that a look-up of these subjects was not answered. */
    async notAnswered(names: readonly string[], reason: string): Promise<void> {
      if (names.length === 0) return;
      const at = now();
      for (const part of chunks(names, CHUNK)) {
        await runScript(redis, NOT_ANSWERED, [answered, unanswered], [at, ...part]);
      }
      await redis.set(failure, writeText(LOOK_UP_FAILURE, { at, reason: reason.slice(0, MAX_REASON) }));
    },
    /** The last look-up that was not answered, of any subject. */
    async failure(): Promise<LookUpFailure | undefined> {
      const text = await redis.get(failure);
      if (text === null) return undefined;
      const place = { key: failure, remedy: 'Delete the key; the next failed look-up writes it.' };
      return await readValue(LOOK_UP_FAILURE, text, place).catch(reportTo(onUnreadable));
    },
    /** Removes the times of subjects that are no longer looked up. */
    async forgetTimes(names: readonly string[]): Promise<void> {
      for (const part of chunks(names, CHUNK)) {
        await Promise.all([redis.zrem(answered, ...part), redis.zrem(unanswered, ...part)]);
      }
    },
  };
}

/**
 * Lists subjects that were never answered with the time of their first look-up.
 *
 * Keys: subjects by the time of the last answer, subjects that were never answered by the time of the first look-up (sorted sets).
 * Arguments: time in ms, then the subjects.
 */
const NOT_ANSWERED = defineScript(`
for at = 2, #ARGV do
  if not redis.call('ZSCORE', KEYS[1], ARGV[at]) then
    redis.call('ZADD', KEYS[2], 'NX', ARGV[1], ARGV[at])
  end
end
return 1
`);
