import type { Redis } from 'ioredis';
import { createKeys } from '../src/store/keys.ts';
import { wrongFleet } from './audit-fleet.ts';
import { wrongLedgers } from './audit-ledgers.ts';
import type { Model } from './oracle.ts';
import { fieldsOf, textsIn, type Witness } from './witness.ts';

type Keys = ReturnType<typeof createKeys>;

/** Keys that expire by themselves. */
const EXPIRING = /:(?:blob|cache|delivery|lock|outcome|request|spent):/;
/** What a queue has beside its jobs and the lists of them. */
const OF_QUEUES = /:(?:meta|id|events|marker|delay|stalled-check|limiter)$/;

/** The keys of jobs that are kept for an operator because three faults hit each of them, when the queue has no other failed job. */
function stalledJobs(witness: Witness, queue: string): readonly string[] {
  const failed = textsIn(witness.ask('ZRANGE', `${queue}:failed`, '0', '-1')).map((id) => `${queue}:${id}`);
  const isStalled = (name: string) =>
    String(witness.ask('HGET', name, 'failedReason')).includes('workers died while they ran it');
  // The answers of its children stay with a job.
  const kept = failed.flatMap((name) => [name, `${name}:processed`]);
  return failed.every(isStalled) ? [...kept, `${queue}:failed`] : [];
}

/** Jobs, places in lanes and waiting changes that a shard has. Starts of schedules are always delayed. Redis has no empty keys. */
export function openWork(witness: Witness, keys: Keys, model: Model): readonly string[] {
  const names = namesOf(witness, keys);
  const queues = names.flatMap((name) => /^(.+):meta$/.exec(name)?.[1] ?? []);
  const working = queues.filter((queue) => !queue.endsWith(':schedules')).map((queue) => `${queue}:`);
  const stalled = queues.flatMap((queue) => stalledJobs(witness, queue));
  const places = new Set([
    ...[keys.openJobs, keys.openDeliveries, keys.failedDeliveries, keys.rejected],
    keys.claim('refresh-all'),
  ]);
  const starts = [keys.digest('*').slice(0, -1), keys.lane('*').slice(0, -1)];
  const pending = keys.facts('').facts;
  const incomplete = textsIn(witness.ask('SMEMBERS', keys.incompleteTargets));
  const doubted = incomplete.filter((target) => !model.isUnread(target));
  if (doubted.length > 0) return doubted.map((target) => `${target} is incomplete`);
  return names
    .filter(
      (name) =>
        places.has(name) ||
        // A start that a worker has claimed ends, also when the worker dies.
        name.endsWith(':schedules:active') ||
        starts.some((start) => name.startsWith(start)) ||
        (name.startsWith(pending) && name.endsWith(':pending')) ||
        (working.some((start) => name.startsWith(start)) && !OF_QUEUES.test(name) && !stalled.includes(name)),
    )
    .map((name) => `${name} is there`);
}

/**
 * What Redis holds although nothing is left to do: records that say something else than what happened, and keys that would stay for ever.
 */
export async function leftOver(
  witness: Witness,
  redis: Redis,
  { shards, model }: { readonly shards: number; readonly model: Model },
): Promise<readonly string[]> {
  const found: string[] = [];
  let known = 0;
  for (let index = 0; index < shards; index += 1) {
    const keys = createKeys(undefined, { index, count: shards });
    const all = textsIn(witness.ask('SMEMBERS', keys.targets));
    // Without those that are about Lockhound itself.
    const scanned = all.filter((id) => !id.startsWith('lockhound:'));
    found.push(
      ...wrongDeliveries(witness, keys),
      ...wrongInventories(witness, keys, scanned.filter(model.isKnown).length),
      ...withoutEnd(witness, keys),
      ...(await wrongLedgers(redis, keys, scanned)),
      ...(await wrongFleet(witness, redis, keys, { targets: scanned, model })),
    );
    known += scanned.length;
    const touched = witness.ask('ZCARD', keys.touchedTargets);
    const summaries = witness.ask('HLEN', keys.targetSummaries);
    if (touched !== all.length || summaries !== all.length)
      found.push(`${touched} of ${all.length} targets are touched, ${summaries} have summaries`);
  }
  if (known !== model.targets) found.push(`${known} targets are known`);
  return found;
}

function namesOf(witness: Witness, keys: Keys): readonly string[] {
  return textsIn(witness.ask('KEYS', `${keys.prefix}:*`));
}

/** Deliveries that are not in the state of their index, and scans that have not ended. */
function wrongDeliveries(witness: Witness, keys: Keys): readonly string[] {
  const found: string[] = [];
  for (const id of textsIn(witness.ask('ZRANGE', keys.delivered, '0', '-1'))) {
    const state = witness.ask('HGET', keys.delivery(id), 'state');
    if (state !== 'delivered') found.push(`delivery ${id} is ${state}`);
    if (witness.ask('EXISTS', keys.deliveryNotification(id)) !== 0)
      found.push(`delivery ${id} has a notification`);
  }
  for (const [scan, text] of Object.entries(fieldsOf(witness.ask('HGETALL', keys.scans))))
    if (JSON.parse(text).state === 'running') found.push(`scan ${scan} is running`);
  return found;
}

/** Each target has one lockfile, if it was ever read: inventories are used so often in all, and none is stored that no target has. */
function wrongInventories(witness: Witness, keys: Keys, targets: number): readonly string[] {
  const uses = textsIn(witness.ask('HVALS', keys.inventoryUses)).map(Number);
  const sum = uses.reduce((all, one) => all + one, 0);
  const stored = textsIn(witness.ask('KEYS', keys.lockfileInventory('*'))).length;
  const lists = textsIn(witness.ask('KEYS', `${keys.prefix}:fleet:id-lists:*`));
  const listed = lists.reduce((all, key) => all + Number(witness.ask('HLEN', key)), 0);
  return [
    ...(sum === targets ? [] : [`inventories have ${sum} uses by ${targets} targets`]),
    ...(stored === uses.length && listed === uses.length
      ? []
      : [`${uses.length} inventories are used, ${stored} are stored, ${listed} are listed`]),
  ];
}

function withoutEnd(witness: Witness, keys: Keys): readonly string[] {
  const names = namesOf(witness, keys).filter((name) => EXPIRING.test(name));
  const ends = witness.askAll(names.map((name) => ['TTL', name]));
  return names.filter((_, index) => ends[index] === -1).map((name) => `${name} never expires`);
}
