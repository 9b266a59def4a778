import { isObject } from '../model/json-object.ts';
import type { Answer, Cache, Known } from '../model/ports/shared-state.ts';
import type { StoredKind } from '../model/stored/kind.ts';
import { InsightsError } from './errors.ts';

/** How long records, and for a shorter time misses, are cached. Failures are not cached. */
export interface CachePolicy {
  readonly cache: Cache;
  readonly recordTtlMs: number;
  readonly missTtlMs: number;
  /** The cache holds what the fleet knows: the work fails when it cannot be read or written. */
  readonly isRequired?: boolean;
  /** Everything is answered in this process: nothing is read, so that an import is seen at once, and writes are for those that follow them. */
  readonly isLocal?: boolean;
}

/** One kind of record in the cache. */
export type RecordCache<Value> = ReturnType<typeof createRecordCache<Value>>;

/** A cached value that does not fit its kind counts as absent. Raise the kind's version when its meaning changes. */
export function createRecordCache<Value>(
  { kind: name, version, schema }: StoredKind<Known<Value>>,
  policy: CachePolicy,
) {
  const kind = `${name}-${version}`;
  // A cache in memory returns the same object again: each is checked at most once.
  const checked = new WeakSet<object>();
  const fits = async (value: object): Promise<boolean> => {
    if (!(await schema()).safeParse(value).success) return false;
    checked.add(value);
    return true;
  };
  const { cache, recordTtlMs, missTtlMs, isRequired = false, isLocal = false } = policy;
  const orElse =
    <T>(fallback: T) =>
    (error: unknown): T => {
      // Where the work goes on without it, a cache reports its faults itself.
      if (isRequired) throw error;
      return fallback;
    };
  return {
    async get(keys: readonly string[]): Promise<readonly (Known<Value> | undefined)[]> {
      const none = keys.map(() => undefined);
      if (keys.length === 0 || isLocal) return none;
      const values = await cache.getMany(kind, keys).catch(orElse<readonly unknown[]>(none));
      const known: (Known<Value> | undefined)[] = [];
      for (const index of keys.keys()) {
        const value = values[index];
        const isValid = isObject(value) && (checked.has(value) || (await fits(value)));
        known.push(isValid ? (value as unknown as Known<Value>) : undefined);
      }
      return known;
    },
    async set(entries: readonly (readonly [key: string, known: Known<Value>])[]): Promise<void> {
      if (!isLocal) for (const [, known] of entries) checked.add(known);
      const found = entries.filter(([, known]) => 'record' in known);
      const missing = entries.filter(([, known]) => 'missing' in known);
      await Promise.all([
        found.length === 0 ? undefined : cache.setMany(kind, found, recordTtlMs).catch(orElse(undefined)),
        missing.length === 0 ? undefined : cache.setMany(kind, missing, missTtlMs).catch(orElse(undefined)),
      ]);
    },
  };
}

/** That the service has none is an answer. */
export async function loadOrMiss<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  signal: AbortSignal,
): Promise<Answer<Value>> {
  try {
    return { record: await load(signal) };
  } catch (error) {
    if (error instanceof InsightsError && error.code === 'not-found') return { missing: true };
    throw error;
  }
}
