import { decodeLockfileIds } from '../../fleet/compact-lockfile.ts';
import { headOf, type LedgerHead } from '../../fleet/ledger/ledger-entries.ts';
import { type ComparedLockfile, idsOf, lockfileDeltas } from '../../fleet/ledger/lockfile-deltas.ts';
import type { DeliveryIdentity } from '../../model/alert/delivery.ts';
import { defined } from '../../model/defined.ts';
import type { LedgerEntry, LedgerNote } from '../../model/fleet/ledger.ts';
import type { TargetLockfile } from '../../model/fleet/target-summary.ts';
import type { TargetChange } from '../../model/queue/outcome.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { defineScript, runScript } from '../scripts/run-script.ts';
import type { OutcomeStep } from '../scripts/save-outcome.lua.ts';
import type { Inventories, PackedInventory } from './inventories.ts';
import { headKeys, readBlock, readHead, singlesIn, writeBlock, writeHead } from './ledger.ts';

/** Two years. */
const DEFAULT_KEEP_MS = 730 * 24 * 3_600_000;
/** Entries that are joined to a block. */
const BLOCK = 16;

export type LedgerWriter = ReturnType<typeof createLedgerWriter>;

export interface LedgerOptions {
  /** How long entries of a target with these labels are kept, in ms; 0: none are written, and those that exist are removed. */
  readonly keepMs?: (labels: Readonly<Record<string, string>>) => number;
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
 * one, an earlier release or a worker without a ledger has saved the target, and the ledger starts again.
 */
export function createLedgerWriter(
  redis: RedisClient,
  keys: Keys,
  inventories: Pick<Inventories, 'idListsOf'>,
  { keepMs = () => DEFAULT_KEEP_MS }: LedgerOptions = {},
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
    const [known, files] = await Promise.all([
      redis.hget(keys.target(target), 'ledger'),
      deltasOf(inventories, replaced),
    ]);
    const isStart = known !== revisions[0] || files === undefined;
    const entry = entryOf(note, isStart ? undefined : files);
    const write = { name: 'LEDGER_AT', keys: [keys.target(target)], values: ['', revisions[1] as string] };
    if (!isStart && entry.files === undefined && entry.findings === undefined) return [write];
    return [write, ...(await appendSteps(redis, keys, { target, entry, oldest: (time - keep) / 1_000 }))];
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
    keys: [keys.target(target), keys.ledger(target), ...headKeys(keys, target)],
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

/** `undefined` when an inventory of before is not stored any more. */
async function deltasOf(
  inventories: Pick<Inventories, 'idListsOf'>,
  { before, after, packed }: ReplacedInventories,
): Promise<LedgerEntry['files']> {
  const same = new Set(after.map(({ path, inventory = '' }) => `${inventory} ${path}`));
  const changed = before.filter(({ path, inventory }) => inventory && !same.has(`${inventory} ${path}`));
  const lists = await inventories.idListsOf([
    ...new Set(changed.flatMap(({ inventory }) => inventory ?? [])),
  ]);
  const old: ComparedLockfile[] = [];
  for (const { path, inventory = '' } of changed) {
    const list = lists.get(inventory);
    if (list === undefined) return undefined;
    old.push({ path, inventory, ids: decodeLockfileIds(list) });
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
  readonly target: string;
  readonly entry: LedgerEntry;
  /** Older blocks are dropped, in seconds since 1970. */
  readonly oldest: number;
}

/**
 * The last entries are stored one by one. When there are enough of them, they become a block, and blocks that are too old are dropped. An
 * alert that is accepted meanwhile adds an entry, and the script then leaves this to the next scan.
 */
async function appendSteps(
  redis: RedisClient,
  keys: Keys,
  { target, entry, oldest }: Appended,
): Promise<readonly OutcomeStep[]> {
  const [list, heads] = [keys.ledger(target), headKeys(keys, target)];
  const [length, tail, before] = await Promise.all([
    redis.llen(list),
    redis.lrangeBuffer(list, -BLOCK, -1),
    runScript(redis, READ_HEAD, heads, [target]),
  ]);
  const last = singlesIn(tail);
  const isFull = last.length >= BLOCK - 1;
  const append = { name: 'LEDGER', keys: [list], values: [await writeBlock([entry])] };
  const known = readHead(before as readonly (Buffer | null)[]);
  const isSame = known !== undefined && !hasGone(entry);
  const simply = [append, ...(isSame ? [] : headSteps(heads, target, joined(known, entry)))];
  if (!isFull && entry.start !== true) return simply;
  const stored = await redis.lrangeBuffer(list, 0, -1);
  // With a block that is damaged, or of a newer release, everything stays as it is.
  const blocks = await Promise.all(stored.map((one) => readBlock(keys, target, one))).catch(() => undefined);
  if (blocks === undefined) return simply;
  const split = blocks.length - (isFull ? last.length : 0);
  const dropped = isFull ? blocks.slice(0, split).findLastIndex(isOlderThan(oldest)) + 1 : 0;
  const joinedEntries = [...blocks.slice(split).flat(), entry];
  const head = headOf([...blocks.slice(dropped, split).flat(), ...joinedEntries]);
  const seal = isFull ? [await writeBlock(joinedEntries), dropped, split - 1, length] : [];
  return [
    { ...append, values: [...append.values, ...seal] },
    ...(head === undefined ? [] : headSteps(heads, target, head)),
  ];
}

/** The parts of the head of a ledger. Keys: heads of ledgers. Arguments: target. */
const READ_HEAD = defineScript(`
local parts = {}
for at = 1, #KEYS do
  parts[at] = redis.call('HGET', KEYS[at], ARGV[1])
end
return parts
`);

function isOlderThan(oldest: number): (block: readonly LedgerEntry[]) => boolean {
  return (block) => (block.at(-1)?.at ?? 0) < oldest;
}

function hasGone({ files = [] }: LedgerEntry): boolean {
  return files.some(({ went }) => went.length > 0);
}

function joined(before: LedgerHead | undefined, { at, start, files = [] }: LedgerEntry): LedgerHead {
  const { since, ids } = before ?? { since: at, ids: new Uint32Array() };
  const all = new Set([...ids, ...files.flatMap(({ went }) => idsOf(went))]);
  return { since: start === true ? at : since, ids: Uint32Array.from(all).sort() };
}

function headSteps(keys: readonly string[], target: string, head: LedgerHead): readonly OutcomeStep[] {
  const parts = writeHead(head);
  return keys.map((key, part) => ({ name: 'HSET', keys: [key], values: [target, parts[part] as Buffer] }));
}
