import type { Cache } from '../../model/ports/shared-state.ts';

/** A cache in this process. Values are stored without serialization; an expired one is removed when it is read. */
export function createMemoryCache(now: () => number = Date.now): Cache {
  const kinds = new Map<string, Map<string, { readonly value: unknown; readonly until: number }>>();
  return {
    async getMany(kind, keys) {
      const entries = kinds.get(kind);
      const time = now();
      return keys.map((key) => {
        const entry = entries?.get(key);
        if (entry === undefined || entry.until > time) return entry?.value;
        entries?.delete(key);
        return undefined;
      });
    },
    async setMany(kind, values, ttlMs) {
      const entries = kinds.get(kind) ?? new Map();
      kinds.set(kind, entries);
      const until = now() + ttlMs;
      for (const [key, value] of values) entries.set(key, { value, until });
    },
  };
}
