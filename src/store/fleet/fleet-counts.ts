import type { Keys } from '../keys.ts';
import { valuesOf } from '../queue-depths.ts';
import type { RedisClient } from '../redis/connection.ts';

/** Numbers of one shard. */
export interface FleetCounts {
  readonly targets: number;
  /** Targets whose last scan could not see everything. */
  readonly incompleteTargets: number;
  /** Targets whose source cannot be read. */
  readonly failingSources: number;
  readonly openJobs: number;
  readonly openDeliveries: number;
  readonly failedDeliveries: number;
  readonly rejectedPayloads: number;
}

/** Reads numbers that Redis keeps, in one round trip and constant time. */
export function createFleetCounts(redis: RedisClient, keys: Keys) {
  return async (): Promise<FleetCounts> => {
    const pipeline = redis.pipeline();
    pipeline.hlen(keys.targetSummaries).scard(keys.incompleteTargets).scard(keys.failingTargets);
    pipeline.hlen(keys.openJobs).zcard(keys.openDeliveries).zcard(keys.failedDeliveries);
    pipeline.hlen(keys.rejected);
    const counts = valuesOf(await pipeline.exec()).map(Number) as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const [targets, incompleteTargets, failingSources, openJobs, ...deliveries] = counts;
    const [openDeliveries, failedDeliveries, rejectedPayloads] = deliveries;
    return {
      ...{ targets, incompleteTargets, failingSources, openJobs },
      ...{ openDeliveries, failedDeliveries, rejectedPayloads },
    };
  };
}
