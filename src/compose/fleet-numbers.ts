import { JOBS } from '../jobs/catalog.ts';
import { jobIdOf } from '../jobs/job.ts';
import { finishRefresh } from '../jobs/refresh/finish-refresh.ts';
import { CADENCES, type Cadence, joinFreshness } from '../model/fleet/refresh.ts';
import type { TargetSummary } from '../model/fleet/target-summary.ts';
import type {
  FleetNumbers,
  QueueNumbers,
  RefreshNumbers,
  TargetNumbers,
} from '../server/metrics/fleet-numbers.ts';
import type { FleetCounts } from '../store/fleet/fleet-counts.ts';
import type { QueueDepth } from '../store/queue-depths.ts';
import { readServerInfo } from '../store/redis/server-info.ts';
import { SCHEDULES_QUEUE } from '../workers/schedules.ts';
import type { Store } from './store.ts';

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
    const [depths, counts, runningWorkers, stopped, servers, refreshes, open, fresh, archives] =
      await Promise.all([
        Promise.all(shards.map(({ queueDepths }) => queueDepths.read(QUEUES))),
        Promise.all(shards.map(({ fleetCounts }) => fleetCounts())),
        first.workers.countRunning(),
        first.deliveries.stoppedRoutes(),
        readServerInfo(first.redis),
        Promise.all(CADENCES.map((cadence) => refreshNumbers(shards, cadence))),
        Promise.all(shards.map(({ deliveries }) => deliveries.openSince())),
        Promise.all(shards.map(({ fleet }) => fleet.freshness(staleAfterMs))),
        Promise.all(shards.map(({ lastArchive }) => lastArchive())),
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
      archives: archives.flatMap((one) => one ?? []),
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
  return await queueDepths.childrenOf(finishRefresh.name, jobIdOf(finishRefresh.name, refresh));
}

const DAY_MS = 24 * 3_600_000;
/** The classes of the time since a target was read, by name. */
const AGES: readonly (readonly [name: string, ms: number])[] = [
  ['1d', DAY_MS],
  ['7d', 7 * DAY_MS],
  ['30d', 30 * DAY_MS],
  ['90d', 90 * DAY_MS],
];
const MIN_PAUSE_MS = 60_000;
/** A pass takes at most this part of the time. */
const SHARE = 50;

type Pass = Pick<Store, 'targetSummaries'>;

/** Returns a function that counts findings and ages of targets; the numbers may be some minutes old. */
function createTargetNumbers(shards: readonly Pass[], now: () => number = Date.now) {
  let last: { readonly numbers: Promise<TargetNumbers>; readonly until: number } | undefined;
  return (): Promise<TargetNumbers> => {
    if (last !== undefined && now() < last.until) return last.numbers;
    const startedAt = now();
    const before = last?.numbers;
    const pass = countTargets(shards, startedAt);
    last = { numbers: before ?? pass, until: Number.POSITIVE_INFINITY };
    pass.then(
      () => {
        last = { numbers: pass, until: now() + Math.max(MIN_PAUSE_MS, SHARE * (now() - startedAt)) };
      },
      () => {
        last = before === undefined ? undefined : { numbers: before, until: 0 };
      },
    );
    return last.numbers;
  };
}

async function countTargets(shards: readonly Pass[], time: number): Promise<TargetNumbers> {
  const open = new Map<string, Map<string, number>>();
  const olderThan = new Map(AGES.map(([name]) => [name, 0]));
  for (const { targetSummaries } of shards) {
    for await (const part of targetSummaries.all()) {
      for (const [, summary] of part) {
        addFindings(open, summary);
        const age = time - Date.parse(summary.requestedAt);
        for (const [name, ms] of AGES) if (age > ms) olderThan.set(name, (olderThan.get(name) ?? 0) + 1);
      }
    }
  }
  return { open, olderThan };
}

function addFindings(open: Map<string, Map<string, number>>, { openByRule }: TargetSummary): void {
  for (const [rule, severities] of Object.entries(openByRule)) {
    const counts = open.get(rule) ?? new Map<string, number>();
    open.set(rule, counts);
    for (const [severity, count = 0] of Object.entries(severities)) {
      counts.set(severity, (counts.get(severity) ?? 0) + count);
    }
  }
}

/** Determines how long the first job of a queue has waited where Redis does not say it: since this process saw it there first. */
function createWaitTimes(now: () => number = Date.now) {
  const seen = new Map<string, { readonly id: string; readonly at: number }>();
  return {
    /** Milliseconds; 0 without a job. `since`: ms since 1970, where it is known. */
    ageOf(
      queue: string,
      oldest: { readonly id: string; readonly since?: number | undefined } | undefined,
    ): number {
      if (oldest === undefined) {
        seen.delete(queue);
        return 0;
      }
      if (seen.get(queue)?.id !== oldest.id) seen.set(queue, { id: oldest.id, at: now() });
      return Math.max(0, now() - (oldest.since ?? seen.get(queue)?.at ?? now()));
    },
  };
}
