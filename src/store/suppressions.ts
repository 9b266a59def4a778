import type { StoredSuppression } from '../model/scan/suppression.ts';
import { STORED_SUPPRESSION } from '../model/stored/catalog.ts';
import { chunks } from '../model/yielding.ts';
import type { Keys } from './keys.ts';
import { type RedisClient, whenWritesMayBeLost } from './redis/connection.ts';
import { defineScript, runScript } from './scripts/run-script.ts';
import { createHashValues } from './values/hash-values.ts';
import { type OnUnreadable, writeText } from './values/stored-values.ts';

/**
 * The suppressions that `lockhound ignore` adds, for all shards. Removed ones stay, as the record of who did what. Each write changes
 * the revision, by which workers notice it.
 */
export function createSuppressionStore(redis: RedisClient, keys: Keys, onUnreadable?: OnUnreadable) {
  const remedy = 'It suppresses nothing. Delete the field, and add the suppression again.';
  const values = createHashValues(redis, STORED_SUPPRESSION, {
    key: keys.suppressions,
    remedy,
    onUnreadable,
  });
  /** Oldest first, with removed ones. One that cannot be read is reported and left out. */
  async function list(): Promise<readonly StoredSuppression[]> {
    const found = (await values.all()).map(([, one]) => one);
    return found.sort((left, right) => Date.parse(left.addedAt) - Date.parse(right.addedAt));
  }
  const revision = async (): Promise<string> => (await redis.get(keys.suppressionRevision)) ?? '0';
  let known:
    | { readonly revision: string; readonly effective: Promise<readonly StoredSuppression[]> }
    | undefined;
  // Another write may get the revision of a lost one.
  whenWritesMayBeLost(redis, () => {
    known = undefined;
  });
  return {
    list,
    /** `0` before the first one is added. */
    revision,
    /** Returns the suppressions that were not removed. Redis is read again only when the revision changed, because each judgement asks. */
    async effective(): Promise<readonly StoredSuppression[]> {
      const now = await revision();
      if (known?.revision !== now) {
        const effective = list().then((all) => all.filter(({ removed }) => removed === undefined));
        known = { revision: now, effective };
        // The next call reads again.
        effective.catch(() => {
          known = undefined;
        });
      }
      return await known.effective;
    },
    /** Returns the suppressions that were added, replaced or removed after a revision. */
    async changedSince(from: string): Promise<readonly StoredSuppression[]> {
      const revisions = await redis.hgetall(keys.suppressionRevisions);
      // A release that wrote no revisions may have changed the others.
      const isNewer = (id: string) => BigInt(revisions[id] ?? Number.MAX_SAFE_INTEGER) > BigInt(from);
      return (await list()).filter(({ suppression }) => isNewer(suppression.id));
    },
    /** Adds suppressions or replaces them by their id. */
    async put(suppressions: readonly StoredSuppression[]): Promise<void> {
      for (const part of chunks(suppressions, CHUNK)) {
        await runScript(
          redis,
          PUT,
          [keys.suppressions, keys.suppressionRevision, keys.suppressionRevisions],
          part.flatMap((one) => [one.suppression.id, writeText(STORED_SUPPRESSION, one)]),
        );
      }
    },
  };
}

/** Suppressions in one command: longer ones would block Redis. */
const CHUNK = 1_000;

/**
 * Writes suppressions with the revision that they make.
 *
 * Keys: suppressions by id (hash), revision, revisions by id (hash). Arguments: id and text in turn.
 */
const PUT = defineScript(`
local revision = redis.call('INCR', KEYS[2])
for at = 1, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1])
  redis.call('HSET', KEYS[3], ARGV[at], revision)
end
return revision
`);
