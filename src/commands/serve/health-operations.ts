import { openHealth } from '../../compose/health.ts';
import type { Operations } from '../../server/api/operation.ts';
import { createWorkerRecords } from '../../store/worker-records.ts';
import { requireWholeFleet, type ServeContext } from './serve-context.ts';

/** The verdict of `lockhound health`. */
export function healthOperations({
  loaded,
  shared,
}: Pick<ServeContext, 'loaded' | 'shared'>): Pick<Operations, 'lockhound.health.get'> {
  const shards = shared.shards.map(({ store }) => store);
  const workers = createWorkerRecords(shared.store.redis, loaded.config.redis.prefix);
  const health = openHealth(loaded, { shards, workers });
  return {
    async 'lockhound.health.get'({ principal }) {
      requireWholeFleet(principal);
      return await health();
    },
  };
}
