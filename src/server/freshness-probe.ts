import type { StoredFleet } from '../store/fleet/fleet.ts';
import type { Probe } from './health.ts';
import { factsProblem } from './verdict/facts.ts';

/** A note when the facts of a shard cannot be called fresh. */
export function freshnessProbe(
  shards: readonly Pick<StoredFleet, 'lastRefresh' | 'freshness'>[],
  { every, staleAfter }: { readonly every: number; readonly staleAfter: number },
  now: () => number = Date.now,
): Probe {
  const name = 'facts';
  return {
    name,
    informs: true,
    async check() {
      if (every === 0) return [{ name }];
      const limits = { staleAfterMs: staleAfter, now: now() };
      const notes = await Promise.all(
        shards.map(async (shard) =>
          factsProblem(await shard.freshness(staleAfter), await shard.lastRefresh('all'), limits),
        ),
      );
      const problem = notes.find((note) => note !== undefined);
      return [problem === undefined ? { name } : { name, note: problem.says }];
    },
  };
}
