import type { ProbedStore } from '../server/probes.ts';
import type { Store } from './store.ts';

/** The shards of a worker as one store, for its readiness probes. They share the connection and the stopped routes. */
export function probedShards(shards: readonly Store[]): ProbedStore {
  const [first] = shards as readonly [Store, ...Store[]];
  const sum = async (count: (shard: Store) => Promise<number>): Promise<number> =>
    (await Promise.all(shards.map(count))).reduce((total, one) => total + one, 0);
  return {
    redis: first.redis,
    deliveries: {
      stoppedRoutes: first.deliveries.stoppedRoutes,
      async openByRoute() {
        const counts = new Map<string, number>();
        for (const shard of shards) {
          for (const [route, count] of await shard.deliveries.openByRoute()) {
            counts.set(route, (counts.get(route) ?? 0) + count);
          }
        }
        return counts;
      },
    },
    rejected: { count: () => sum(({ rejected }) => rejected.count()) },
    targets: { countIncomplete: () => sum(({ targets }) => targets.countIncomplete()) },
    schedules: {
      failing: async () => (await Promise.all(shards.map(({ schedules }) => schedules.failing()))).flat(),
    },
    unreadable: first.unreadable,
    // In a cluster each shard may be on another node.
    async probeWrite(limitMs) {
      const faults = await Promise.all(shards.map(({ probeWrite }) => probeWrite(limitMs)));
      return faults.find((fault) => fault !== undefined);
    },
  };
}
