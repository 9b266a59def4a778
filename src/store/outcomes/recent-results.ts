import { LRUCache } from 'lru-cache';

/** Results that are kept, and the size up to which one is: as it is stored, in bytes. A large one takes some megabytes. */
const MAX_RESULTS = 16;
const MAX_BYTES = 131_072;

/**
 * Results that this process saved last, for the job that follows: reading the inventory of a scan takes longer than judging it.
 * A saved result is never changed, and `take` returns it once.
 */
export function createRecentResults() {
  const kept = new LRUCache<string, object>({ max: MAX_RESULTS });
  return {
    add(key: string, result: unknown, bytes: number): void {
      if (bytes <= MAX_BYTES && typeof result === 'object' && result !== null) kept.set(key, result);
    },
    take(key: string): object | undefined {
      const result = kept.get(key);
      kept.delete(key);
      return result;
    },
  };
}
