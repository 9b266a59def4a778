import type { Redis } from 'ioredis';
import { createKeys } from '../src/store/keys.ts';
import { wrongLedgers } from './audit-ledgers.ts';

type Keys = ReturnType<typeof createKeys>;

/** States of a queue in which nothing waits for ever. Starts of schedules are delayed. */
const QUEUE_STATES = ['wait', 'active', 'prioritized', 'delayed', 'waiting-children', 'failed', 'paused'];
/** Keys that expire by themselves. */
const EXPIRING = /:(?:blob|cache|delivery|lock|outcome|request|spent):/;
/** What a queue has beside its jobs. */
const OF_QUEUES = /:(?:meta|id|events|marker|delay|stalled-check|limiter)$/;

/** What must be true of Redis when nothing is left to do. */
export interface Rest {
  readonly shards: number;
  readonly targets: number;
  /** Whether Redis lost writes that it had confirmed: the record of a scan misses deliveries that ended while Redis did not know the scan. */
  readonly hasLostWrites: boolean;
}

/**
 * What Redis still holds although nothing is left to do: work that nobody does, records that say something else than what happened,
 * and keys that would stay for ever. Empty when all is done.
 */
export async function leftOver(
  redis: Redis,
  { shards, targets, hasLostWrites }: Rest,
): Promise<readonly string[]> {
  const found: string[] = [];
  let known = 0;
  for (let index = 0; index < shards; index += 1) {
    const keys = createKeys(undefined, { index, count: shards });
    const names = await redis.keys(`${keys.prefix}:*`);
    const scanned = await scannedTargets(redis, keys);
    found.push(
      ...(await openWork(redis, keys, names)),
      ...(await wrongDeliveries(redis, keys, hasLostWrites)),
      ...(await wrongInventories(redis, keys, scanned.length)),
      ...(await wrongLedgers(redis, keys, scanned)),
      ...(await withoutEnd(redis, names)),
    );
    known += scanned.length;
    for (const key of [keys.touchedTargets, keys.targetSummaries]) {
      const size = await sizeOf(redis, key);
      if (size !== (await redis.scard(keys.targets))) found.push(`${key} has ${size} targets`);
    }
  }
  if (known !== targets) found.push(`${known} targets are known`);
  return found;
}

/** Jobs, places in lanes and waiting changes. */
async function openWork(redis: Redis, keys: Keys, names: readonly string[]): Promise<readonly string[]> {
  const queues = names.filter((name) => name.endsWith(':meta')).map((name) => name.slice(0, -5));
  const places = [
    ...[keys.openJobs, keys.openDeliveries, keys.failedDeliveries, keys.incompleteTargets, keys.rejected],
    ...[keys.digest('*').slice(0, -1), keys.lane('*').slice(0, -1)].flatMap((start) =>
      names.filter((name) => name.startsWith(start)),
    ),
    ...names.filter((name) => name.startsWith(keys.facts('').facts) && name.endsWith(':pending')),
    ...queues
      .filter((queue) => !queue.endsWith(':schedules'))
      .flatMap((queue) => QUEUE_STATES.map((state) => `${queue}:${state}`)),
  ];
  const found = queues
    .filter((queue) => !queue.endsWith(':schedules'))
    .flatMap((queue) => names.filter((name) => name.startsWith(`${queue}:`) && !OF_QUEUES.test(name)));
  for (const key of places) {
    const size = await sizeOf(redis, key);
    if (size > 0) found.push(`${key} has ${size} entries`);
  }
  if ((await redis.exists(keys.claim('refresh-all'))) > 0) found.push('a refresh is in progress');
  return found;
}

/** Deliveries that are not in the state of their index, and scans whose records do not agree with them. */
async function wrongDeliveries(redis: Redis, keys: Keys, hasLostWrites: boolean): Promise<readonly string[]> {
  const found: string[] = [];
  const deliveredOf = new Map<string, number>();
  for (const id of await redis.zrange(keys.delivered, 0, '-1')) {
    const { state, scan = '' } = await redis.hgetall(keys.delivery(id));
    if (state !== 'delivered') found.push(`delivery ${id} is ${state}`);
    if ((await redis.exists(keys.deliveryNotification(id))) > 0)
      found.push(`delivery ${id} has a notification`);
    deliveredOf.set(scan, (deliveredOf.get(scan) ?? 0) + 1);
  }
  for (const [scan, text] of Object.entries(await redis.hgetall(keys.scans))) {
    const { state, delivered = 0, failedDeliveries = 0 } = JSON.parse(text) as ScanFields;
    if (state === 'running') found.push(`scan ${scan} is running`);
    const expected = deliveredOf.get(scan) ?? 0;
    if (delivered > expected || (delivered < expected && !hasLostWrites))
      found.push(`scan ${scan} has ${delivered} deliveries, not ${expected}`);
    if (failedDeliveries !== 0 && !hasLostWrites)
      found.push(`scan ${scan} has ${failedDeliveries} failed deliveries`);
  }
  return found;
}

interface ScanFields {
  readonly state: string;
  readonly delivered?: number;
  readonly failedDeliveries?: number;
}

/** Without those that are about Lockhound itself. */
async function scannedTargets(redis: Redis, keys: Keys): Promise<readonly string[]> {
  return (await redis.smembers(keys.targets)).filter((id) => !id.startsWith('lockhound:'));
}

/** Each target has one lockfile: inventories are used so often in all, and none is stored that no target has. */
async function wrongInventories(redis: Redis, keys: Keys, targets: number): Promise<readonly string[]> {
  const uses = Object.values(await redis.hgetall(keys.inventoryUses)).map(Number);
  const sum = uses.reduce((all, one) => all + one, 0);
  const stored = (await redis.keys(keys.lockfileInventory('*'))).length;
  const lists = await redis.keys(`${keys.prefix}:fleet:id-lists:*`);
  let listed = 0;
  for (const key of lists) listed += await redis.hlen(key);
  return [
    ...(sum === targets ? [] : [`inventories have ${sum} uses by ${targets} targets`]),
    ...(stored === uses.length && listed === uses.length
      ? []
      : [`${uses.length} inventories are used, ${stored} are stored, ${listed} are listed`]),
  ];
}

async function withoutEnd(redis: Redis, names: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of names) {
    if (EXPIRING.test(name) && (await redis.ttl(name)) === -1) found.push(`${name} never expires`);
  }
  return found;
}

async function sizeOf(redis: Redis, key: string): Promise<number> {
  switch (await redis.type(key)) {
    case 'hash':
      return await redis.hlen(key);
    case 'list':
      return await redis.llen(key);
    case 'set':
      return await redis.scard(key);
    case 'zset':
      return await redis.zcard(key);
    default:
      return 0;
  }
}
