import type { Cache } from '../../model/ports/shared-state.ts';
import { createKeptValues, type KeptValues } from '../values/kept-values.ts';

export interface MemoryCacheOptions {
  /** Largest number of values of a kind; those that were used long ago are dropped first. */
  readonly maxEntries: number;
  /** How long a value is used without reading the shared cache again, in ms. */
  readonly ttlMs: number;
}

/**
 * Keeps values of a shared cache in the memory of this process. Scans share most of their packages, and reading and decoding them again
 * for each scan costs more than judging them. A value may be used for up to `ttlMs` longer than the shared cache would keep it.
 */
export function cacheInMemory(shared: Cache, { maxEntries, ttlMs }: MemoryCacheOptions): Cache {
  if (ttlMs < 1) return shared;
  const kinds = new Map<string, KeptValues<unknown>>();
  const keptOf = (kind: string) => {
    const kept = kinds.get(kind) ?? createKeptValues({ max: maxEntries, ttlMs });
    kinds.set(kind, kept);
    return kept;
  };
  return {
    getMany(kind, names) {
      const kept = keptOf(kind);
      return kept.getMany(names, async (lacking) => {
        const values = await shared.getMany(kind, lacking);
        for (const [index, value] of values.entries()) {
          if (value !== undefined) kept.set(lacking[index] as string, value);
        }
        return values;
      });
    },
    async setMany(kind, entries, entryTtlMs) {
      const ttl = Math.max(1, Math.min(ttlMs, Math.round(entryTtlMs)));
      await shared.setMany(kind, entries, entryTtlMs);
      const kept = keptOf(kind);
      for (const [name, value] of entries) kept.set(name, value, ttl);
    },
  };
}
