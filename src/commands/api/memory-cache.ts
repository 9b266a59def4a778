import type { Cache } from '../../model/ports/cache.ts';

/** A cache for one process that ends before anything in it expires. */
export function createMemoryCache(): Cache {
  const values = new Map<string, unknown>();
  const name = (kind: string, key: string) => `${kind}:${key}`;
  return {
    getMany: async (kind, keys) => keys.map((key) => values.get(name(kind, key))),
    async setMany(kind, entries) {
      for (const [key, value] of entries) values.set(name(kind, key), value);
    },
  };
}
