import type { Cache, Known } from '../model/ports/shared-state.ts';
import { CACHED_ADVISORY, CACHED_VERSION } from '../model/stored/catalog.ts';
import type { StoredKind } from '../model/stored/kind.ts';
import type { FactStore } from '../store/facts/facts.ts';
import type { Store } from './store.ts';

/** A cache whose versions and advisories are the facts of the fleet, so that what is known is stored once. */
export function factCache({ cache, facts }: Pick<Store, 'cache' | 'facts'>): Cache {
  const kinds = new Map<string, Cache>([
    [nameOf(CACHED_VERSION), cacheOf(facts.versions)],
    [nameOf(CACHED_ADVISORY), cacheOf(facts.advisories)],
  ]);
  const of = (kind: string): Cache => kinds.get(kind) ?? cache;
  return {
    getMany: (kind, keys) => of(kind).getMany(kind, keys),
    setMany: (kind, entries, ttlMs) => of(kind).setMany(kind, entries, ttlMs),
  };
}

/** The values that are written to a kind of the cache are answers of that kind. */
function cacheOf<Value extends object>(facts: FactStore<Value>): Cache {
  return {
    getMany: (_kind, keys) => facts.fresh(keys),
    async setMany(_kind, entries) {
      await facts.learn(entries.map(([key, value]) => [key, value as Known<Value>] as const));
    },
  };
}

/** The name of a kind in the cache (`insights/caching.ts`). */
function nameOf({ kind, version }: StoredKind<unknown>): string {
  return `${kind}-${version}`;
}
