import type { DigestEntry } from '../../model/alert/notification.ts';
import { DIGEST_ENTRY } from '../../model/stored/catalog.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { createHashValues } from '../values/hash-values.ts';
import type { OnUnreadable } from '../values/stored-values.ts';

/** Changes that wait for periodic digests. They are written only together with outcomes (`outcomes.ts`). */
export function createDigestStore(redis: RedisClient, keys: Keys, onUnreadable?: OnUnreadable) {
  return {
    /**
     * By target, those of one target in the order of its states: a scan that was requested earlier may be judged later. An entry that
     * cannot be read is reported and stays stored: the others are sent without it.
     */
    async read(route: string): Promise<readonly DigestEntry[]> {
      const remedy = 'Delete the field: the changes of this scan are not sent by this route.';
      const options = { key: keys.digest(route), remedy, onUnreadable };
      const entries = await createHashValues(redis, DIGEST_ENTRY, options).all();
      return entries
        .map(([, entry]) => entry)
        .sort(
          (left, right) => left.target.id.localeCompare(right.target.id) || left.revision - right.revision,
        );
    },
    /** Routes with entries, now or earlier. */
    routes: async () => (await redis.smembers(keys.digestRoutes)).sort(),
  };
}
