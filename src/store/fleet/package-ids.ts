import { chunks } from '../../model/yielding.ts';
import type { Keys } from '../keys.ts';
import { type RedisClient, whenWritesMayBeLost } from '../redis/connection.ts';
import { scanHaving } from '../redis/scan.ts';
import { defineScript, runScript } from '../scripts/run-script.ts';
import { createKeptValues } from '../values/kept-values.ts';

/** Small integers for the package versions of all targets. */
export type PackageIds = ReturnType<typeof createPackageIds>;

/** Ids with their identities. */
type Part = readonly (readonly [id: number, identity: string])[];

/** Identities in one command: longer commands would block Redis. */
const CHUNK = 1_000;
/** Identities in the memory of a process: some 20 MB. */
const MAX_KNOWN = 100_000;
/** Shorter than the time for which an interned id stays without an inventory. */
const KNOWN_MS = 20 * 60_000;
const UNUSED_MINUTES = 60;
/** Minutes in which ids were given out, at a hundred bytes each; older ones are thinned out. */
const MAX_TIMES = 20_000;

export function createPackageIds(redis: RedisClient, keys: Keys, now: () => number = Date.now) {
  const emptyIds = () => createKeptValues<number>({ max: MAX_KNOWN, ttlMs: KNOWN_MS, now });
  const emptyNames = () => createKeptValues<string, number>({ max: MAX_KNOWN });
  const emptyTimes = () => createKeptValues<number, number>({ max: MAX_KNOWN });
  let [knownIds, knownNames, knownTimes] = [emptyIds(), emptyNames(), emptyTimes()];
  const { packageIds, packageNames, lastPackageId, packageTimes } = keys;
  const minute = () => Math.floor(now() / 60_000);
  let epoch = 0;
  /** Empties the memory of this process: Redis may have lost ids that it holds. */
  const clear = () => {
    epoch += 1;
    [knownIds, knownNames, knownTimes] = [emptyIds(), emptyNames(), emptyTimes()];
  };
  // Lost ids are given out again.
  whenWritesMayBeLost(redis, clear);
  /** All ids with their identities in parts, or those whose identity has one of some texts in it: Redis looks for these. */
  async function* scan(...having: readonly string[]): AsyncGenerator<Part> {
    for await (const part of scanHaving(redis, packageNames, having))
      yield part.map(([id, identity]) => [Number(id), identity] as const);
  }
  return {
    clear,
    scan,
    /** Changes whenever Redis may have lost ids and given them out again: what was read before is then not used. */
    epoch: () => epoch,
    /** The last id that was given out; ids ascend. */
    last: async () => Number((await redis.get(lastPackageId)) ?? 0),
    /** The ids after one, up to another, in parts. */
    async *between(after: number, last: number): AsyncGenerator<Part> {
      if (after === 0) {
        yield* scan();
        return;
      }
      for (let from = after + 1; from <= last; from += CHUNK) {
        const ids = Array.from({ length: Math.min(CHUNK, last - from + 1) }, (_, index) => from + index);
        const found = await redis.hmget(packageNames, ...ids.map(String));
        yield ids.flatMap((one, index) => {
          const identity = found[index];
          return identity == null ? [] : [[one, identity] as const];
        });
      }
    },
    /** The id of each identity, in their order; new ones get the next ids. The inventory that holds them must be stored within an hour. */
    async intern(identities: readonly string[]): Promise<readonly number[]> {
      const known = knownIds;
      const give = async (lacking: readonly string[]): Promise<readonly number[]> => {
        const given = new Map<string, number>();
        for (const part of chunks([...new Set(lacking)], CHUNK)) {
          const answer = await runScript(
            redis,
            INTERN,
            [packageIds, packageNames, lastPackageId, packageTimes],
            [minute(), MAX_TIMES, ...part],
          );
          for (const [index, id] of (answer as readonly number[]).entries()) {
            const identity = part[index] ?? '';
            given.set(identity, id);
            known.set(identity, id);
          }
        }
        return lacking.map((identity) => given.get(identity) as number);
      };
      return (await known.getMany(identities, give)) as readonly number[];
    },
    async find(identities: readonly string[]): Promise<ReadonlyMap<string, number>> {
      const ids = new Map<string, number>();
      for (const part of chunks(identities, CHUNK)) {
        for (const [index, stored] of (await redis.hmget(packageIds, ...part)).entries()) {
          if (stored !== null) ids.set(part[index] ?? '', Number.parseInt(stored, 10));
        }
      }
      return ids;
    },
    /** The identity of each id, in their order; `undefined` for ids without one. */
    async identities(ids: readonly number[]): Promise<readonly (string | undefined)[]> {
      const names = knownNames;
      return await names.getMany(ids, async (unknown) => {
        const read: (string | undefined)[] = [];
        for (const part of chunks(unknown, CHUNK)) {
          for (const [index, stored] of (await redis.hmget(packageNames, ...part.map(String))).entries()) {
            read.push(stored ?? undefined);
            if (stored !== null) names.set(part[index] as number, stored);
          }
        }
        return read;
      });
    },
    /**
     * When each id was given out, in ms: a minute for the last thousands of changes of the fleet, and coarser for what is older. 0 for ids
     * from before this was recorded; ids whose time is lost are absent.
     */
    async givenAt(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
      const times = knownTimes;
      const found = await times.getMany(ids, async (unknown) =>
        Promise.all(
          unknown.map(async (id) => {
            const [minute] = await redis.zrangebyscore(packageTimes, id, '+inf', 'LIMIT', 0, 1);
            if (minute !== undefined) times.set(id, Number(minute) * 60_000);
            return minute === undefined ? minute : Number(minute) * 60_000;
          }),
        ),
      );
      return new Map(
        ids.flatMap((id, index) => (found[index] === undefined ? [] : [[id, found[index]] as const])),
      );
    },
    /** Removes ids that no inventory holds. One that was interned within the last hour stays. */
    async forget(ids: readonly number[]): Promise<void> {
      for (const part of chunks(ids, CHUNK)) {
        await runScript(redis, FORGET, [packageIds, packageNames], [minute() - UNUSED_MINUTES, ...part]);
      }
    },
  };
}

/**
 * Returns the id of each identity, and notes when it was interned. Ids ascend, so that one entry for each minute says when all of them were
 * given out; the entry 0 is that of ids from before.
 *
 * Keys: ids by identity, identities by id (hashes), last id, minutes by their last id (sorted set). Arguments: the minute, the largest
 * number of minutes, then the identities.
 */
const INTERN = defineScript(`
local ids, last = {}, tonumber(redis.call('GET', KEYS[3]) or '0')
local before = last
for at = 3, #ARGV do
  local stored = redis.call('HGET', KEYS[1], ARGV[at])
  local id, minute
  if stored then
    id, minute = string.match(stored, '^(%d+) (%d+)$')
  else
    id = redis.call('INCR', KEYS[3])
    last = id
    redis.call('HSET', KEYS[2], id, ARGV[at])
  end
  if not minute or tonumber(minute) < tonumber(ARGV[1]) - 15 then
    redis.call('HSET', KEYS[1], ARGV[at], id .. ' ' .. ARGV[1])
  end
  ids[at - 2] = tonumber(id)
end
if last > before then
  if redis.call('EXISTS', KEYS[4]) == 0 then
    redis.call('ZADD', KEYS[4], before, '0')
  end
  redis.call('ZADD', KEYS[4], 'GT', last, ARGV[1])
  if redis.call('ZCARD', KEYS[4]) > tonumber(ARGV[2]) then
    local oldest = redis.call('ZRANGE', KEYS[4], 1, 1000)
    for index = 1, #oldest, 2 do
      redis.call('ZREM', KEYS[4], oldest[index])
    end
  end
end
return ids
`);

/**
 * Removes ids that were interned last before a minute.
 *
 * Keys: ids by identity, identities by id. Arguments: the minute, then the ids.
 */
const FORGET = defineScript(`
for at = 2, #ARGV do
  local identity = redis.call('HGET', KEYS[2], ARGV[at])
  local stored = identity and redis.call('HGET', KEYS[1], identity)
  local minute = stored and string.match(stored, ' (%d+)$')
  if minute and tonumber(minute) < tonumber(ARGV[1]) then
    redis.call('HDEL', KEYS[1], identity)
    redis.call('HDEL', KEYS[2], ARGV[at])
  end
end
return #ARGV
`);
