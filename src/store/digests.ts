import type { DigestEntry } from '../model/alert/digest.ts';
import { messageOf } from '../model/errors.ts';
import { type Saved, upgradeDigestEntry } from '../model/release-0-1.ts';
import { unpackJson } from './compression.ts';
import type { RedisClient } from './connection.ts';
import { StoreError } from './errors.ts';
import type { Keys } from './keys.ts';

/** What waits for periodic digests. Written only together with outcomes (`outcomes.ts`). */
export interface DigestStore {
  /** Oldest scan first. */
  read(route: string): Promise<readonly DigestEntry[]>;
  /** Routes for which something waits, or ever waited. */
  routes(): Promise<readonly string[]>;
}

export function createDigestStore(redis: RedisClient, keys: Keys): DigestStore {
  return {
    async read(route) {
      const stored = Object.entries(await redis.hgetallBuffer(keys.digest(route)));
      const entries = await Promise.all(stored.map(([scan, value]) => readEntry(route, scan, value)));
      return entries.sort(
        (left, right) =>
          Date.parse(left.date) - Date.parse(right.date) || left.scan.localeCompare(right.scan),
      );
    },
    async routes() {
      return (await redis.smembers(keys.digestRoutes)).sort();
    },
  };
}

async function readEntry(route: string, scan: string, value: Buffer): Promise<DigestEntry> {
  try {
    return upgradeDigestEntry((await unpackJson(value)) as Saved<DigestEntry>);
  } catch (error) {
    const what = `What waits of scan "${scan}" for the digest of route ${route} cannot be read (${messageOf(error)}).`;
    throw new StoreError('state-corrupt', `${what} Delete it to have the rest sent.`, { cause: error });
  }
}
