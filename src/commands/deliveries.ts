import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import type { Store } from '../compose/store.ts';
import type { LoadedConfig } from '../config/load.ts';
import { deliverNotification } from '../jobs/deliver-notification.ts';
import { openEnvelope } from '../jobs/envelope.ts';
import { followUp } from '../jobs/follow-up.ts';
import { DELIVER_NOTIFICATION, identityOf, payloadOf } from '../jobs/payloads/deliver-notification.ts';
import type {
  DeliveryDetails,
  DeliveryRecord,
  DeliveryState,
  RetriedDelivery,
  StoppedRoute,
} from '../model/alert/delivery.ts';
import { compareScans } from '../model/alert/notification.ts';
import type { DeliveryIndex } from '../store/deliveries.ts';
import { openJobOf } from '../workers/flow.ts';
import { ensureQueued, promoteJob } from '../workers/queued-jobs.ts';
import { openSharedStore } from './shared-store.ts';

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
export interface DeliveryAdmin {
  /** Deliveries by their last change, newest first. */
  list(filter: DeliveryFilter): Promise<readonly DeliveryRecord[]>;
  stoppedRoutes(): Promise<readonly StoppedRoute[]>;
  show(id: string): Promise<DeliveryDetails | undefined>;
  /**
   * Sends deliveries again under their existing ids, those of one target in the order of its scans. A delivery that waits
   * for another attempt is sent immediately.
   */
  retry(ids: readonly string[]): Promise<readonly RetriedDelivery[]>;
  /** Resumes a stopped route; `undefined` when it was not stopped. `held`: number of deliveries that are now sent. */
  resume(route: string): Promise<{ readonly held: number } | undefined>;
  close(): Promise<void>;
}

/** Throws `ConfigError` when `redis.url` is not set and `StoreError` when Redis does not answer. */
export async function openDeliveryAdmin(loaded: LoadedConfig): Promise<DeliveryAdmin> {
  const { store, openQueue, close } = await openSharedStore(loaded);
  const queue = openQueue(deliverNotification.name);
  const { deliveries } = store;
  return {
    list: (filter) => list(store, filter),
    stoppedRoutes: deliveries.stoppedRoutes,
    async show(id) {
      const delivery = await deliveries.find(id);
      if (delivery === undefined) return undefined;
      const [attempts, notification] = await Promise.all([deliveries.attempts(id), deliveries.read(id)]);
      return { delivery, attempts, changes: notification?.changes };
    },
    retry: (ids) => retryAll(store, queue, ids),
    async resume(route) {
      if (!(await deliveries.resumeRoute(route))) return undefined;
      const held = await list(store, { states: ['held'], route });
      for (const delivery of held) await sendAgain(store, queue, delivery);
      return { held: held.length };
    },
    close,
  };
}

/** Limit of the wait for a worker that is recording a failure. If it died, another worker claims the job later. */
const SETTLE_LIMIT_MS = 2_000;

const JOBS = new Map([[deliverNotification.name, deliverNotification]]);

/** Number of records that are read at the same time. */
const CHUNK = 200;

const INDEX_OF: Readonly<Record<DeliveryState, DeliveryIndex>> = {
  waiting: 'open',
  retrying: 'open',
  held: 'open',
  failed: 'failed',
  delivered: 'delivered',
};

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
  const queued = await ensureQueued(queue, open.id, () => queue.add(name, open.data, { jobId: open.id }));
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
