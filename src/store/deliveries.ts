import type {
  DeliveryIdentity,
  DeliveryMove,
  DeliveryRecord,
  DeliveryState,
  FiledDelivery,
  StoppedRoute,
} from '../model/alert/delivery.ts';
import type { DeliveryAttempt, Notification } from '../model/alert/notification.ts';
import { TRANSITIONS } from '../model/scan/change.ts';
import type { RedisClient } from './connection.ts';
import type { Keys } from './keys.ts';
import { packNotification, unpackNotification } from './packed-notification.ts';
import { ADD_ATTEMPT, FILE_DELIVERY, MOVE_DELIVERY } from './scripts/deliveries.lua.ts';
import { runScript } from './scripts/run-script.ts';

export interface DeliveryOptions {
  /** How long what was delivered is remembered. Default 30 days. What was not delivered is never forgotten. */
  readonly retentionMs?: number | undefined;
  /** Attempts kept of one delivery: the newest. Default 50. */
  readonly keptAttempts?: number | undefined;
  readonly now?: () => number;
}

/** Every delivery with its attempts, from the notification to its end. */
export interface DeliveryStore {
  /** Puts a notification away; one that lies there stays as it is. */
  file(identity: DeliveryIdentity, notification: Notification): Promise<void>;
  /** The notification of a delivery; `undefined` when none was put away. */
  read(id: string): Promise<Notification | undefined>;
  move(identity: DeliveryIdentity, move: DeliveryMove): Promise<void>;
  addAttempt(id: string, attempt: DeliveryAttempt): Promise<void>;
  find(id: string): Promise<DeliveryRecord | undefined>;
  /** Oldest first. */
  attempts(id: string): Promise<readonly DeliveryAttempt[]>;
  /** Ids of deliveries by their last change, newest first. `since`: ms since 1970. */
  list(kinds: readonly DeliveryIndex[], since?: number): Promise<readonly string[]>;
  /** Number of open deliveries of each route that has some. Reads the route of every one. */
  openByRoute(): Promise<ReadonlyMap<string, number>>;
  /** False when it was stopped already: the first reason stays. */
  stopRoute(route: string, reason: string): Promise<boolean>;
  /** False when it was not stopped. */
  resumeRoute(route: string): Promise<boolean>;
  stoppedRoute(route: string): Promise<StoppedRoute | undefined>;
  stoppedRoutes(): Promise<readonly StoppedRoute[]>;
}

export type DeliveryIndex = 'open' | 'failed' | 'delivered';

const DAY_MS = 24 * 3600 * 1000;

export function createDeliveryStore(
  redis: RedisClient,
  keys: Keys,
  options: DeliveryOptions = {},
): DeliveryStore {
  const { retentionMs = 30 * DAY_MS, keptAttempts = 50, now = Date.now } = options;
  return {
    async file(identity, notification) {
      const { keys: touched, values } = await fileArguments(keys, { identity, notification }, now());
      await runScript(redis, FILE_DELIVERY, touched, values);
    },
    async read(id) {
      const readFrom = (key: string) => unpackNotification((names) => redis.hmgetBuffer(key, ...names));
      // Release 0.1.0 kept it in the record.
      return (await readFrom(keys.deliveryNotification(id))) ?? (await readFrom(keys.delivery(id)));
    },
    async move(identity, { state, reason = '', nextInMs }) {
      const { id } = identity;
      const time = now();
      const next = nextInMs === undefined ? '' : time + Math.round(nextInMs);
      await runScript(
        redis,
        MOVE_DELIVERY,
        [
          ...[keys.delivery(id), keys.deliveryAttempts(id)],
          ...[keys.openDeliveries, keys.failedDeliveries, keys.delivered],
          ...[keys.deliveryNotification(id), keys.scans],
        ],
        [id, time, state, reason, next, retentionMs, identity.scan, ...pairsOf({ ...identity })],
      );
    },
    async addAttempt(id, attempt) {
      await runScript(
        redis,
        ADD_ATTEMPT,
        [keys.delivery(id), keys.deliveryAttempts(id)],
        [JSON.stringify(attempt), keptAttempts, attempt.status ?? ''],
      );
    },
    find: (id) => findRecord(redis, keys, id),
    async attempts(id) {
      const stored = await redis.lrange(keys.deliveryAttempts(id), 0, -1);
      return stored.map((text) => JSON.parse(text) as DeliveryAttempt);
    },
    list: (kinds, since) => listIds(redis, keys, kinds, since),
    openByRoute: () => countOpenByRoute(redis, keys),
    ...routeStops(redis, keys, now),
  };
}

/** Keys and arguments of `FILE_STEP`. */
export async function fileArguments(
  keys: Keys,
  { identity, notification }: FiledDelivery,
  time: number,
): Promise<{ readonly keys: readonly string[]; readonly values: readonly (string | number | Buffer)[] }> {
  const { id } = identity;
  const { changes, omitted } = notification;
  const packed = (await packNotification(notification)).flat();
  const count = TRANSITIONS.reduce((sum, one) => sum + (omitted?.[one] ?? 0), changes.length);
  return {
    keys: [keys.delivery(id), keys.deliveryNotification(id), keys.openDeliveries],
    values: [id, time, packed.length, ...packed, ...pairsOf({ ...identity, changes: String(count) })],
  };
}

type RouteStops = Pick<DeliveryStore, 'stopRoute' | 'resumeRoute' | 'stoppedRoute' | 'stoppedRoutes'>;

function routeStops(redis: RedisClient, keys: Keys, now: () => number): RouteStops {
  return {
    async stopRoute(route, reason) {
      const at = new Date(now()).toISOString();
      const stopped = JSON.stringify({ route, at, reason });
      return (await redis.hsetnx(keys.stoppedRoutes, route, stopped)) === 1;
    },
    resumeRoute: async (route) => (await redis.hdel(keys.stoppedRoutes, route)) === 1,
    async stoppedRoute(route) {
      const stored = await redis.hget(keys.stoppedRoutes, route);
      return stored === null ? undefined : (JSON.parse(stored) as StoppedRoute);
    },
    async stoppedRoutes() {
      const stored = await redis.hvals(keys.stoppedRoutes);
      return stored.map((text) => JSON.parse(text) as StoppedRoute);
    },
  };
}

async function listIds(
  redis: RedisClient,
  keys: Keys,
  kinds: readonly DeliveryIndex[],
  since = 0,
): Promise<readonly string[]> {
  const index = { open: keys.openDeliveries, failed: keys.failedDeliveries, delivered: keys.delivered };
  const found: { readonly id: string; readonly time: number }[] = [];
  for (const kind of kinds) {
    const pairs = await redis.zrevrangebyscore(index[kind], '+inf', since, 'WITHSCORES');
    for (let at = 0; at + 1 < pairs.length; at += 2) {
      found.push({ id: pairs[at] ?? '', time: Number(pairs[at + 1]) });
    }
  }
  return found.sort((left, right) => right.time - left.time).map(({ id }) => id);
}

/** Records asked for at once. */
const CHUNK = 500;

async function countOpenByRoute(redis: RedisClient, keys: Keys): Promise<ReadonlyMap<string, number>> {
  const ids = await redis.zrevrange(keys.openDeliveries, 0, -1);
  const counts = new Map<string, number>();
  for (let at = 0; at < ids.length; at += CHUNK) {
    const chunk = ids.slice(at, at + CHUNK);
    for (const route of await Promise.all(chunk.map((id) => redis.hget(keys.delivery(id), 'route')))) {
      if (route !== null) counts.set(route, (counts.get(route) ?? 0) + 1);
    }
  }
  return counts;
}

const SHOWN = [
  ...['id', 'key', 'route', 'target', 'scan', 'date', 'changes', 'state', 'reason'],
  ...['content', 'filedAt', 'updatedAt', 'nextAttemptAt', 'attempts', 'lastStatus'],
] as const;

async function findRecord(redis: RedisClient, keys: Keys, id: string): Promise<DeliveryRecord | undefined> {
  const values = await redis.hmget(keys.delivery(id), ...SHOWN);
  const fields = Object.fromEntries(SHOWN.map((name, index) => [name, values[index] ?? '']));
  const field = (name: (typeof SHOWN)[number]): string => fields[name] ?? '';
  if (field('id') === '') return undefined;
  return {
    id: field('id'),
    key: field('key'),
    route: field('route'),
    target: field('target'),
    scan: field('scan'),
    state: field('state') as DeliveryState,
    changes: Number(field('changes')),
    date: field('date'),
    filedAt: timeOf(field('filedAt')),
    updatedAt: timeOf(field('updatedAt')),
    attempts: Number(field('attempts')),
    ...(field('content') === '' ? {} : { content: field('content') }),
    ...(field('reason') === '' ? {} : { reason: field('reason') }),
    ...(field('nextAttemptAt') === '' ? {} : { nextAttemptAt: timeOf(field('nextAttemptAt')) }),
    ...(field('lastStatus') === '' ? {} : { lastStatus: Number(field('lastStatus')) }),
  };
}

function timeOf(milliseconds: string): string {
  return new Date(Number(milliseconds)).toISOString();
}

function pairsOf(fields: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(fields).flat();
}
