import type { Cache } from '../model/ports/cache.ts';

/** Cache policy: what was found, and for a shorter time what was not. Failures are never kept. */
export interface CachePolicy {
  readonly cache: Cache;
  readonly recordTtlMs: number;
  readonly missTtlMs: number;
  /** Told when the cache fails; the work goes on without it. */
  readonly onCacheFailure?: (error: unknown) => void;
}

/** What the index said: the record, or that it has none. */
export type Known<Value> = { readonly record: Value } | { readonly missing: true };

/** One kind of record in the cache. */
export interface RecordCache<Value> {
  get(keys: readonly string[]): Promise<readonly (Known<Value> | undefined)[]>;
  set(entries: readonly (readonly [key: string, known: Known<Value>])[]): Promise<void>;
}

/** `kind` names the shape: change it when the shape of `Value` changes. */
export function createRecordCache<Value>(kind: string, policy: CachePolicy): RecordCache<Value> {
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
      return keys.map((_, index) => asKnown<Value>(values[index]));
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

/** The cache holds only what was stored under this kind; anything else counts as absent. */
function asKnown<Value>(value: unknown): Known<Value> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return 'record' in value || 'missing' in value ? (value as Known<Value>) : undefined;
}
