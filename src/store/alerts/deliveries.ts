import type {
  DeliveryAttempt,
  DeliveryIdentity,
  DeliveryMove,
  DeliveryRecord,
  FiledDelivery,
} from '../../model/alert/delivery.ts';
import type { Notification } from '../../model/alert/notification.ts';
import { chunks } from '../../model/chunks.ts';
import { TRANSITIONS } from '../../model/scan/transition.ts';
import { DELIVERY_ATTEMPT, DELIVERY_RECORD } from '../../model/stored/catalog.ts';
import type { Keys } from '../keys.ts';
import { type NewestRange, newestIds, type PlacedId } from '../newest-ids.ts';
import type { RedisClient } from '../redis/connection.ts';
import { ADD_ATTEMPT, FILE_DELIVERY, MOVE_DELIVERY } from '../scripts/deliveries.lua.ts';
import { runScript } from '../scripts/run-script.ts';
import {
  checkValue,
  type OnUnreadable,
  readEach,
  readValue,
  reportTo,
  writeText,
} from '../values/stored-values.ts';
import { packNotification, unpackNotification } from './packed-notification.ts';
import { createStoppedRoutes } from './stopped-routes.ts';

export interface DeliveryOptions {
  /** How long a delivered one is stored. Default 30 days. Others never expire. */
  readonly retentionMs?: number | undefined;
  /** Number of attempts that are stored for one delivery, the newest ones. Default 50. */
  readonly keptAttempts?: number | undefined;
  readonly onUnreadable?: OnUnreadable | undefined;
  readonly now?: (() => number) | undefined;
}

export const DELIVERY_INDEXES = ['open', 'failed', 'delivered'] as const;
export type DeliveryIndex = (typeof DELIVERY_INDEXES)[number];

const RETENTION_MS = 30 * 24 * 3600 * 1000;

/** All deliveries with their attempts. */
export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

export function createDeliveryStore(redis: RedisClient, keys: Keys, options: DeliveryOptions = {}) {
  const { retentionMs, keptAttempts = 50, onUnreadable = () => {}, now = Date.now } = options;
  const findAll = async (ids: readonly string[]): Promise<readonly DeliveryRecord[]> => {
    const records = ids.map((id) => findRecord(redis, keys, id).catch(reportTo(onUnreadable)));
    return (await Promise.all(records)).filter((record) => record !== undefined);
  };
  return {
    /** Stores the notification of a delivery. One that is stored already is not changed. */
    async file(identity: DeliveryIdentity, notification: Notification): Promise<void> {
      const { keys: touched, values } = await fileArguments(keys, { identity, notification }, now());
      await runScript(redis, FILE_DELIVERY, touched, values);
    },
    /** The notification of a delivery; `undefined` when none is stored. Throws `state-corrupt` or `state-newer`. */
    async read(id: string): Promise<Notification | undefined> {
      // Release 0.1.0 stored it in the record.
      return (
        (await unpackNotification(redis, keys.deliveryNotification(id))) ??
        (await unpackNotification(redis, keys.delivery(id)))
      );
    },
    async move(identity: DeliveryIdentity, change: DeliveryMove): Promise<void> {
      const { keys: touched, values } = moveArguments(keys, identity, change, { time: now(), retentionMs });
      await runScript(redis, MOVE_DELIVERY, touched, values);
    },
    async addAttempt(id: string, attempt: DeliveryAttempt): Promise<void> {
      await runScript(
        redis,
        ADD_ATTEMPT,
        [keys.delivery(id), keys.deliveryAttempts(id)],
        [writeText(DELIVERY_ATTEMPT, attempt), keptAttempts, attempt.status ?? ''],
      );
    },
    /** Throws `state-corrupt` or `state-newer`. */
    find: (id: string) => findRecord(redis, keys, id),
    /** The records of several ids, in order, without those that are not stored. An unreadable one is reported. */
    findAll,
    /** The newest deliveries of a target, at most 20, the one that changed last first. An unreadable one is reported. */
    async newestOf(target: string): Promise<readonly DeliveryRecord[]> {
      const records = await findAll(await redis.lrange(keys.targetDeliveries(target), 0, -1));
      return records.toSorted((left, right) => Date.parse(right.updatedAt) - Date.parse(left.updatedAt));
    },
    /** Oldest first. One that cannot be read is reported and left out. */
    async attempts(id: string): Promise<readonly DeliveryAttempt[]> {
      const key = keys.deliveryAttempts(id);
      const place = { key, remedy: 'Delete the key to forget the attempts of this delivery.' };
      const stored = await redis.lrange(key, 0, -1);
      return await readEach(stored, (text) => readValue(DELIVERY_ATTEMPT, text, place), onUnreadable);
    },
    /** Ids of deliveries by their last change, newest first. `since`: ms since 1970. */
    list: (kinds: readonly DeliveryIndex[], since?: number) => listIds(redis, keys, kinds, since),
    /** The ids of all that changed at this time (ms since 1970) or later, with the time of the last change, oldest first. */
    async idsSince(since: number): Promise<readonly PlacedId[]> {
      // One that moves from one index to another while they are read is in both.
      const times = new Map<string, number>();
      for (const key of Object.values(indexesOf(keys))) {
        for await (const part of newestIds(redis, key, { since, count: 1_000 })) {
          for (const { id, time } of part) times.set(id, Math.max(time, times.get(id) ?? 0));
        }
      }
      return Array.from(times, ([id, time]) => ({ id, time })).sort((left, right) => left.time - right.time);
    },
    /** Deliveries of one kind by their last change, newest first, from a place on. An unreadable one is reported. */
    async *newest(kind: DeliveryIndex, range: NewestRange): AsyncGenerator<TimedDelivery> {
      for await (const part of newestIds(redis, indexesOf(keys)[kind], range)) {
        const records = await Promise.all(
          part.map(({ id }) => findRecord(redis, keys, id).catch(reportTo(onUnreadable))),
        );
        for (const [index, delivery] of records.entries()) {
          const place = part[index];
          if (delivery !== undefined && place !== undefined) yield { ...place, delivery };
        }
      }
    },
    /**
     * When the oldest open delivery was filed, in ms since 1970; `undefined` without one. Looks at the 50 that changed first and the 50
     * that changed last: those that wait for their turn do not change, and one that is retried changes with each attempt.
     */
    async openSince(): Promise<number | undefined> {
      const { openDeliveries } = keys;
      const [first, last] = await Promise.all([
        redis.zrange(openDeliveries, '0', String(LOOKED_AT - 1)),
        redis.zrevrange(openDeliveries, 0, LOOKED_AT - 1),
      ]);
      const ids = [...new Set([...first, ...last])];
      const records = await Promise.all(
        ids.map((id) => findRecord(redis, keys, id).catch(reportTo(onUnreadable))),
      );
      const times = records.flatMap((one) => (one === undefined ? [] : [Date.parse(one.filedAt)]));
      return times.length === 0 ? undefined : Math.min(...times);
    },
    /** Number of deliveries of each kind. */
    counts: () => countKinds(redis, keys),
    /** Number of open deliveries of each route that has some. Reads the route of every one. */
    openByRoute: () => countOpenByRoute(redis, keys),
    ...createStoppedRoutes(redis, keys, { onUnreadable, now }),
  };
}

/** Keys and arguments of `FILE_STEP`. */
export async function fileArguments(
  keys: Keys,
  { identity, notification }: FiledDelivery,
  time: number,
): Promise<{ readonly keys: readonly string[]; readonly values: readonly (string | number | Buffer)[] }> {
  const { id, target } = identity;
  const { changes, omitted } = notification;
  const packed = (await packNotification(notification)).flat();
  const count = TRANSITIONS.reduce((sum, one) => sum + (omitted?.[one] ?? 0), changes.length);
  return {
    keys: [
      ...[keys.delivery(id), keys.deliveryNotification(id)],
      ...[keys.openDeliveries, keys.targetDeliveries(target)],
    ],
    values: [id, time, packed.length, ...packed, ...recordFields(identity), 'changes', count],
  };
}

/** Keys and arguments of `MOVE_STEP`. `time`: ms since 1970. */
export function moveArguments(
  keys: Keys,
  identity: DeliveryIdentity,
  { state, reason = '', nextInMs }: DeliveryMove,
  { time, retentionMs = RETENTION_MS }: { readonly time: number; readonly retentionMs?: number | undefined },
): { readonly keys: readonly string[]; readonly values: readonly (string | number)[] } {
  const { id } = identity;
  const next = nextInMs === undefined ? '' : time + Math.round(nextInMs);
  return {
    keys: [
      ...[keys.delivery(id), keys.deliveryAttempts(id)],
      ...[keys.openDeliveries, keys.failedDeliveries, keys.delivered],
      ...[keys.deliveryNotification(id), keys.scans],
    ],
    values: [id, time, state, reason, next, retentionMs, identity.scan, ...recordFields(identity)],
  };
}

/** A delivery with its place in the order by its last change. */
export interface TimedDelivery extends PlacedId {
  readonly delivery: DeliveryRecord;
}

function indexesOf(keys: Keys): Readonly<Record<DeliveryIndex, string>> {
  return { open: keys.openDeliveries, failed: keys.failedDeliveries, delivered: keys.delivered };
}

async function countKinds(redis: RedisClient, keys: Keys): Promise<Readonly<Record<DeliveryIndex, number>>> {
  const { open, failed, delivered } = indexesOf(keys);
  const counts = await Promise.all([open, failed, delivered].map((key) => redis.zcard(key)));
  return { open: counts[0] ?? 0, failed: counts[1] ?? 0, delivered: counts[2] ?? 0 };
}

async function listIds(
  redis: RedisClient,
  keys: Keys,
  kinds: readonly DeliveryIndex[],
  since = 0,
): Promise<readonly string[]> {
  const index = indexesOf(keys);
  const found: { readonly id: string; readonly time: number }[] = [];
  for (const kind of kinds) {
    const pairs = await redis.zrevrangebyscore(index[kind], '+inf', since, 'WITHSCORES');
    for (let at = 0; at + 1 < pairs.length; at += 2) {
      found.push({ id: pairs[at] ?? '', time: Number(pairs[at + 1]) });
    }
  }
  return found.sort((left, right) => right.time - left.time).map(({ id }) => id);
}

/** Records that are read in parallel. */
const CHUNK = 500;
/** Open deliveries at each end of their order whose age is read. */
const LOOKED_AT = 50;

async function countOpenByRoute(redis: RedisClient, keys: Keys): Promise<ReadonlyMap<string, number>> {
  const ids = await redis.zrevrange(keys.openDeliveries, 0, -1);
  const counts = new Map<string, number>();
  for (const chunk of chunks(ids, CHUNK)) {
    for (const route of await Promise.all(chunk.map((id) => redis.hget(keys.delivery(id), 'route')))) {
      if (route !== null) counts.set(route, (counts.get(route) ?? 0) + 1);
    }
  }
  return counts;
}

const IDENTITY = ['id', 'key', 'route', 'target', 'scan', 'date', 'content'] as const;
const STORED = [
  ...IDENTITY,
  ...['version', 'changes', 'state', 'reason', 'filedAt', 'updatedAt', 'nextAttemptAt', 'attempts'],
  'lastStatus',
] as const;

async function findRecord(redis: RedisClient, keys: Keys, id: string): Promise<DeliveryRecord | undefined> {
  const key = keys.delivery(id);
  const values = await redis.hmget(key, ...STORED);
  const fields = Object.fromEntries(STORED.map((name, index) => [name, values[index] ?? '']));
  if (fields['id'] === '') return undefined;
  const remedy = 'Delete the key to forget the delivery: it is not sent.';
  return await checkValue(
    DELIVERY_RECORD,
    fields,
    { key, remedy },
    { version: Number(fields['version'] || 1) },
  );
}

/** Fields and values of the record that identify a delivery. */
function recordFields(identity: DeliveryIdentity): readonly (string | number)[] {
  const known = IDENTITY.flatMap((name) => (identity[name] === undefined ? [] : [name, identity[name]]));
  return [...known, 'version', DELIVERY_RECORD.version];
}
