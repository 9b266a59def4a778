import type { StoredSuppression } from '../model/scan/suppression.ts';
import { STORED_SUPPRESSION } from '../model/stored/catalog.ts';
import type { Keys } from './keys.ts';
import type { RedisClient } from './redis/connection.ts';
import { type OnUnreadable, readEach, readValue, writeText } from './values/stored-values.ts';

export type SuppressionStore = ReturnType<typeof createSuppressionStore>;

/**
 * The suppressions that `lockhound ignore` adds, for all shards. Removed ones stay, as the record of who did what. Each write changes
 * the revision, by which workers notice it.
 */
export function createSuppressionStore(
  redis: RedisClient,
  keys: Keys,
  onUnreadable: OnUnreadable = () => {},
) {
  const parse = ([id, text]: readonly [string, string]) =>
    readValue(STORED_SUPPRESSION, text, {
      key: keys.suppressions,
      field: id,
      remedy: 'It suppresses nothing. Delete the field, and add the suppression again.',
    });
  /** Oldest first, with removed ones. One that cannot be read is reported and left out. */
  async function list(): Promise<readonly StoredSuppression[]> {
    const stored = Object.entries(await redis.hgetall(keys.suppressions));
    const found = await readEach(stored, parse, onUnreadable);
    return found.toSorted((left, right) => Date.parse(left.addedAt) - Date.parse(right.addedAt));
  }
  const revision = async (): Promise<string> => (await redis.get(keys.suppressionRevision)) ?? '0';
  let known:
    | { readonly revision: string; readonly effective: Promise<readonly StoredSuppression[]> }
    | undefined;
  return {
    list,
    /** `0` before the first one is added. */
    revision,
    /** Without removed ones. Read again only when the revision changed, because each judgement asks for them. */
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
    /** Adds suppressions or replaces them by their id. */
    async put(suppressions: readonly StoredSuppression[]): Promise<void> {
      const transaction = redis.multi();
      for (const one of suppressions) {
        transaction.hset(keys.suppressions, one.suppression.id, writeText(STORED_SUPPRESSION, one));
      }
      const answers = await transaction.incr(keys.suppressionRevision).exec();
      const failed = answers?.find(([error]) => error !== null)?.[0];
      if (failed != null) throw failed;
    },
  };
}
