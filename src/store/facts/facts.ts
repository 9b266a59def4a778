import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { jsonValue } from '../../model/json-object.ts';
import type { FactNews, Known, PendingFact } from '../../model/ports/shared-state.ts';
import type { StoredKind } from '../../model/stored/kind.ts';
import { chunks } from '../../model/yielding.ts';
import type { StoreError } from '../errors.ts';
import type { Keys } from '../keys.ts';
import { countPossibleLosses, type RedisClient, whenWritesMayBeLost } from '../redis/connection.ts';
import { scanHaving } from '../redis/scan.ts';
import { defineScript, runScript } from '../scripts/run-script.ts';
import { readValue, reportTo, versionOf, writeText } from '../values/stored-values.ts';
import { createAnswerTimes } from './answer-times.ts';
import { createKeptReads } from './kept-reads.ts';

/** Keys in one command: longer commands would block Redis. */
const CHUNK = 500;
/** Facts in the memory of a process: some 10 MB. */
const MAX_KEPT = 20_000;
/** Replaced facts that are listed. A process that missed more reads all facts again. */
const MAX_REPLACED = 1_000;
/**
 * Answers that a process writes again when Redis may have lost them: those of this time, in ms, and at most so many. A persistent Redis loses
 * the writes of a second or two, and a replica that takes over some more.
 */
const RESTORED = { ms: 60_000, max: 10_000 };
/** How long changes are listed. A scan that began before a change compares with the list when it is judged. */
const CHANGED_MS = 24 * 3_600_000;

export interface FactsOptions<Value> {
  /** How long a record, and that the service has none, are fresh, in ms. */
  readonly recordTtlMs: number;
  readonly missTtlMs: number;
  /** When the subject of a record was published, ms since 1970; `undefined` where the record does not say. */
  readonly publishedAt?: (record: Value) => number | undefined;
  readonly onUnreadable?: (error: StoreError) => void;
  readonly now?: () => number;
}

export type FactStore<Value extends object> = ReturnType<typeof createFactStore<Value>>;

/** A fact that cannot be read counts as unknown: the next answer of the service replaces it. */
export function createFactStore<Value extends object>(
  redis: RedisClient,
  keys: Keys,
  kind: StoredKind<Known<Value>>,
  options: FactsOptions<Value>,
) {
  const { publishedAt = () => undefined, onUnreadable = () => {}, now = Date.now } = options;
  const factKeys = keys.facts(kind.kind);
  const { facts, answered, unanswered, changed, pending, young, revision, replaced } = factKeys;
  const times = createAnswerTimes(redis, factKeys, { now, onUnreadable });
  const epoch = countPossibleLosses(redis);
  const recent = new LRUCache<string, { readonly time: number; readonly answer: LearnedAnswer }>({
    max: RESTORED.max,
  });
  const learnPart = async (answers: readonly LearnedAnswer[], time: number, mode: LearnMode) =>
    (await runScript(
      redis,
      LEARN,
      [facts, changed, pending, young, answered, revision, unanswered, replaced],
      [time, time - CHANGED_MS, mode, MAX_REPLACED, now(), ...answers.flat()],
    )) as readonly Buffer[];
  /** A scan may be judged by an answer of which Redis knows nothing. The first answer of another scan would then be no change. */
  const restore = async () => {
    const kept = [...recent.values()].filter(({ time }) => now() - time < RESTORED.ms);
    for (const [time, some] of Map.groupBy(kept, (one) => one.time))
      for (const part of chunks(some, CHUNK))
        await learnPart(
          part.map(({ answer }) => answer),
          time,
          'restore',
        );
  };
  // When it fails, Redis is away again, and the next connection repeats it.
  whenWritesMayBeLost(redis, () => void restore().catch(() => {}));
  const read = createKeptReads<Known<Value>>(redis, {
    hash: facts,
    revision,
    max: MAX_KEPT,
    // The first answer about a subject does not change the revision: scans learn some all the time.
    isSparse: false,
    parse: async (field, text) => {
      const place = { key: facts, field, remedy: 'Delete the field; it is looked up again.' };
      return await readValue(kind, text, place).catch(reportTo(onUnreadable));
    },
  });
  return {
    read,
    ...times,
    async unchecked(names: readonly string[]): Promise<readonly unknown[]> {
      const found: unknown[] = [];
      for (const part of chunks(names, CHUNK)) {
        const values = (await redis.hmget(facts, ...part)).map((text) => jsonValue(text ?? ''));
        found.push(...values.map((value) => (versionOf(value) === kind.version ? value : undefined)));
      }
      return found;
    },
    async news(since: string | undefined): Promise<FactNews> {
      const [ownEpoch, current] = [epoch(), (await redis.get(revision)) ?? ''];
      const until = `${ownEpoch} ${current}`;
      if (until === since) return { until, replaced: [] };
      if (since?.startsWith(`${ownEpoch} `) !== true) return { until, replaced: undefined };
      const listed = (await redis.lrange(replaced, 0, -1)).map((text) => splitAtSpace(text));
      const end = listed.findIndex(([at]) => at === splitAtSpace(since)[1]);
      const isWhole = end >= 0 && listed[0]?.[0] === current;
      return { until, replaced: isWhole ? listed.slice(0, end).map(([, name]) => name) : undefined };
    },
    /** Facts that are fresh, in the order of `names`; `undefined` for others. */
    async fresh(names: readonly string[]): Promise<readonly (Known<Value> | undefined)[]> {
      // Redis answers in this order: the facts are at least as new as the times.
      const [answers, found] = await Promise.all([times.answeredAt(names), read(names)]);
      return found.map((known, index) => {
        const ttlMs = known !== undefined && 'record' in known ? options.recordTtlMs : options.missTtlMs;
        return now() - (answers[index] ?? 0) >= ttlMs ? undefined : known;
      });
    },
    async learn(
      entries: readonly (readonly [key: string, known: Known<Value>])[],
      { isRefresh = false }: { readonly isRefresh?: boolean } = {},
    ): Promise<readonly string[]> {
      const news: string[] = [];
      for (const part of chunks(entries, CHUNK)) {
        const time = now();
        const answers = part.map(
          ([key, known]): LearnedAnswer => [
            key,
            writeText(kind, known),
            ('record' in known ? publishedAt(known.record) : undefined) ?? time,
            // A doubted answer makes nothing fresh.
            'doubted' in known && known.doubted !== undefined ? 0 : 1,
          ],
        );
        news.push(...(await learnPart(answers, time, isRefresh ? 'refresh' : 'scan')).map(String));
        for (const answer of answers) recent.set(answer[0], { time, answer });
      }
      return news;
    },
    async changedSince(time: number): Promise<ReadonlyMap<string, Known<Value>>> {
      const names = await redis.zrangebyscore(changed, time, '+inf');
      const known = await read(names);
      return new Map(
        names.flatMap((name, index) => {
          const value = known[index];
          return value === undefined ? [] : [[name, value] as const];
        }),
      );
    },
    keys: () => redis.hkeys(facts),
    /** Facts that changed and whose targets are not selected yet, oldest first. */
    async pending(limit: number): Promise<readonly PendingFact[]> {
      const listed = await redis.zrange(pending, '0', String(limit - 1), 'WITHSCORES');
      return chunks(listed, 2).map(([key = '', score]) => ({ key, changedAt: Number(score) }));
    },
    countPending: () => redis.zcard(pending),
    /** Has the targets of these facts judged again although the service answered nothing new. */
    async markPending(names: readonly string[]): Promise<void> {
      const time = now();
      for (const part of chunks(names, CHUNK)) {
        await redis.zadd(pending, ...part.flatMap((name) => [time, name]));
      }
    },
    /** Keys of facts about what was published, or else first seen, since a time in ms. Older ones are no longer listed. */
    async youngSince(time: number): Promise<readonly string[]> {
      await redis.zremrangebyscore(young, '-inf', `(${time}`);
      return await redis.zrange(young, '0', '-1');
    },
    /**
     * Keys of all facts in parts, with their text, or of those whose text has one of some others in it: Redis looks for these. Facts that
     * change meanwhile may be in it twice.
     */
    scan: (...having: readonly string[]) => scanHaving(redis, facts, having),
    /** Removes facts that no target needs. */
    async forget(names: readonly string[]): Promise<void> {
      for (const part of chunks(names, CHUNK)) {
        await Promise.all([
          redis.hdel(facts, ...part),
          times.forgetTimes(part),
          redis.zrem(changed, ...part),
          redis.zrem(young, ...part),
        ]);
        // Another answer may follow, which is then the first one.
        await redis.set(revision, randomUUID());
      }
    },
  };
}

/** Arguments of `LEARN` for one answer. */
type LearnedAnswer = readonly [key: string, text: string, publishedAt: number, isCertain: 0 | 1];
type LearnMode = 'scan' | 'refresh' | 'restore';

function splitAtSpace(text: string): readonly [before: string, after: string] {
  const at = text.indexOf(' ');
  return [text.slice(0, at), text.slice(at + 1)];
}

/**
 * Stores answers, lists those that differ from the stored ones, and returns their keys. The first answer about a subject is pending in a
 * refresh, and where a look-up was not answered before, because a target may have been judged without it.
 *
 * Keys: facts (hash), changed, pending, young, and time of the last answer (sorted sets), revision, time of the first look-up of what
 * was never answered (sorted set), those that were replaced with their revision (list; it ends where something else changed the revision).
 * Arguments: time of the answers in ms, time before which changes are no longer listed, mode, the largest number of replaced ones, time now in
 * ms, then for each answer: key, text, time of publication in ms, whether it is certain (1 or 0).
 *
 * The mode `restore` repeats answers. One that is older than the stored answer and differs from it does not replace it. The stored one counts
 * as changed then: it may have been the first one after Redis had lost the other one.
 */
const LEARN = defineScript(`
local mode, now, news, replaced = ARGV[3], ARGV[5], {}, {}
local function learn(name, text, published, isCertain)
  local old, wasMissed = redis.call('HGET', KEYS[1], name), false
  if mode == 'restore' and old and tonumber(redis.call('ZSCORE', KEYS[5], name) or 0) > tonumber(ARGV[1]) then
    if old ~= text then
      redis.call('ZADD', KEYS[2], now, name)
      redis.call('ZADD', KEYS[3], now, name)
    end
    return
  end
  if isCertain == '1' then
    redis.call('ZADD', KEYS[5], ARGV[1], name)
    wasMissed = redis.call('ZREM', KEYS[7], name) == 1
  end
  if old ~= text then
    redis.call('HSET', KEYS[1], name, text)
    news[#news + 1] = name
    if old then
      redis.call('ZADD', KEYS[2], now, name)
      replaced[#replaced + 1] = name
    end
    if old or wasMissed or mode == 'refresh' then
      redis.call('ZADD', KEYS[3], now, name)
    end
    redis.call('ZADD', KEYS[4], published, name)
  end
end
for at = 6, #ARGV, 4 do
  learn(ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3])
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[2])
if #replaced > 0 then
  local clock, before = redis.call('TIME'), redis.call('GET', KEYS[6]) or ''
  local revision = clock[1] .. '.' .. clock[2]
  if string.sub(before, 1, #revision) == revision then
    revision = before .. '+'
  end
  redis.call('SET', KEYS[6], revision)
  if string.sub(redis.call('LINDEX', KEYS[8], 0) or '', 1, #before + 1) ~= before .. ' ' then
    redis.call('DEL', KEYS[8])
  end
  for _, name in ipairs(replaced) do
    redis.call('LPUSH', KEYS[8], revision .. ' ' .. name)
  end
  redis.call('LTRIM', KEYS[8], 0, ARGV[4] - 1)
end
return news
`);
