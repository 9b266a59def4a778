import { JOBS } from '../jobs/catalog.ts';
import { jobIdOf } from '../jobs/job-id.ts';
import { FINISH_REFRESH } from '../jobs/refresh/finish-refresh.ts';
import { CADENCES, type Cadence } from '../model/fleet/cadence.ts';
import { joinFreshness } from '../model/fleet/freshness.ts';
import type { FleetNumbers, QueueNumbers, RefreshNumbers } from '../server/metrics/fleet-numbers.ts';
import type { FleetCounts } from '../store/fleet/fleet-counts.ts';
import type { QueueDepth } from '../store/queue-depths.ts';
import { readServerInfo } from '../store/redis/server-info.ts';
import { SCHEDULES_QUEUE } from '../workers/schedules.ts';
import { createWaitTimes } from '../workers/wait-times.ts';
import type { Store } from './store.ts';
import { createTargetNumbers } from './target-numbers.ts';

/** The queues of a deployment. */
export const QUEUES: readonly string[] = [...JOBS.map(({ name }) => name), SCHEDULES_QUEUE];

/**
 * Returns a function that reads the numbers of all shards. Its cost does not grow with the number of jobs. Those of targets are read
 * in a pass over their list, at most once a minute.
 */
export function openFleetNumbers(
  shards: readonly Store[],
  /** `watch.staleAfter` in milliseconds. */
  staleAfterMs: number,
  now: () => number = Date.now,
) {
  const [first] = shards as readonly [Store, ...Store[]];
  const targets = createTargetNumbers(shards, now);
  const waits = createWaitTimes(now);
  return async (): Promise<FleetNumbers> => {
    const [depths, counts, runningWorkers, stopped, servers, refreshes, open, fresh] = await Promise.all([
      Promise.all(shards.map(({ queueDepths }) => queueDepths.read(QUEUES))),
      Promise.all(shards.map(({ fleetCounts }) => fleetCounts())),
      first.workers.countRunning(),
      first.deliveries.stoppedRoutes(),
      readServerInfo(first.redis),
      Promise.all(CADENCES.map((cadence) => refreshNumbers(shards, cadence))),
      Promise.all(shards.map(({ deliveries }) => deliveries.openSince())),
      Promise.all(shards.map(({ fleet }) => fleet.freshness(staleAfterMs))),
    ]);
    const [oldestDelivery] = open.flatMap((time) => time ?? []).sort((left, right) => left - right);
    return {
      servers,
      queues: QUEUES.map((queue, index) =>
        queueNumbers(
          queue,
          depths.flatMap((all) => all[index] ?? []),
          waits,
        ),
      ),
      counts: counts.reduce(addCounts),
      runningWorkers,
      stoppedRoutes: stopped,
      oldestDelivery,
      unreadable: first.unreadable.size,
      refreshes,
      freshness: joinFreshness(fresh),
      targets: await targets(),
    };
  };
}

function queueNumbers(
  queue: string,
  shards: readonly QueueDepth[],
  waits: ReturnType<typeof createWaitTimes>,
): QueueNumbers {
  const sum = (count: (depth: QueueDepth) => number): number =>
    shards.reduce((total, depth) => total + count(depth), 0);
  const ages = shards.map(({ oldest }, shard) => waits.ageOf(`${queue} ${shard}`, oldest));
  return {
    queue,
    waiting: sum(({ waiting }) => waiting),
    active: sum(({ active }) => active),
    delayed: sum(({ delayed }) => delayed),
    parents: sum(({ parents }) => parents),
    failed: sum(({ failed }) => failed),
    oldestMs: Math.max(0, ...ages),
  };
}

function addCounts(left: FleetCounts, right: FleetCounts): FleetCounts {
  const names = Object.keys(left) as (keyof FleetCounts)[];
  return Object.fromEntries(names.map((name) => [name, left[name] + right[name]])) as unknown as FleetCounts;
}

/** Each shard has its own refresh: the one that ended least recently speaks for all. */
async function refreshNumbers(shards: readonly Store[], cadence: Cadence): Promise<RefreshNumbers> {
  const records = await Promise.all(shards.map(({ fleet }) => fleet.lastRefresh(cadence)));
  const known = records.filter((record) => record !== undefined);
  const last = known.toSorted((left, right) => (left.startedAt < right.startedAt ? -1 : 1))[0];
  const parts = await Promise.all(shards.map((shard) => openParts(shard, cadence)));
  const running = parts.filter((part) => part !== undefined);
  if (running.length === 0) return { cadence, last };
  return {
    cadence,
    last,
    running: {
      open: running.reduce((sum, { open }) => sum + open, 0),
      done: running.reduce((sum, { done }) => sum + done, 0),
    },
  };
}

/** The parts are the children of the job that ends the refresh. */
async function openParts({ fleet, queueDepths }: Store, cadence: Cadence) {
  const refresh = await fleet.refreshInProgress(cadence);
  if (refresh === undefined) return undefined;
  return await queueDepths.childrenOf(FINISH_REFRESH.name, jobIdOf(FINISH_REFRESH.name, refresh));
}
