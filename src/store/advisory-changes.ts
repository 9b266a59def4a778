import type { OsvRecord } from '../model/advisories/osv-record.ts';
import { FEED_POSITION, OSV_RECORD } from '../model/stored/catalog.ts';
import { chunks } from '../model/yielding.ts';
import type { Keys } from './keys.ts';
import { countPossibleLosses, type RedisClient } from './redis/connection.ts';
import { createHashValues } from './values/hash-values.ts';
import { type OnUnreadable, writeText } from './values/stored-values.ts';

/** The beginning of a member of the list that is an advisory. */
export const ADVISORY_MEMBER = 'id:';

/** The member of a package: that of each of its versions, by their identity (`NPM:left@1.0.0`). Names of Go modules are in lower case. */
export function packageMember(identity: string): string {
  const member = identity.slice(0, identity.lastIndexOf('@'));
  return member.startsWith('GO:') ? `GO:${member.slice(3).toLowerCase()}` : member;
}

/** Members whose texts Redis looks for in each identity. */
const FEW = 16;

/** Texts of which each identity of the members' packages has one, and few others do. None: there are too many. */
export function memberTexts(members: ReadonlySet<string>): readonly string[] {
  if (members.size > FEW) return [];
  // The name of a Go module may have capitals.
  return [...new Set([...members].map((member) => (member.startsWith('GO:') ? 'GO:' : `${member}@`)))];
}

/** The members of an advisory and of the packages that it names. */
function membersOf({ id, affected }: OsvRecord): readonly string[] {
  return [`${ADVISORY_MEMBER}${id}`, ...affected.map(({ system, name }) => `${system}:${name}`)];
}

/** Values in one command: longer commands would block Redis. */
const CHUNK = 200;

/**
 * The advisories that changed since they were imported, for all workers: their records, how far the lists of changes were read, and the
 * packages and advisories that targets have to be judged by again.
 */
export function createAdvisoryChanges(redis: RedisClient, keys: Keys, onUnreadable?: OnUnreadable) {
  const { advisoryRecords, advisoryFeeds, advisoryRevision, listedAdvisories } = keys;
  const records = createHashValues(redis, OSV_RECORD, {
    key: advisoryRecords,
    remedy: 'Delete the field, and import the advisories again.',
    onUnreadable,
  });
  const positions = createHashValues(redis, FEED_POSITION, {
    key: advisoryFeeds,
    remedy: 'Delete the field; the list is read from the time of the imported advisories on.',
    onUnreadable,
  });
  const epoch = countPossibleLosses(redis);
  return {
    /** Another text after a change, and after Redis may have lost one. Differs between processes. */
    revision: async () => `${epoch()} ${(await redis.get(advisoryRevision)) ?? ''}`,
    async records(): Promise<readonly OsvRecord[]> {
      const found: OsvRecord[] = [];
      for await (const [, record] of records.each()) found.push(record);
      return found;
    },
    /** Resolves to those of the advisories that changed. */
    some: async (ids: readonly string[]) => (await records.some(ids)).map(([, record]) => record),
    /** How far the list of an ecosystem was read; `undefined` before the first time. Throws `StoreError`. */
    position: positions.find,
    positions: positions.all,
    /** Stores changed records. May be repeated. */
    async save(changed: readonly OsvRecord[]): Promise<void> {
      for (const part of chunks(changed, CHUNK))
        await redis.hset(
          advisoryRecords,
          ...part.flatMap((record) => [record.id, writeText(OSV_RECORD, record)]),
        );
      if (changed.length > 0) await redis.incr(advisoryRevision);
    },
    move: positions.put,
    /** Lists advisories (`id:GHSA-…`) and the packages that they name (`NPM:left`) at a time, in ms. */
    async list(changed: readonly OsvRecord[], time: number): Promise<void> {
      for (const part of chunks(changed.flatMap(membersOf), CHUNK))
        await redis.zadd(listedAdvisories, ...part.flatMap((member) => [time, member]));
    },
    /** Resolves to the entries since a time, in ms. */
    listedSince: (time: number) => redis.zrange(listedAdvisories, time, '+inf', 'BYSCORE'),
    countListedSince: (time: number) => redis.zcount(listedAdvisories, time, '+inf'),
    /** Forgets those that were listed before a time, in ms. */
    async forgetListed(before: number): Promise<void> {
      await redis.zremrangebyscore(listedAdvisories, '-inf', `(${before}`);
    },
  };
}

export type AdvisoryChanges = ReturnType<typeof createAdvisoryChanges>;
