import type { Inspections, ProjectScores, SeenVersions } from '../../model/ports/shared-state.ts';
import type { Inspection } from '../../model/signal/inspection.ts';
import { CACHED_VERSION, INSPECTION, PROJECT_SCORE } from '../../model/stored/catalog.ts';
import { chunks } from '../../model/yielding.ts';
import type { StoreError } from '../errors.ts';
import type { Keys } from '../keys.ts';
import { type RedisClient, whenWritesMayBeLost } from '../redis/connection.ts';
import { PUT_NEWEST } from '../scripts/put-newest.lua.ts';
import { defineScript, runScript } from '../scripts/run-script.ts';
import { createHashValues } from '../values/hash-values.ts';
import { createKeptValues } from '../values/kept-values.ts';
import { readValue, reportTo, writeText } from '../values/stored-values.ts';
import { createKeptReads } from './kept-reads.ts';
import { createSeenVersions } from './seen-versions.ts';

/** Keys in one command: longer commands would block Redis. */
const CHUNK = 500;
/** Versions in the memory of a process, with or without an inspection: some megabytes. */
const MAX_READ = 20_000;
/** Known subjects in the memory of a process: some 10 MB. */
const MAX_KNOWN = 50_000;

/**
 * Inspections in Redis, beside the facts of package versions: what an inspection finds is a change of what is known of the version, and
 * selects the targets that hold it in the same way. One that cannot be read counts as absent.
 */
export function createInspections(
  redis: RedisClient,
  keys: Keys,
  onUnreadable: (error: StoreError) => void = () => {},
): Inspections & { revision(): Promise<string | null> } {
  const { changed, pending, inspections, inspectionRevision, inspectedAgain } = keys.facts(
    CACHED_VERSION.kind,
  );
  const known = keptInMemory(redis, createSeenVersions(redis, { seen: keys.inspected }));
  const read = createKeptReads<Inspection>(redis, {
    hash: inspections,
    revision: inspectionRevision,
    max: MAX_READ,
    // Most packages of a scan were not inspected, and each judgement asks for all of them.
    isSparse: true,
    parse: async (field, text) => {
      const place = { key: inspections, field, remedy: 'Delete the field.' };
      return await readValue(INSPECTION, text, place).catch(reportTo(onUnreadable));
    },
  });
  return {
    read,
    /** Another text after an inspection was stored that is news. */
    revision: () => redis.get(inspectionRevision),
    async store(entries) {
      for (const part of chunks(entries, CHUNK)) {
        await runScript(
          redis,
          STORE,
          [inspections, changed, pending, inspectedAgain, inspectionRevision],
          [
            Date.now(),
            ...part.flatMap(({ identity, inspection, isNews, againAt }) => [
              identity,
              writeText(INSPECTION, inspection),
              isNews ? 1 : 0,
              againAt ?? 0,
            ]),
          ],
        );
      }
    },
    projects: createProjectScores(redis, keys, onUnreadable),
    isKnown: known.has,
    markKnown: known.add,
    due: (now, limit) => redis.zrangebyscore(inspectedAgain, '-inf', now, 'LIMIT', 0, limit),
  };
}

/**
 * Keeps subjects that are known in the memory of this process: all packages of a scan are asked for, and in a fleet nearly all of them
 * are known.
 */
function keptInMemory(redis: RedisClient, shared: SeenVersions): SeenVersions {
  const empty = () => createKeptValues<boolean>({ max: MAX_KNOWN });
  let memory = empty();
  whenWritesMayBeLost(redis, () => {
    memory = empty();
  });
  return {
    async add(subjects) {
      const kept = memory;
      await shared.add(subjects);
      for (const subject of subjects) kept.set(subject, true);
    },
    async has(subjects) {
      const kept = memory;
      return (await kept.getMany(subjects, async (unknown) => {
        const found = await shared.has(unknown);
        for (const [index, isKnown] of found.entries()) if (isKnown) kept.set(unknown[index] as string, true);
        return found;
      })) as readonly boolean[];
    },
  };
}

/**
 * Stores inspections. One that is news changes what is known of its version: the targets that hold it are pending.
 *
 * Keys: inspections (hash), changed and pending versions, those inspected again by the time (sorted sets), revision. Arguments: time in ms, then for
 * each: identity, text, whether it is news (1 or 0), when it is inspected again in ms, or 0.
 */
const STORE = defineScript(`
for at = 2, #ARGV, 4 do
  redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1])
  if ARGV[at + 2] == '1' then
    redis.call('ZADD', KEYS[2], ARGV[1], ARGV[at])
    redis.call('ZADD', KEYS[3], ARGV[1], ARGV[at])
  end
  if ARGV[at + 3] ~= '0' then
    redis.call('ZADD', KEYS[4], ARGV[at + 3], ARGV[at])
  else
    redis.call('ZREM', KEYS[4], ARGV[at])
  end
end
local clock = redis.call('TIME')
redis.call('SET', KEYS[5], clock[1] .. '.' .. clock[2])
return 1
`);

/** At a kilobyte each, some 20 MB. */
const MAX_PROJECTS = 20_000;

/** Scorecards in Redis, common to all shards. One that cannot be read counts as unknown. */
export function createProjectScores(
  redis: RedisClient,
  { projects, projectOrder }: Pick<Keys, 'projects' | 'projectOrder'>,
  onUnreadable: (error: StoreError) => void = () => {},
  now: () => number = Date.now,
): ProjectScores {
  const remedy = 'Delete the field; it is looked up again.';
  const scores = createHashValues(redis, PROJECT_SCORE, { key: projects, remedy, onUnreadable });
  return {
    async read(ids) {
      const parts = await Promise.all(chunks(ids, CHUNK).map((part) => scores.some(part)));
      const found = new Map(parts.flat());
      return ids.map((id) => found.get(id));
    },
    async store(entries) {
      for (const part of chunks(entries, CHUNK)) {
        const values = part.flatMap(([id, score]) => [id, writeText(PROJECT_SCORE, score)]);
        await runScript(redis, PUT_NEWEST, [projects, projectOrder], [now(), MAX_PROJECTS, ...values]);
      }
    },
    ids: () => redis.hkeys(projects),
  };
}
