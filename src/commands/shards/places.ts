import { CONTRACT_TARGET } from '../../jobs/check-contract.ts';
import { isObject, jsonValue } from '../../model/json-object.ts';
import { DIGEST_ENTRY, OPEN_JOB } from '../../model/stored/catalog.ts';
import type { Keys, ShardKeys } from '../../store/keys.ts';
import { parseFailingField } from '../../store/outcomes/watch-steps.ts';
import { readValue } from '../../store/values/stored-values.ts';
import { copyKey, type Move, type Place } from './move.ts';

/**
 * The action of a move for each key of a shard: where its entries go; `apart` for what `copy-records.ts`, `copy-targets.ts` and
 * `copy-queues.ts` copy in other ways or together with an entry of another key; and `none` for what is written again.
 */
export const PLACES: Readonly<Record<keyof ShardKeys, Place | 'apart' | 'none'>> = {
  prefix: 'none',
  targets: 'target',
  target: 'apart',
  targetSummaries: 'apart',
  touchedTargets: 'target',
  incompleteTargets: 'target',
  dueTargets: 'target',
  openAlerts: 'all',
  alertsOfTargets: 'target',
  // Package ids differ from shard to shard, so the inventories are written anew.
  packageIds: 'apart',
  packageNames: 'apart',
  lastPackageId: 'apart',
  packageTimes: 'apart',
  idLists: 'apart',
  lockfileInventory: 'apart',
  inventoryUses: 'apart',
  ledger: 'apart',
  ledgerHeads: 'apart',
  unusedObjects: 'first',
  ledgerArchive: 'none',
  facts: 'apart',
  scans: (move, _, text) => scanPlace(move, text),
  scanOrder: async (move, scan, _, source) =>
    scanPlace(move, await move.redis.hgetBuffer(source.scans, scan)),
  changes: 'apart',
  outcome: 'apart',
  requestedScan: 'apart',
  spentOutcome: 'none',
  openDeliveries: deliveryPlace,
  failedDeliveries: deliveryPlace,
  delivered: deliveryPlace,
  delivery: 'apart',
  deliveryAttempts: 'apart',
  deliveryNotification: 'apart',
  targetDeliveries: 'apart',
  digestRoutes: 'all',
  digest: 'apart',
  schedules: 'all',
  // The first shard gets the history of runs.
  scheduleRuns: 'first',
  scheduleCounts: 'first',
  openTargets: 'target',
  watchedTargets: 'target',
  sourceReadings: 'target',
  failingTargets: ({ destination }, field) => [destination(parseFailingField(field).target)],
  refreshes: 'all',
  judgedRouting: 'apart',
  // The workers then judge all targets again, for facts of several shards that differ and for selections that had begun.
  judgedSettings: 'none',
  judgedSuppressions: 'none',
  // The workers queue open jobs again when they start.
  openJobs: openJobPlace,
  lane: 'apart',
  rejected: rejectedPlace,
  rejectedOrder: rejectedPlace,
  cache: 'none',
  probe: 'none',
  claim: 'none',
};

/** Refreshes name packages by ids of their shard. They are not copied: the workers refresh again at the next due time. */
export const DROPPED: ReadonlySet<string> = new Set(['refresh-fleet', 'refresh-facts', 'finish-refresh']);

/** A record without a target is damaged and stays readable for an operator. */
function scanPlace({ destination, destinations }: Move, text: Buffer | null): readonly Keys[] {
  const record = jsonValue(String(text));
  const target = isObject(record) ? record['target'] : undefined;
  return typeof target === 'string' ? [destination(target)] : destinations.slice(0, 1);
}

/** Copies the record of a delivery with its attempts and its notification. */
async function deliveryPlace(
  { redis, destination }: Move,
  id: string,
  _: Buffer,
  source: Keys,
): Promise<readonly Keys[]> {
  const target = await redis.hget(source.delivery(id), 'target');
  if (target === null) return [];
  const keys = destination(target);
  for (const kind of ['delivery', 'deliveryAttempts', 'deliveryNotification'] as const)
    await copyKey(redis, source[kind](id), keys[kind](id));
  return [keys];
}

/** The shard of the changes that wait for a periodic digest of a route. */
export function digestPlace(route: string): Place {
  return async ({ destination }, field, value, source) => {
    const remedy = 'Delete the field: the changes of this scan are not sent.';
    const { target } = await readValue(DIGEST_ENTRY, value, { key: source.digest(route), field, remedy });
    return [destination(target.id)];
  };
}

/** Copies the place of a job in its lane, too. */
async function openJobPlace(move: Move, id: string, stored: Buffer, source: Keys): Promise<readonly Keys[]> {
  const place = { key: source.openJobs, field: id, remedy: 'Delete the field to forget the job.' };
  const { job, data, lane } = await readValue(OPEN_JOB, stored, place);
  if (DROPPED.has(job)) return [];
  const shards = shardsOf(move, job, data) ?? move.destinations;
  if (lane !== undefined)
    for (const keys of shards) await copyKey(move.redis, source.lane(lane), keys.lane(lane));
  return shards;
}

/** Rejected payloads are where their failed jobs are. */
async function rejectedPlace(
  move: Move,
  field: string,
  _: Buffer,
  { prefix }: Keys,
): Promise<readonly Keys[]> {
  const [name = ''] = field.split('/', 1);
  const data = await move.redis.hget(`${prefix}:${name}:${field.slice(name.length + 1)}`, 'data');
  return shardsOf(move, name, jsonValue(data ?? '')) ?? move.destinations.slice(0, 1);
}

/** The shard of the target that a job is about; `undefined` for none or several. `data`: its envelope. */
export function shardsOf({ destination }: Move, name: string, data: unknown): readonly Keys[] | undefined {
  const payload = isObject(data) && isObject(data['payload']) ? data['payload'] : {};
  const target = name === 'check-contract' ? CONTRACT_TARGET : payload['target'];
  const id = isObject(target) ? target['id'] : target;
  return typeof id === 'string' ? [destination(id)] : undefined;
}
