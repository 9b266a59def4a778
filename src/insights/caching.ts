import type { Cache, Known } from '../model/ports/cache.ts';
import type { StoredKind } from '../model/stored/kind.ts';

/** How long records, and for a shorter time misses, are cached. Failures are not cached. */
export interface CachePolicy {
  readonly cache: Cache;
  readonly recordTtlMs: number;
  readonly missTtlMs: number;
  /** Called when the cache fails; the work continues without it. */
  readonly onCacheFailure?: (error: unknown) => void;
}

/** One kind of record in the cache. */
export interface RecordCache<Value> {
  get(keys: readonly string[]): Promise<readonly (Known<Value> | undefined)[]>;
  set(entries: readonly (readonly [key: string, known: Known<Value>])[]): Promise<void>;
}

/** A cached value that does not fit its kind counts as absent. Raise the kind's version when its meaning changes. */
export function createRecordCache<Value>(
  { kind: name, version, schema }: StoredKind<Known<Value>>,
  policy: CachePolicy,
): RecordCache<Value> {
  const kind = `${name}-${version}`;
  // A cache in memory returns the same object again: each is checked once.
  const checked = new WeakSet<object>();
  const isKnown = (value: unknown): value is Known<Value> => {
    if (typeof value !== 'object' || value === null) return false;
    if (!checked.has(value) && !schema.safeParse(value).success) return false;
    checked.add(value);
    return true;
  };
  const { cache, recordTtlMs, missTtlMs, onCacheFailure } = policy;
  const orElse =
    <T>(fallback: T) =>
    (error: unknown): T => {
      onCacheFailure?.(error);
      return fallback;
    };
  return {
    async get(keys) {
      const none = keys.map(() => undefined);
      if (keys.length === 0) return none;
      const values = await cache.getMany(kind, keys).catch(orElse<readonly unknown[]>(none));
      return keys.map((_, index) => {
        const value = values[index];
        return isKnown(value) ? value : undefined;
      });
    },
    async set(entries) {
      const found = entries.filter(([, known]) => 'record' in known);
      const missing = entries.filter(([, known]) => 'missing' in known);
      await Promise.all([
        found.length === 0 ? undefined : cache.setMany(kind, found, recordTtlMs).catch(orElse(undefined)),
        missing.length === 0 ? undefined : cache.setMany(kind, missing, missTtlMs).catch(orElse(undefined)),
      ]);
    },
  };
}
