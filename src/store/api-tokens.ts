import { createHash } from 'node:crypto';
import type { ApiToken, StoredToken } from '../model/api/api-token.ts';
import { API_TOKEN } from '../model/stored/catalog.ts';
import type { Keys } from './keys.ts';
import type { RedisClient } from './redis/connection.ts';
import { createHashValues } from './values/hash-values.ts';
import type { OnUnreadable } from './values/stored-values.ts';

/** Tokens of the API and the sessions of people who signed in with one. */
export type ApiTokenStore = ReturnType<typeof createApiTokenStore>;

export function createApiTokenStore(redis: RedisClient, keys: Keys, onUnreadable?: OnUnreadable) {
  const session = (secret: string): string =>
    keys.apiSession(createHash('sha256').update(secret).digest('hex'));
  const remedy = (id: string) => `Revoke it: \`lockhound tokens revoke ${id}\`.`;
  const tokens = createHashValues(redis, API_TOKEN, { key: keys.apiTokens, remedy, onUnreadable });
  const all = async (): Promise<ReadonlyMap<string, StoredToken>> => new Map(await tokens.all());
  return {
    put: tokens.put,
    /** All tokens by id. One that cannot be read is reported and left out. */
    all,
    /** `undefined` for a token that does not exist. One that cannot be read is reported. */
    find: tokens.read,
    /** Number of all tokens, also of those that cannot be read or have expired. */
    count: () => redis.hlen(keys.apiTokens),
    /** Returns the tokens without their hashes, by time of creation. */
    async list(): Promise<readonly ApiToken[]> {
      const [known, uses] = [await all(), await redis.hgetall(keys.apiTokenUses)];
      const listed = [...known].map(([id, { hash: _hash, ...token }]) => {
        const used = uses[id];
        return {
          id,
          ...token,
          ...(used === undefined ? {} : { usedAt: new Date(Number(used)).toISOString() }),
        };
      });
      return listed.sort((left, right) => (left.createdAt < right.createdAt ? -1 : 1));
    },
    /** False when there is no such token. */
    async remove(id: string): Promise<boolean> {
      const removed = await redis.hdel(keys.apiTokens, id);
      await redis.hdel(keys.apiTokenUses, id);
      return removed > 0;
    },
    /** `time`: ms since 1970. */
    async noteUse(id: string, time: number): Promise<void> {
      await redis.hset(keys.apiTokenUses, id, time);
    },
    /** Stores a session of a token under the hash of its secret. */
    async openSession(secret: string, id: string, ttlMs: number): Promise<void> {
      await redis.set(session(secret), id, 'PX', ttlMs);
    },
    /** The token of a session. */
    findSession: async (secret: string): Promise<string | undefined> =>
      (await redis.get(session(secret))) ?? undefined,
    async closeSession(secret: string): Promise<void> {
      await redis.del(session(secret));
    },
  };
}
