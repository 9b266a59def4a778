import { LRUCache } from 'lru-cache';
import { type AdvisedBy, createAdviceFacts } from '../advice/facts.ts';
import { learnFix } from '../advice/known-fix.ts';
import { createRecordCache } from '../insights/caching.ts';
import type { KnownFix } from '../model/advice/fix.ts';
import { formatVersionKey } from '../model/lockfile/ecosystem.ts';
import type { Cache, KnownFixes } from '../model/ports/shared-state.ts';
import { CACHED_FIX } from '../model/stored/catalog.ts';
import { cacheInMemory } from '../store/facts/memory-cache.ts';

const DAY_MS = 86_400_000;
/** A known fix is read for a week, and determined again after a day. */
const TTL_MS = 7 * DAY_MS;
/** Requests for one package version. */
const MAX_REQUESTS = 1_000;
/** How long what is known is read from the memory of the process, and a question counts as asked, in ms. */
const MEMORY_MS = 60_000;
const ASKED_MS = 120_000;
const MAX_IN_MEMORY = 5_000;

/** Reads what workers found out. */
export function createFixReader(cache: Cache): KnownFixes['read'] {
  const fixes = createRecordCache<KnownFix>(CACHED_FIX, { cache, recordTtlMs: TTL_MS, missTtlMs: TTL_MS });
  return async (keys) => {
    const found = await fixes.get(keys.map(formatVersionKey));
    return found.map((one) => (one !== undefined && 'record' in one ? one.record : undefined));
  };
}

/** The known fixes, in the cache that all workers share. */
export function createKnownFixes(insights: AdvisedBy, cache: Cache): KnownFixes {
  const fixes = createRecordCache<KnownFix>(CACHED_FIX, { cache, recordTtlMs: TTL_MS, missTtlMs: TTL_MS });
  // What is learned is added to what all workers know, so it is not read from memory.
  const read = createFixReader(cache);
  const asked = new LRUCache<string, string>({ max: MAX_IN_MEMORY, ttl: ASKED_MS });
  return {
    read: createFixReader(cacheInMemory(cache, { maxEntries: MAX_IN_MEMORY, ttlMs: MEMORY_MS })),
    unasked: (scan, questions) =>
      questions.filter(({ key, directs }) => {
        const question = [key, ...directs].map(formatVersionKey).join(' ');
        const before = asked.get(question);
        if (before === undefined) asked.set(question, scan);
        return before === undefined || before === scan;
      }),
    async learn(question, now, signal) {
      const [known] = await read([question.key]);
      const before = known !== undefined && now - known.computedAt < DAY_MS ? known : undefined;
      if (
        before !== undefined &&
        question.directs.every(({ name, version }) => `${name}@${version}` in before.ways)
      ) {
        return;
      }
      const facts = createAdviceFacts(insights, { signal, maxRequests: MAX_REQUESTS });
      const learned = await learnFix(question, before, facts, now);
      // What rests on an answer that failed is found out another time.
      const [failure] = facts.failures();
      if (failure !== undefined) throw failure;
      await fixes.set([[formatVersionKey(question.key), { record: learned }]]);
    },
  };
}
