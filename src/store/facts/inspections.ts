import { LRUCache } from 'lru-cache';
import { chunks } from '../../model/chunks.ts';
import type { Inspections } from '../../model/ports/inspections.ts';
import type { SeenVersions } from '../../model/ports/seen-versions.ts';
import type { Inspection } from '../../model/signal/inspection.ts';
import { CACHED_VERSION, INSPECTION } from '../../model/stored/catalog.ts';
import { createYielder } from '../../model/yielding.ts';
import type { StoreError } from '../errors.ts';
import type { Keys } from '../keys.ts';
import { type RedisClient, whenWritesMayBeLost } from '../redis/connection.ts';
import { joinedReads } from '../redis/joined-reads.ts';
import { defineScript, runScript } from '../scripts/run-script.ts';
import { readValue, reportTo, writeText } from '../values/stored-values.ts';
import { createProjectScores } from './project-scores.ts';
import { createSeenVersions } from './seen-versions.ts';

/** Keys in one command: longer commands would block Redis. */
const CHUNK = 500;
/** Inspections in the memory of a process: some megabytes. */
const MAX_PARSED = 5_000;
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
): Inspections {
  const { changed, pending, inspections, inspectionRevision, inspectedAgain } = keys.facts(
    CACHED_VERSION.kind,
  );
  const known = keptInMemory(redis, createSeenVersions(redis, { seen: keys.inspected }));
  // Targets that are judged one after the other have most packages in common.
  const parsed = new LRUCache<string, { readonly text: string; readonly value: Inspection }>({
    max: MAX_PARSED,
  });
  const parse = async (field: string, text: string | null): Promise<Inspection | undefined> => {
    if (text === null) return undefined;
    const before = parsed.get(field);
    if (before?.text === text) return before.value;
    const place = { key: inspections, field, remedy: 'Delete the field.' };
    const value = await readValue(INSPECTION, text, place).catch(reportTo(onUnreadable));
    if (value !== undefined) parsed.set(field, { text, value });
    return value;
  };
  // Also that a version was not inspected: this is so for most packages of a scan, and each judgement asks for all of them.
  const read = new LRUCache<string, { readonly value: Inspection | undefined }>({ max: MAX_READ });
  let readRevision: string | null = null;
  const readStored = async (identities: readonly string[], revision: string | null) => {
    const values: (Inspection | undefined)[] = [];
    const yieldIfDue = createYielder();
    for (const part of chunks(identities, CHUNK)) {
      const texts = await redis.hmget(inspections, ...part);
      for (const [index, identity] of part.entries()) {
        const value = await parse(identity, texts[index] ?? null);
        values.push(value);
        if (readRevision === revision) read.set(identity, { value });
      }
      await yieldIfDue();
    }
    return values;
  };
  return {
    async read(identities) {
      const revision = await joinedReads(redis).get(inspectionRevision);
      if (revision !== readRevision) read.clear();
      readRevision = revision;
      const known = identities.map((identity) => read.get(identity));
      const lacking = identities.filter((_, index) => known[index] === undefined);
      const stored = await readStored(lacking, revision);
      let next = 0;
      return known.map((one) => (one === undefined ? stored[next++] : one.value));
    },
    async store(entries) {
      for (const part of chunks(entries, CHUNK)) {
        await runScript(
          redis,
          STORE,
          [inspections, changed, pending, inspectedAgain, inspectionRevision],
          [
            Date.now(),
            ...part.flatMap(({ identity, inspection, isNews, youngUntil }) => [
              identity,
              writeText(INSPECTION, inspection),
              isNews ? 1 : 0,
              youngUntil === undefined ? 0 : 1,
            ]),
          ],
        );
      }
    },
    projects: createProjectScores(redis, keys, onUnreadable),
    isKnown: known.has,
    markKnown: known.add,
    young: (now, limit) => redis.zrangebyscore(inspectedAgain, '-inf', now, 'LIMIT', 0, limit),
  };
}

/**
 * Keeps subjects that are known in the memory of this process: all packages of a scan are asked for, and in a fleet nearly all of them
 * are known.
 */
function keptInMemory(redis: RedisClient, shared: SeenVersions): SeenVersions {
  const kept = new LRUCache<string, true>({ max: MAX_KNOWN });
  whenWritesMayBeLost(redis, () => kept.clear());
  return {
    async add(subjects) {
      await shared.add(subjects);
      for (const subject of subjects) kept.set(subject, true);
    },
    async has(subjects) {
      const unknown = subjects.filter((subject) => kept.get(subject) === undefined);
      if (unknown.length === 0) return subjects.map(() => true);
      const found = new Map<string, boolean>();
      for (const [index, isKnown] of (await shared.has(unknown)).entries()) {
        const subject = unknown[index] as string;
        found.set(subject, isKnown);
        if (isKnown) kept.set(subject, true);
      }
      return subjects.map((subject) => found.get(subject) ?? true);
    },
  };
}

/**
 * Stores inspections. One that is news changes what is known of its version: the targets that hold it are pending.
 *
 * Keys: inspections (hash), changed and pending versions, young ones by their last inspection (sorted sets), revision. Arguments: time in ms, then for
 * each: identity, text, whether it is news, whether it is inspected again (1 or 0).
 */
const STORE = defineScript(`
for at = 2, #ARGV, 4 do
  redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1])
  if ARGV[at + 2] == '1' then
    redis.call('ZADD', KEYS[2], ARGV[1], ARGV[at])
    redis.call('ZADD', KEYS[3], ARGV[1], ARGV[at])
  end
  if ARGV[at + 3] == '1' then
    redis.call('ZADD', KEYS[4], ARGV[1], ARGV[at])
  else
    redis.call('ZREM', KEYS[4], ARGV[at])
  end
end
local clock = redis.call('TIME')
redis.call('SET', KEYS[5], clock[1] .. '.' .. clock[2])
return 1
`);
