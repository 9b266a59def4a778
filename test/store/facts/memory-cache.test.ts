import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Cache } from '../../../src/model/ports/shared-state.ts';
import { cacheInMemory } from '../../../src/store/facts/memory-cache.ts';

/** A shared cache in a map, which records its requests. */
function sharedCache(values: Readonly<Record<string, unknown>> = {}) {
  const stored = new Map(Object.entries(values));
  const reads: (readonly string[])[] = [];
  const cache: Cache = {
    async getMany(kind, names) {
      reads.push(names.map((name) => `${kind}/${name}`));
      return names.map((name) => stored.get(`${kind}/${name}`));
    },
    async setMany(kind, entries) {
      for (const [name, value] of entries) stored.set(`${kind}/${name}`, value);
    },
  };
  return { cache, reads, stored };
}

const OPTIONS = { maxEntries: 100, ttlMs: 60_000 };

describe('a cache in memory', () => {
  it('reads each value once from the shared cache, and returns all in the requested order', async () => {
    const { cache, reads } = sharedCache({ 'k/a': 1, 'k/b': null, 'other/a': 3 });
    const memory = cacheInMemory(cache, OPTIONS);
    expect(await memory.getMany('k', ['b', 'none', 'a', 'b'])).toEqual([null, undefined, 1, null]);
    expect(await memory.getMany('k', ['a', 'none', 'b'])).toEqual([1, undefined, null]);
    expect(await memory.getMany('other', ['a'])).toEqual([3]);
    expect(await memory.getMany('k', [])).toEqual([]);
    expect(reads).toEqual([['k/b', 'k/none', 'k/a', 'k/b'], ['k/none'], ['other/a']]);
  });

  it('rejects when a read fails, and reads again for the next one', async () => {
    const { cache } = sharedCache({ 'k/a': 1 });
    let failing = true;
    const memory = cacheInMemory(
      {
        ...cache,
        getMany: async (...args) => (failing ? Promise.reject(new Error('lost')) : cache.getMany(...args)),
      },
      OPTIONS,
    );
    await expect(memory.getMany('k', ['a'])).rejects.toThrow('lost');
    failing = false;
    expect(await memory.getMany('k', ['a'])).toEqual([1]);
  });

  it('returns written values, stores them in the shared cache too, and drops them after their time to live', async () => {
    const { cache, reads, stored } = sharedCache();
    const memory = cacheInMemory(cache, OPTIONS);
    await memory.setMany('k', [['a', 1]], 60_000);
    await memory.setMany('k', [['b', 2]], 1);
    expect(stored.get('k/a')).toBe(1);
    await sleep(5);
    stored.set('k/b', 'newer');
    expect(await memory.getMany('k', ['a', 'b'])).toEqual([1, 'newer']);
    expect(reads).toEqual([['k/b']]);
  });

  it('keeps values that are used often', async () => {
    const { cache, reads } = sharedCache({ 'k/a': 1, 'k/b': 2, 'k/c': 3 });
    const memory = cacheInMemory(cache, { maxEntries: 2, ttlMs: 60_000 });
    for (const name of 'abacab') await memory.getMany('k', [name]);
    expect(reads.flat()).toEqual(['k/a', 'k/b', 'k/c', 'k/b']);
  });

  it('is the shared cache itself where values may not be kept', () => {
    const { cache } = sharedCache();
    expect(cacheInMemory(cache, { maxEntries: 2, ttlMs: 0 })).toBe(cache);
  });
});
