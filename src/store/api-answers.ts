import { createHash } from 'node:crypto';
import type { StoredAnswer } from '../model/api/api-answer.ts';
import { API_ANSWER } from '../model/stored/catalog.ts';
import type { Keys } from './keys.ts';
import type { RedisClient } from './redis/connection.ts';
import { readValue, writeText } from './values/stored-values.ts';

/** Answers to writes by their idempotency keys, so that a repeated request does nothing and has the same answer. */
export type ApiAnswerStore = ReturnType<typeof createApiAnswerStore>;

/** The state of a request with a key. */
export type KnownRequest =
  /** This is the first one; it has to be answered or released. */
  | { readonly kind: 'first' }
  /** The request is being answered. */
  | { readonly kind: 'running' }
  /** Another request had the same key. */
  | { readonly kind: 'different' }
  | { readonly kind: 'answered'; readonly answer: StoredAnswer };

/** A process that died while it answered frees the key after this time. */
const RUNNING_MS = 120_000;
const KEPT_MS = 24 * 3_600_000;

export function createApiAnswerStore(redis: RedisClient, keys: Keys) {
  const keyOf = (caller: string, key: string): string =>
    keys.apiAnswer(
      createHash('sha256')
        .update(JSON.stringify([caller, key]))
        .digest('hex'),
    );
  return {
    /** `request`: hash of the request. */
    async begin(caller: string, key: string, request: string): Promise<KnownRequest> {
      const place = {
        key: keyOf(caller, key),
        remedy: 'Delete the key, or send the request with another one.',
      };
      const running = writeText(API_ANSWER, { request });
      if ((await redis.set(place.key, running, 'PX', RUNNING_MS, 'NX')) !== null) return { kind: 'first' };
      const stored = await redis.get(place.key);
      if (stored === null) return { kind: 'running' };
      const known = await readValue(API_ANSWER, stored, place);
      if (known.request !== request) return { kind: 'different' };
      return known.answer === undefined ? { kind: 'running' } : { kind: 'answered', answer: known.answer };
    },
    async answer(caller: string, key: string, request: string, answer: StoredAnswer): Promise<void> {
      await redis.set(keyOf(caller, key), writeText(API_ANSWER, { request, answer }), 'PX', KEPT_MS);
    },
    isKnown: async (what: string): Promise<boolean> => (await redis.exists(keyOf('known', what))) === 1,
    /** Remembers that something happened, for `ttlMs`. */
    async remember(what: string, ttlMs: number): Promise<void> {
      await redis.set(keyOf('known', what), '1', 'PX', ttlMs);
    },
    /** Forgets a request that failed, so that it may be repeated. */
    async release(caller: string, key: string): Promise<void> {
      await redis.del(keyOf(caller, key));
    },
  };
}
