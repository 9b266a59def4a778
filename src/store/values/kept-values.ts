import { LRUCache } from 'lru-cache';

/** One read of this many notes the use of its names: it costs as much as to find their values. */
const NOTED_READS = 8;
/** One object for all look-ups: without it, the cache creates one for each name. */
const NO_OPTIONS = {};

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
  let reads = 0;
  return {
    async getMany(names, load) {
      const isNoted = reads++ % NOTED_READS === 0;
      // A list that grows is copied several times.
      const found = new Array<Value | undefined>(names.length);
      const lacking: Name[] = [];
      const places: number[] = [];
      let at = 0;
      for (const name of names) {
        const one = isNoted ? kept.get(name, NO_OPTIONS) : kept.peek(name, NO_OPTIONS);
        if (one === undefined) {
          places.push(at);
          lacking.push(name);
        }
        found[at] = one?.value;
        at += 1;
      }
      if (lacking.length === 0) return found;
      for (const [index, value] of (await load(lacking)).entries()) found[places[index] as number] = value;
      return found;
    },
    set(name, value, ttl) {
      kept.set(name, { value }, ttl === undefined ? {} : { ttl });
    },
  };
}
