import type { StoredFleet } from '../store/fleet/fleet.ts';
import type { Probe } from './health.ts';

/** A note when refreshes of the fleet do not succeed, or have not ended for longer than allowed. */
export function freshnessProbe(
  shards: readonly Pick<StoredFleet, 'lastRefresh'>[],
  { every, staleAfter }: { readonly every: number; readonly staleAfter: number },
  now: () => number = Date.now,
): Probe {
  const name = 'facts';
  return {
    name,
    async check() {
      if (every === 0) return [{ name }];
      const records = await Promise.all(shards.map(({ lastRefresh }) => lastRefresh('all')));
      const notes = records.flatMap((record) => {
        if (record === undefined) return [];
        const { failingSince, startedAt, reason = 'unknown reason' } = record;
        if (failingSince !== undefined) {
          return [`what is known of packages is out of date since ${failingSince}: ${reason}`];
        }
        return now() - Date.parse(startedAt) > every + staleAfter
          ? [`packages were looked up last at ${startedAt}`]
          : [];
      });
      return [notes[0] === undefined ? { name } : { name, note: notes[0] }];
    },
  };
}
