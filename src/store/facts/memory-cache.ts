import { chunks } from '../../model/chunks.ts';
import type { Cache } from '../../model/ports/cache.ts';
import { createYielder } from '../../model/yielding.ts';
import { createKeptValues, type KeptValues } from '../values/kept-values.ts';

export interface MemoryCacheOptions {
  /** Largest number of values of a kind; those that were used long ago are dropped first. */
  readonly maxEntries: number;
  /** How long a value is used without reading the shared cache again, in ms. */
  readonly ttlMs: number;
}

/** Names that are looked up before other work of the process runs. */
const CHUNK = 500;

/** The names requested since the last read of one kind. */
interface Batch {
  readonly names: string[];
  readonly values: Promise<readonly unknown[]>;
}

/**
 * Keeps values of a shared cache in the memory of this process, and reads what it lacks in batches: requests of the same kind that are
 * made together become one read. Scans share most of their packages, and reading and decoding them again for each scan costs
 * more than judging them. A value may be used for up to `ttlMs` longer than the shared cache would keep it.
 */
export function cacheInMemory(shared: Cache, { maxEntries, ttlMs }: MemoryCacheOptions): Cache {
  if (ttlMs < 1) return shared;
  const kinds = new Map<string, KeptValues<unknown>>();
  const keptOf = (kind: string) => {
    const kept = kinds.get(kind) ?? createKeptValues({ max: maxEntries, ttlMs });
    kinds.set(kind, kept);
    return kept;
  };
  const batches = new Map<string, Batch>();
  const open = (kind: string): Batch => {
    const names: string[] = [];
    const values = Promise.resolve().then(() => {
      batches.delete(kind);
      return shared.getMany(kind, names);
    });
    const batch = { names, values };
    batches.set(kind, batch);
    return batch;
  };
  const read = async (kind: string, names: readonly string[]): Promise<readonly unknown[]> => {
    const batch = batches.get(kind) ?? open(kind);
    const start = batch.names.length;
    for (const name of names) batch.names.push(name);
    const values = (await batch.values).slice(start, start + names.length);
    const kept = keptOf(kind);
    for (const [index, value] of values.entries()) {
      if (value !== undefined) kept.set(names[index] as string, value);
    }
    return values;
  };
  return {
    async getMany(kind, names) {
      const values: unknown[] = [];
      const yieldIfDue = createYielder();
      for (const some of chunks(names, CHUNK)) {
        const part = await keptOf(kind).getMany(some, (lacking) => read(kind, lacking));
        for (const value of part) values.push(value);
        await yieldIfDue();
      }
      return values;
    },
    async setMany(kind, entries, entryTtlMs) {
      const ttl = Math.max(1, Math.min(ttlMs, Math.round(entryTtlMs)));
      await shared.setMany(kind, entries, entryTtlMs);
      const kept = keptOf(kind);
      for (const [name, value] of entries) kept.set(name, value, ttl);
    },
  };
}
