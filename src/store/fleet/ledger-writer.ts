import { headOf, type LedgerHead, NOT_KNOWN } from '../../fleet/ledger/ledger-entries.ts';
import { type ComparedLockfile, idsOf, lockfileDeltas } from '../../fleet/ledger/lockfile-deltas.ts';
import type { DeliveryIdentity } from '../../model/alert/delivery.ts';
import { defined } from '../../model/defined.ts';
import { undefinedFor } from '../../model/errors.ts';
import type { LedgerEntry, LedgerNote } from '../../model/fleet/ledger.ts';
import type { TargetLockfile } from '../../model/fleet/target-summary.ts';
import type { ObjectStorage } from '../../model/ports/object-storage.ts';
import type { TargetChange } from '../../model/queue/outcome.ts';
import { StoreError } from '../errors.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { defineScript, runScript } from '../scripts/run-script.ts';
import type { OutcomeStep } from '../scripts/save-outcome.lua.ts';
import type { Inventories, PackedInventory } from './inventories.ts';
import {
  BLOCK,
  headFields,
  headKeys,
  idsOfLockfiles,
  placeOf,
  readBlock,
  readHead,
  singlesIn,
  writeBlock,
  wrongType,
} from './ledger.ts';
import { isReference, readReference } from './ledger-reference.ts';

/** Two years. */
export const DEFAULT_KEEP_MS = 730 * 24 * 3_600_000;

export type LedgerWriter = ReturnType<typeof createLedgerWriter>;

export interface LedgerOptions {
  /** How long entries of a target with these labels are kept, in ms; 0: none are written, and those that exist are removed. */
  readonly keepMs?: (labels: Readonly<Record<string, string>>) => number;
  /** Has the blocks that are not in Redis. */
  readonly storage?: ObjectStorage | undefined;
}

/** The lockfiles of a target before and after a scan. */
export interface ReplacedInventories {
  readonly before: readonly TargetLockfile[];
  readonly after: readonly TargetLockfile[];
  /** The inventories that the scan read, by their key. */
  readonly packed: ReadonlyMap<string, PackedInventory>;
}

/**
 * Prepares the steps of `SAVE_OUTCOME` that write the ledger of a target together with its state: what is read here is what the script
 * replaces, because it compares the revision. A field of the target has the revision up to which its ledger is complete: where it is another
 * one, an earlier release or a worker without a ledger has saved the target, and the ledger starts again. Where a key of the ledger has
 * another type, the target is saved without it.
 */
export function createLedgerWriter(
  redis: RedisClient,
  keys: Keys,
  inventories: Pick<Inventories, 'idListsOf'>,
  { keepMs = () => DEFAULT_KEEP_MS, storage }: LedgerOptions = {},
) {
  return async (
    change: TargetChange,
    replaced: ReplacedInventories,
    time: number,
  ): Promise<readonly OutcomeStep[]> => {
    const { target, ledger: note, replaces, state } = change;
    const revisions = [String(replaces), String(state.revision)];
    if (note === undefined) return [{ name: 'LEDGER_AT', keys: [keys.target(target)], values: revisions }];
    const keep = keepMs(note.labels);
    if (keep === 0) return [forgetStep(keys, target)];
    const [end, files] = await Promise.all([readEnd(redis, keys, target), deltasOf(inventories, replaced)]);
    if (end === undefined) return [];
    const isStart = end.revision !== revisions[0] || files === undefined;
    const entry = entryOf(note, isStart ? undefined : files);
    const write = { name: 'LEDGER_AT', keys: [keys.target(target)], values: ['', revisions[1] as string] };
    if (!isStart && entry.files === undefined && entry.findings === undefined) return [write];
    const added = { target, entry, oldest: (time - keep) / 1_000, end, storage };
    return [write, ...(await appendSteps(redis, keys, added))];
  };
}

/** The step for an alert that a receiver accepted. `time`: ms since 1970. */
export async function deliveredStep(
  keys: Keys,
  { target, scan, route }: DeliveryIdentity,
  time: number,
): Promise<OutcomeStep> {
  const block = await writeBlock([{ at: Math.floor(time / 1_000), scan, delivered: route }]);
  return { name: 'LEDGER_DELIVERED', keys: [keys.target(target), keys.ledger(target)], values: [block] };
}

function forgetStep(keys: Keys, target: string): OutcomeStep {
  return {
    name: 'LEDGER_FORGET',
    keys: [keys.target(target), keys.ledger(target), keys.unusedObjects, ...headKeys(keys, target)],
    values: [target],
  };
}

function entryOf(
  { scan, requestedAt, findings, omitted, commit, committedAt, etag }: LedgerNote,
  files: LedgerEntry['files'],
): LedgerEntry {
  return {
    at: Math.floor(Date.parse(requestedAt) / 1_000),
    scan,
    ...defined({ commit, committedAt, etag, omitted }),
    ...(files === undefined ? { start: true as const } : {}),
    ...(files === undefined || files.length === 0 ? {} : { files }),
    ...(findings.length === 0 ? {} : { findings }),
  };
}

/** `undefined` when an inventory of before is not stored any more, or is damaged. */
async function deltasOf(
  inventories: Pick<Inventories, 'idListsOf'>,
  { before, after, packed }: ReplacedInventories,
): Promise<LedgerEntry['files']> {
  const same = new Set(after.map(({ path, inventory = '' }) => `${inventory} ${path}`));
  const changed = before.filter(({ path, inventory }) => inventory && !same.has(`${inventory} ${path}`));
  const lists = await idsOfLockfiles(inventories, changed);
  const old: ComparedLockfile[] = [];
  for (const { path, inventory = '' } of changed) {
    const ids = lists.get(inventory);
    if (ids === undefined) return undefined;
    old.push({ path, inventory, ids });
  }
  const unchanged = new Set(before.map(({ path, inventory = '' }) => `${inventory} ${path}`));
  const current = after.flatMap(({ path, inventory = '' }) => {
    const one = packed.get(inventory);
    return one === undefined || unchanged.has(`${inventory} ${path}`)
      ? []
      : [{ path, inventory, ...one.lockfile }];
  });
  return lockfileDeltas(old, current);
}

interface Appended {
  readonly end: NonNullable<Awaited<ReturnType<typeof readEnd>>>;
  readonly target: string;
  readonly entry: LedgerEntry;
  /** Older blocks are dropped, in seconds since 1970. */
  readonly oldest: number;
  readonly storage: ObjectStorage | undefined;
}

/**
 * The last entries are stored one by one. When there are enough of them, they become a block, and blocks that are too old are dropped. An
 * alert that is accepted meanwhile adds an entry, and the script then leaves this to the next scan. Older blocks are read only where the
 * head cannot do without them. When the storage that has them does not answer, nothing is dropped, and a head that needs them says that it
 * is not known: the next scan writes it.
 */
async function appendSteps(
  redis: RedisClient,
  keys: Keys,
  { target, entry, oldest, storage, end: { length, tail, head: known } }: Appended,
): Promise<readonly OutcomeStep[]> {
  const list = keys.ledger(target);
  const singles = singlesIn(tail);
  const isFull = singles.length >= BLOCK - 1;
  const read = (one: Buffer) => readBlock(keys, target, one, storage);
  const last = isFull ? await Promise.all(singles.map(read)).catch(() => undefined) : undefined;
  const isNew = entry.start === true || (length > 0 && (known === undefined || known.since === NOT_KNOWN));
  const append = { name: 'LEDGER', keys: [list, keys.unusedObjects], values: [await writeBlock([entry])] };
  const mustRead = isNew || (last !== undefined && (await firstTime(redis, keys, target)) < oldest);
  const all = mustRead ? await readAll(redis, list, read) : undefined;
  const blocks = typeof all === 'object' ? all.slice(0, length - singles.length) : [];
  const isOld = (block: readonly LedgerEntry[]) => (block.at(-1)?.at ?? 0) < oldest;
  const dropped = last === undefined ? 0 : blocks.findLastIndex(isOld) + 1;
  const head = nextHead(typeof all === 'object' ? all.slice(dropped) : all, { known, entry, isNew });
  const seal =
    last === undefined
      ? []
      : [await writeBlock([...last.flat(), entry]), dropped, length - singles.length - 1, length];
  return [
    { ...append, values: [...append.values, ...seal] },
    ...(head === undefined ? [] : headFields(keys, target, head)).map(([key, part]) => ({
      ...{ name: 'HSET', keys: [key], values: [target, part] },
    })),
  ];
}

type Blocks = readonly (readonly LedgerEntry[])[];

/** The head with an entry; `undefined` when it stays as it is. */
function nextHead(
  blocks: Blocks | 'damaged' | 'storage-away' | undefined,
  {
    known,
    entry,
    isNew,
  }: { readonly known: LedgerHead | undefined; readonly entry: LedgerEntry; readonly isNew: boolean },
): LedgerHead | undefined {
  if (typeof blocks === 'object') return headOf([...blocks.flat(), entry]);
  if (isNew && blocks === 'storage-away') return { ...joined(known, entry), since: NOT_KNOWN };
  return isNew || known === undefined || entry.files?.some(({ went }) => went.length > 0)
    ? joined(known, entry)
    : undefined;
}

async function readAll(
  redis: RedisClient,
  list: string,
  read: (one: Buffer) => Promise<readonly LedgerEntry[]>,
): Promise<Blocks | 'damaged' | 'storage-away'> {
  try {
    return await Promise.all((await redis.lrangeBuffer(list, 0, -1)).map(read));
  } catch (error) {
    return error instanceof StoreError && error.code === 'storage-away' ? 'storage-away' : 'damaged';
  }
}

/** The time of the last entry of the first block, in seconds since 1970, without the storage. A block that cannot be read is not old. */
async function firstTime(redis: RedisClient, keys: Keys, target: string): Promise<number> {
  const stored = await redis.lindexBuffer(keys.ledger(target), 0);
  if (stored === null) return Number.POSITIVE_INFINITY;
  const read = isReference(stored)
    ? readReference(stored, placeOf(keys, target)).then(({ until }) => until)
    : readBlock(keys, target, stored).then((entries) => entries.at(-1)?.at ?? 0);
  return await read.catch(() => Number.POSITIVE_INFINITY);
}

/** The stored end of a ledger, `undefined` for a damaged one, which readers report: the revision up to which it is complete, the number of its elements, the last ones, its head. */
async function readEnd(redis: RedisClient, keys: Keys, target: string) {
  const places = [keys.target(target), keys.ledger(target), ...headKeys(keys, target)];
  const found = (await runScript(redis, READ_END, places, [target, -BLOCK])
    .catch(wrongType(placeOf(keys, target), 'list'))
    .catch(undefinedFor(StoreError, 'state-corrupt'))) as LedgerEnd | undefined;
  if (found === undefined) return undefined;
  const [revision, length, tail, ...parts] = found;
  return { revision: revision?.toString(), length, tail, head: readHead(parts) };
}

type LedgerEnd = [revision: Buffer | null, length: number, tail: Buffer[], ...head: (Buffer | null)[]];

/** Keys: target, ledger, heads of ledgers. Arguments: target, the first of the last elements. Returns a `LedgerEnd`. */
const READ_END = defineScript(`
local found = {redis.call('HGET', KEYS[1], 'ledger'), redis.call('LLEN', KEYS[2]), redis.call('LRANGE', KEYS[2], ARGV[2], -1)}
for at = 3, #KEYS do
  found[at + 1] = redis.call('HGET', KEYS[at], ARGV[1])
end
return found
`);

function joined(before: LedgerHead | undefined, { at, start, files = [] }: LedgerEntry): LedgerHead {
  const { since, ids } = before ?? { since: at, ids: new Uint32Array() };
  const all = new Set([...ids, ...files.flatMap(({ went }) => idsOf(went))]);
  return { since: start === true ? at : since, ids: Uint32Array.from(all).sort() };
}
