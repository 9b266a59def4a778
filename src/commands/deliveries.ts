import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import type { Store } from '../compose/store.ts';
import type { LoadedConfig } from '../config/load.ts';
import { deliverNotification } from '../jobs/deliver-notification.ts';
import { openEnvelope } from '../jobs/envelope.ts';
import { followUp } from '../jobs/follow-up.ts';
import { DELIVER_NOTIFICATION, identityOf, payloadOf } from '../jobs/payloads/deliver-notification.ts';
import { compareScans } from '../model/alert/compare-scans.ts';
import type {
  DeliveryDetails,
  DeliveryRecord,
  DeliveryState,
  RetriedDelivery,
} from '../model/alert/delivery.ts';
import type { DeliveryIndex } from '../store/alerts/delivery-lists.ts';
import { openJobOf } from '../workers/flow.ts';
import { ensureQueued, promoteJob } from '../workers/queued-jobs.ts';
import { openSharedStore, type SharedStore } from './shared-store.ts';

export interface DeliveryFilter {
  /** Default: all. */
  readonly states?: readonly DeliveryState[] | undefined;
  readonly target?: string | undefined;
  readonly route?: string | undefined;
  /** Changed at this time or later, in milliseconds since 1970. */
  readonly since?: number | undefined;
  /** Largest number of deliveries, the newest first. Default: all. */
  readonly limit?: number | undefined;
}

/** Administration of deliveries. */
export type DeliveryAdmin = Awaited<ReturnType<typeof openDeliveryAdmin>>;

/** Throws `ConfigError` when `redis.url` is not set and `StoreError` when Redis does not answer. */
export async function openDeliveryAdmin(loaded: LoadedConfig) {
  return administerDeliveries(await openSharedStore(loaded));
}

/** The same for a store that is open. `close` closes it. */
export function administerDeliveries(shared: SharedStore) {
  const { store: first, shards, close } = shared;
  const opened = shards.map(({ store, openQueue }) => ({
    store,
    queue: openQueue(deliverNotification.name),
  }));
  return {
    /** Deliveries by their last change, newest first. */
    async list(filter: DeliveryFilter): Promise<readonly DeliveryRecord[]> {
      const lists = await Promise.all(shards.map(({ store }) => list(store, filter)));
      return newestOf(lists, filter.limit);
    },
    stoppedRoutes: first.deliveries.stoppedRoutes,
    /** `sees`: the targets of the caller. A delivery of another target takes the same time as none. */
    async show(
      id: string,
      sees: (target: string) => boolean = () => true,
    ): Promise<DeliveryDetails | undefined> {
      for (const { deliveries } of shards.map(({ store }) => store)) {
        const delivery = await deliveries.find(id);
        if (delivery === undefined || !sees(delivery.target)) continue;
        const [attempts, notification] = await Promise.all([deliveries.attempts(id), deliveries.read(id)]);
        return { delivery, attempts, changes: notification?.changes };
      }
      return undefined;
    },
    /**
     * Sends deliveries again under their existing ids, those of one target in the order of its scans. A delivery that waits
     * for another attempt is sent immediately.
     */
    async retry(ids: readonly string[]): Promise<readonly RetriedDelivery[]> {
      const answers = await Promise.all(opened.map(({ store, queue }) => retryAll(store, queue, ids)));
      // Each delivery is known in one shard only.
      return [...new Set(ids)].map((id, index) => {
        const known = answers.map((answer) => answer[index]).find((one) => one?.outcome !== 'unknown');
        return known ?? { id, outcome: 'unknown' };
      });
    },
    /** Resumes a stopped route; `undefined` when it was not stopped. `held`: number of deliveries that are now sent. */
    async resume(route: string): Promise<{ readonly held: number } | undefined> {
      if (!(await first.deliveries.resumeRoute(route))) return undefined;
      let held = 0;
      for (const { store, queue } of opened) {
        for (const delivery of await list(store, { states: ['held'], route })) {
          await sendAgain(store, queue, delivery);
          held += 1;
        }
      }
      return { held };
    },
    close,
  };
}

/** Limit of the wait for a worker that is recording a failure. If it died, another worker claims the job later. */
const SETTLE_LIMIT_MS = 2_000;

const JOBS = new Map([[deliverNotification.name, deliverNotification]]);

/** Number of records that are read at the same time. */
const CHUNK = 200;

/** Where deliveries of a state are listed. */
export const INDEX_OF: Readonly<Record<DeliveryState, DeliveryIndex>> = {
  waiting: 'open',
  retrying: 'open',
  held: 'open',
  failed: 'failed',
  delivered: 'delivered',
};

/** The lists of all shards as one, in the same order. */
function newestOf(lists: readonly (readonly DeliveryRecord[])[], limit?: number): readonly DeliveryRecord[] {
  if (lists.length === 1) return lists[0] ?? [];
  return lists
    .flat()
    .sort((left, right) => Date.parse(right.updatedAt) - Date.parse(left.updatedAt))
    .slice(0, limit);
}

async function list({ deliveries }: Store, filter: DeliveryFilter): Promise<readonly DeliveryRecord[]> {
  const { states, target, route, since, limit = Number.POSITIVE_INFINITY } = filter;
  const kinds = new Set((states ?? (Object.keys(INDEX_OF) as DeliveryState[])).map((one) => INDEX_OF[one]));
  const ids = await deliveries.list([...kinds], since);
  const found: DeliveryRecord[] = [];
  for (let at = 0; at < ids.length && found.length < limit; at += CHUNK) {
    for (const record of await deliveries.findAll(ids.slice(at, at + CHUNK))) {
      if (states !== undefined && !states.includes(record.state)) continue;
      if (target !== undefined && record.target !== target) continue;
      if (route === undefined || record.route === route) found.push(record);
    }
  }
  return found.slice(0, limit);
}

async function retryAll(
  store: Store,
  queue: Queue,
  ids: readonly string[],
): Promise<readonly RetriedDelivery[]> {
  const records: DeliveryRecord[] = [];
  const results = new Map<string, Omit<RetriedDelivery, 'id'>>();
  for (const id of ids) {
    const record = await store.deliveries.find(id);
    if (record === undefined) results.set(id, { outcome: 'unknown' });
    else if (record.state === 'delivered') results.set(id, { outcome: 'delivered' });
    else if ((await store.deliveries.stoppedRoute(record.route)) !== undefined)
      results.set(id, { outcome: 'held' });
    else records.push(record);
  }
  for (const record of inReplayOrder(records)) {
    await sendAgain(store, queue, record);
    const first = await firstInLane(store, record);
    results.set(record.id, { outcome: 'queued', behind: first === record.id ? undefined : first });
  }
  return [...new Set(ids)].map((id) => ({ id, ...(results.get(id) ?? { outcome: 'unknown' }) }));
}

/**
 * Deliveries in the order in which they were originally due: by scan, and within a scan in the order of its changes.
 * The time at which they were recorded does not show their order, because many are recorded at the same time.
 */
export function inReplayOrder(records: readonly DeliveryRecord[]): readonly DeliveryRecord[] {
  const position = (record: DeliveryRecord): number => {
    const { change, after } = payloadOf(record);
    return change ?? after ?? 0;
  };
  return records.toSorted((left, right) => compareScans(left, right) || position(left) - position(right));
}

/**
 * Idempotent: a repeat completes what was interrupted. Opens the job first, because a worker treats a job without a place in
 * its lane as failed.
 */
async function sendAgain(
  { openJobs, deliveries }: Store,
  queue: Queue,
  record: DeliveryRecord,
): Promise<void> {
  const { name } = deliverNotification;
  const open = openJobOf(JOBS, followUp(DELIVER_NOTIFICATION, payloadOf(record)));
  if (record.state === 'failed') await untilSettled(queue, open.id);
  await openJobs.open(open);
  await deliveries.move(record, { state: 'waiting', reason: 'sent again on request' });
  const queued = await ensureQueued(queue, open.id, {
    isOpen: async () => true,
    add: () => queue.add(name, open.data, { jobId: open.id }),
  });
  if (queued === 'queued-already') await promoteJob(queue, open.id);
}

/** The id of the first delivery in the lane of this one, which is usually this one. */
async function firstInLane({ openJobs }: Store, record: DeliveryRecord): Promise<string> {
  const { id, lane = '' } = openJobOf(JOBS, followUp(DELIVER_NOTIFICATION, payloadOf(record)));
  const turn = await openJobs.turn({ lane, id });
  const first = turn.kind === 'waiting' ? await openJobs.find(turn.first) : undefined;
  return first === undefined
    ? record.id
    : identityOf(openEnvelope(deliverNotification, first.data).payload).id;
}

/** Waits for a worker that records the failure of a job and then leaves the lane, which would undo changes in between. */
async function untilSettled(queue: Queue, jobId: string): Promise<void> {
  const until = performance.now() + SETTLE_LIMIT_MS;
  while ((await queue.getJobState(jobId)) === 'active' && performance.now() < until) await sleep(50);
}
