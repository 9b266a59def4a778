import type { WorkerRecord } from '../model/fleet/worker-record.ts';
import { WORKER_RECORD } from '../model/stored/catalog.ts';
import { createKeys } from './keys.ts';
import type { RedisClient } from './redis/connection.ts';
import { createHashValues } from './values/hash-values.ts';
import type { OnUnreadable } from './values/stored-values.ts';

/** Records of workers that died stay this long, for `lockhound doctor`. */
const KEPT_MS = 3_600_000;

export interface WorkerPresence {
  readonly record: WorkerRecord;
  /** False for a worker that did not renew its presence in time. */
  readonly running: boolean;
}

export type WorkerRecords = ReturnType<typeof createWorkerRecords>;

/** Records that workers write about themselves, next to their presence (`shards/shard-layout.ts`). `prefix`: `redis.prefix`. */
export function createWorkerRecords(redis: RedisClient, prefix: string, onUnreadable?: OnUnreadable) {
  const { workers, workerRecords: key } = createKeys(prefix);
  const remedy = 'Delete the field: the worker writes it again.';
  const values = createHashValues(redis, WORKER_RECORD, { key, remedy, onUnreadable });
  return {
    write: (record: WorkerRecord) => values.put(record.worker, record),
    async remove(worker: string): Promise<void> {
      await redis.hdel(key, worker);
    },
    /** How many run. */
    async countRunning(): Promise<number> {
      const [seconds] = await redis.time();
      return await redis.zcount(workers, Number(seconds) * 1_000, '+inf');
    },
    /** All workers, the newest first; forgets those that died long ago. `now`: ms since 1970. */
    async list(now = Date.now()): Promise<readonly WorkerPresence[]> {
      const [stored, running] = await Promise.all([values.all(), redis.zrangebyscore(workers, now, '+inf')]);
      const alive = new Set(running);
      const records = stored.map(([, record]) => record);
      const isOld = ({ worker, seenAt }: WorkerRecord): boolean =>
        !alive.has(worker) && Date.parse(seenAt) < now - KEPT_MS;
      const old = records.filter(isOld).map(({ worker }) => worker);
      if (old.length > 0) await redis.hdel(key, ...old);
      return records
        .filter((record) => !isOld(record))
        .map((record) => ({ record, running: alive.has(record.worker) }))
        .toSorted((left, right) => (left.record.startedAt > right.record.startedAt ? -1 : 1));
    },
  };
}
