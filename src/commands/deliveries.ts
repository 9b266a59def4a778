import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import type { Store } from '../compose/store.ts';
import type { LoadedConfig } from '../config/load.ts';
import { deliverNotification } from '../jobs/deliver-notification.ts';
import { openEnvelope } from '../jobs/envelope.ts';
import { followUp } from '../jobs/follow-up.ts';
import { DELIVER_NOTIFICATION, identityOf, payloadOf } from '../jobs/payloads/deliver-notification.ts';
import type {
  DeliveryAttempt,
  DeliveryRecord,
  DeliveryState,
  StoppedRoute,
} from '../model/alert/delivery.ts';
import type { NotifiedChange } from '../model/alert/notification.ts';
import type { DeliveryIndex } from '../store/deliveries.ts';
import { openJobOf } from '../workers/flow.ts';
import { ensureQueued, promoteJob } from '../workers/queued-jobs.ts';
import { inReplayOrder } from './replay-order.ts';
import { openSharedStore } from './shared-store.ts';

export interface DeliveryFilter {
  /** Default: all. */
  readonly states?: readonly DeliveryState[];
  readonly target?: string;
  readonly route?: string;
  /** Changed at this time or later; ms since 1970. */
  readonly since?: number;
  /** The newest so many. Default: all. */
  readonly limit?: number;
}

/** What `retry` made of a delivery. `delivered` and `held` ones are left as they are. */
export interface RetriedDelivery {
  readonly id: string;
  readonly outcome: 'queued' | 'delivered' | 'held' | 'unknown';
  /** The earlier delivery of the target that goes out first, where one does. */
  readonly behind?: string;
}

export interface ShownDelivery {
  readonly delivery: DeliveryRecord;
  /** Oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
  /**
   * The worst 10,000, also those that no attempt told; `undefined` when the notification is not kept: it goes when the
   * delivery is delivered.
   */
  readonly changes: readonly NotifiedChange[] | undefined;
}

/** The deliveries of a Redis, for an operator. */
export interface DeliveryDesk {
  /** By their last change, newest first. */
  list(filter: DeliveryFilter): Promise<readonly DeliveryRecord[]>;
  stoppedRoutes(): Promise<readonly StoppedRoute[]>;
  show(id: string): Promise<ShownDelivery | undefined>;
  /**
   * Has deliveries sent again under the ids they have, those of one target in the order of its scans. One that waits for
   * another attempt does not wait any longer.
   */
  retry(ids: readonly string[]): Promise<readonly RetriedDelivery[]>;
  /** Lets a stopped route go on; `undefined` when it was not stopped. */
  resume(route: string): Promise<{ readonly held: number } | undefined>;
  close(): Promise<void>;
}

/** Throws `ConfigError` without `redis.url`, `StoreError` when no Redis answers. */
export async function openDeliveryDesk(loaded: LoadedConfig): Promise<DeliveryDesk> {
  const { store, log } = await openSharedStore(loaded);
  const queue = new Queue(deliverNotification.name, {
    connection: store.redis,
    prefix: store.prefix,
    skipMetasUpdate: true,
    skipVersionCheck: true,
  });
  queue.on('error', (error) => log.warn({ error: error.message }, 'queue connection'));
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
    async close() {
      await queue.close();
      await store.close();
    },
  };
}

/** A job whose worker died while it gave it up is taken over later, and then finds its place. */
const REST_LIMIT_MS = 2_000;

/** Those that this desk sends again. */
const JOBS = new Map([[deliverNotification.name, deliverNotification]]);

/** Records asked for at once. */
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
    results.set(record.id, { outcome: 'queued', ...(first === record.id ? {} : { behind: first }) });
  }
  return [...new Set(ids)].map((id) => ({ id, ...(results.get(id) ?? { outcome: 'unknown' }) }));
}

/**
 * May be repeated: whatever was interrupted half-way is completed. The job is opened first, because one without a place in
 * its lane takes itself for given up.
 */
async function sendAgain(
  { openJobs, deliveries }: Store,
  queue: Queue,
  record: DeliveryRecord,
): Promise<void> {
  const { name } = deliverNotification;
  const open = openJobOf(JOBS, followUp(DELIVER_NOTIFICATION, payloadOf(record)));
  if (record.state === 'failed') await untilAtRest(queue, open.id);
  await openJobs.open(open);
  await deliveries.move(record, { state: 'waiting', reason: 'sent again on request' });
  const queued = await ensureQueued(queue, open.id, () => queue.add(name, open.data, { jobId: open.id }));
  if (queued === 'queued-already') await promoteJob(queue, open.id);
}

/** The delivery that goes out first in the lane of this one; itself, as a rule. */
async function firstInLane({ openJobs }: Store, record: DeliveryRecord): Promise<string> {
  const { id, lane = '' } = openJobOf(JOBS, followUp(DELIVER_NOTIFICATION, payloadOf(record)));
  const turn = await openJobs.turn({ lane, id });
  const first = turn.kind === 'waiting' ? await openJobs.find(turn.first) : undefined;
  return first === undefined
    ? record.id
    : identityOf(openEnvelope(deliverNotification, first.data).payload).id;
}

/** A worker that gives a job up says so first and leaves the lane then: what is done in between would be undone. */
async function untilAtRest(queue: Queue, jobId: string): Promise<void> {
  const until = performance.now() + REST_LIMIT_MS;
  while ((await queue.getJobState(jobId)) === 'active' && performance.now() < until) await sleep(50);
}
