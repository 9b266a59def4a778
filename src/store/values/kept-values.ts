import { LRUCache } from 'lru-cache';

/** Values in the memory of this process, by name or number. */
export interface KeptValues<Value, Name extends string | number = string> {
  /** Returns values in the order of the names; `load` returns those that are not kept, in their order. */
  getMany(
    names: readonly Name[],
    load: (lacking: readonly Name[]) => Promise<readonly (Value | undefined)[]>,
  ): Promise<(Value | undefined)[]>;
  /** `undefined` is kept too. `ttlMs`: less than the usual time to live. */
  set(name: Name, value: Value | undefined, ttlMs?: number): void;
}

export interface KeptValuesOptions {
  /** Number of values; those that were used long ago are dropped first. */
  readonly max: number;
  /** How long a value is kept. Unset: forever. */
  readonly ttlMs?: number;
  readonly now?: () => number;
}

export function createKeptValues<Value, Name extends string | number = string>({
  max,
  ttlMs = 0,
  now = () => performance.now(),
}: KeptValuesOptions): KeptValues<Value, Name> {
  const kept = new LRUCache<Name, { readonly value: Value | undefined }>({
    // With `max`, the cache would allocate its room at once: some megabytes for 100,000 values.
    maxSize: max,
    sizeCalculation: () => 1,
    ttl: ttlMs,
    perf: { now },
  });
  return {
    async getMany(names, load) {
      const found = names.map((name) => kept.get(name));
      const lacking = names.filter((_, at) => found[at] === undefined);
      const loaded = lacking.length === 0 ? [] : await load(lacking);
      let next = 0;
      return found.map((one) => (one === undefined ? loaded[next++] : one.value));
    },
    set(name, value, ttl) {
      kept.set(name, { value }, ttl === undefined ? {} : { ttl });
    },
  };
}
