import type {
  DeliveryAttempt,
  DeliveryIdentity,
  DeliveryMove,
  DeliveryRecord,
  FiledDelivery,
  StoppedRoute,
} from '../../model/alert/delivery.ts';
import type { Notification } from '../../model/alert/notification.ts';
import { TRANSITIONS } from '../../model/scan/transition.ts';
import {
  DELIVERY_ATTEMPT,
  DELIVERY_RECORD,
  NOTIFICATION,
  STOPPED_ROUTE,
} from '../../model/stored/catalog.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { defineScript, runScript } from '../scripts/run-script.ts';
import { FILE_STEP, MOVE_STEP } from '../scripts/steps.lua.ts';
import { createHashValues } from '../values/hash-values.ts';
import {
  checkValue,
  type OnUnreadable,
  readEach,
  readValue,
  reportTo,
  writeLargeValue,
  writeText,
} from '../values/stored-values.ts';
import { createDeliveryLists } from './delivery-lists.ts';

export interface DeliveryOptions {
  /** How long a delivered one is stored. Default 30 days. Others never expire. */
  readonly retentionMs?: number | undefined;
  /** Number of attempts that are stored for one delivery, the newest ones. Default 50. */
  readonly keptAttempts?: number | undefined;
  readonly onUnreadable?: OnUnreadable | undefined;
  readonly now?: (() => number) | undefined;
}

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
      const remedy = 'Delete the key to forget the alert: it is not sent.';
      const place = { key: keys.deliveryNotification(id), remedy };
      return await createHashValues(redis, NOTIFICATION, place).find(FIELD);
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
    ...createDeliveryLists(redis, keys, findAll),
    ...createStoppedRoutes(redis, keys, { onUnreadable, now }),
  };
}

/** The field of the hash that has the notification of a delivery. */
const FIELD = 'notification';

/** Keys and arguments of `FILE_STEP`. */
export async function fileArguments(
  keys: Keys,
  { identity, notification }: FiledDelivery,
  time: number,
): Promise<{ readonly keys: readonly string[]; readonly values: readonly (string | number | Buffer)[] }> {
  const { id, target } = identity;
  const { changes, omitted } = notification;
  const packed = [FIELD, await writeLargeValue(NOTIFICATION, notification)];
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
  return await checkValue(DELIVERY_RECORD, fields, { key, remedy }, Number(fields['version'] || 1));
}

/** Fields and values of the record that identify a delivery. */
function recordFields(identity: DeliveryIdentity): readonly (string | number)[] {
  const known = IDENTITY.flatMap((name) => (identity[name] === undefined ? [] : [name, identity[name]]));
  return [...known, 'version', DELIVERY_RECORD.version];
}

/** Files a delivery. Keys and arguments: those of `FILE_STEP`. */
const FILE_DELIVERY = defineScript(`
${FILE_STEP}
return file(KEYS, ARGV)
`);

/**
 * Adds an attempt and keeps the newest ones. That of a delivery which Redis has lost is not kept: nothing would ever remove it. A worker
 * that was stopped may end its attempt after another one has delivered: its list, which may be new, expires with the record.
 *
 * Keys: record, attempts (list). Arguments: attempt, bound, status ('' without).
 */
const ADD_ATTEMPT = defineScript(`
local state = redis.call('HGET', KEYS[1], 'state')
if not state then
  return 0
end
redis.call('RPUSH', KEYS[2], ARGV[1])
redis.call('LTRIM', KEYS[2], -tonumber(ARGV[2]), -1)
if state == 'delivered' then
  redis.call('PEXPIRE', KEYS[2], redis.call('PTTL', KEYS[1]))
elseif ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], 'lastStatus')
else
  redis.call('HSET', KEYS[1], 'lastStatus', ARGV[3])
end
return redis.call('HINCRBY', KEYS[1], 'attempts', 1)
`);

/** Moves a delivery to a state. Keys and arguments: those of `MOVE_STEP`. */
const MOVE_DELIVERY = defineScript(`
${MOVE_STEP}
return move(KEYS, ARGV)
`);

const STOP_ENDINGS = ['was-stopped', 'stopped', 'resumed'] as const;
/** The result of an attempt to stop a route. */
export type StopEnding = (typeof STOP_ENDINGS)[number];

/** Keys: stopped routes, resumptions. Arguments: route, entry, number of its resumptions. Returns an index of `STOP_ENDINGS`. */
const STOP_ROUTE = defineScript(`
if (redis.call('HGET', KEYS[2], ARGV[1]) or '0') ~= ARGV[3] then
  return 2
end
return redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])
`);

/** Keys: stopped routes, resumptions. Argument: route. Returns 1 when it was stopped. */
const RESUME_ROUTE = defineScript(`
local wasStopped = redis.call('HDEL', KEYS[1], ARGV[1])
if wasStopped == 1 then
  redis.call('HINCRBY', KEYS[2], ARGV[1], 1)
end
return wasStopped
`);

/** Routes that are stopped for all workers until an operator resumes them. */
export function createStoppedRoutes(
  redis: RedisClient,
  keys: Keys,
  { onUnreadable, now }: { readonly onUnreadable: OnUnreadable; readonly now: () => number },
) {
  const key = keys.stoppedRoutes;
  const remedy = (route: string) => `Resume the route: \`lockhound deliveries resume ${route}\`.`;
  const stopped = createHashValues(redis, STOPPED_ROUTE, { key, remedy, onUnreadable });
  return {
    /**
     * `resumptions`: as it was before the attempt that the receiver refused. A later resumption is newer than what the receiver said, and
     * the route goes on then (`resumed`). The first reason stays (`was-stopped`).
     */
    async stopRoute(route: string, reason: string, resumptions: number): Promise<StopEnding> {
      const entry = writeText(STOPPED_ROUTE, { route, at: new Date(now()).toISOString(), reason });
      const ending = await runScript(redis, STOP_ROUTE, [key, keys.resumptions], [route, entry, resumptions]);
      return STOP_ENDINGS[Number(ending)] ?? 'was-stopped';
    },
    /** False when it was not stopped. */
    resumeRoute: async (route: string) =>
      (await runScript(redis, RESUME_ROUTE, [key, keys.resumptions], [route])) === 1,
    /** How often a route was resumed. */
    resumptions: async (route: string) => Number((await redis.hget(keys.resumptions, route)) ?? 0),
    /** Throws `state-corrupt` or `state-newer`: a route whose entry cannot be read stays stopped. */
    stoppedRoute: stopped.find,
    /** An entry that cannot be read is reported and left out. */
    stoppedRoutes: async (): Promise<readonly StoppedRoute[]> =>
      (await stopped.all()).map(([, route]) => route),
  };
}
