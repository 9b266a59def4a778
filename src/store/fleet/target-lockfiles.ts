import { defined } from '../../model/defined.ts';
import type { LoggedChanges } from '../../model/fleet/logged-changes.ts';
import type { TargetLockfile } from '../../model/fleet/target-summary.ts';
import type { TargetChange } from '../../model/queue/outcome.ts';
import type { TargetState } from '../../model/scan/change.ts';
import type { Exception } from '../../model/scan/exception.ts';
import { LOGGED_CHANGES, TARGET_SUMMARY } from '../../model/stored/catalog.ts';
import type { Keys } from '../keys.ts';
import type { OutcomeStep } from '../scripts/save-outcome.lua.ts';
import { compress } from '../values/compression.ts';
import { writeText, writeValue } from '../values/stored-values.ts';
import { bucketOf, type Inventories, type PackedInventory } from './inventories.ts';
import type { LedgerWriter, ReplacedInventories } from './ledger-writer.ts';
import { openAlertSteps } from './open-alerts.ts';

/** A target's new state with the lockfiles that its scan read, and the steps that store their inventories. */
export interface TargetWrite {
  readonly state: TargetState;
  readonly steps: readonly OutcomeStep[];
  /** The newest package id of the inventories and its identity. Ids are given out in order, so older ones are not lost either. */
  readonly newest?: readonly [id: number, identity: string] | undefined;
}

/** Changes stay in the log for this long. */
const LOG_MS = 90 * 24 * 3_600_000;

/** Prepares what is written together with the state of a target. `time`: ms since 1970. */
export async function prepareTarget(
  keys: Keys,
  inventories: Inventories,
  change: TargetChange,
  { time, ledger }: { readonly time: number; readonly ledger: LedgerWriter },
): Promise<TargetWrite> {
  const { state, steps, newest, replaced } = await withInventories(keys, inventories, change);
  const { summary, log } = change;
  const lockfiles = (state.lockfiles ?? []).map(({ path, inventory }) =>
    inventory === undefined ? { path } : { path, inventory },
  );
  const packages = (state.lockfiles ?? []).reduce((sum, file) => sum + (file.packages ?? 0), 0);
  return {
    state,
    newest,
    steps: [
      ...steps,
      ...(await ledger(change, replaced, time)),
      ...openAlertSteps(keys, change.target, state.findings),
      ...(summary === undefined
        ? []
        : [
            {
              name: 'HSET',
              keys: [keys.targetSummaries],
              values: [change.target, await writeValue(TARGET_SUMMARY, { ...summary, lockfiles, packages })],
            },
          ]),
      ...(log === undefined
        ? []
        : [
            {
              name: 'XADD',
              keys: [keys.changes],
              values: ['MINID', '~', time - LOG_MS, '*', 'changes', await packLog(log)],
            },
          ]),
    ],
  };
}

async function withInventories(
  keys: Keys,
  inventories: Inventories,
  { state, lockfiles }: TargetChange,
): Promise<TargetWrite & { readonly replaced: ReplacedInventories }> {
  if (lockfiles === undefined)
    return { state, steps: [], replaced: { before: [], after: [], packed: new Map() } };
  const read: TargetLockfile[] = [];
  const dated = datingAfter(lockfiles.before, state.requestedAt);
  const byHash = new Map<string, PackedInventory>();
  let newest: PackedInventory['newest'];
  for (const file of lockfiles.read) {
    const one = await inventories.pack(file);
    byHash.set(one.hash, one);
    if ((one.newest?.[0] ?? 0) > (newest?.[0] ?? 0)) newest = one.newest;
    const { path, sha256, suppressions, owners, exceptions } = file;
    read.push({
      path,
      sha256,
      inventory: one.hash,
      packages: file.packages.length,
      ...defined({ suppressions, owners, exceptions: exceptions?.map(dated) }),
    });
  }
  const after = [...(state.lockfiles ?? []), ...read].sort(byPath);
  const [old, current] = [hashesOf(lockfiles.before), hashesOf(after)];
  const kept = [...current].filter((hash) => !old.has(hash));
  const dropped = [...old].filter((hash) => !current.has(hash));
  return {
    newest,
    replaced: { before: lockfiles.before, after, packed: byHash },
    state: { ...state, lockfiles: after },
    steps: [
      ...kept.flatMap((hash) => {
        const one = byHash.get(hash);
        return one === undefined ? [] : [step(keys, 'KEEP', hash, [one.ids, one.rest])];
      }),
      ...dropped.map((hash) => step(keys, 'DROP', hash, [])),
    ],
  };
}

/** Adds the time of the scan that saw an exception first. Where none was seen before, nobody may have looked for them: it is not known. */
function datingAfter(before: readonly TargetLockfile[], requestedAt: string) {
  const keyOf = ({ kind, path, subject, value }: Exception) => JSON.stringify([kind, path, subject, value]);
  const seen = before.flatMap(({ exceptions = [] }) => exceptions);
  const known = new Map(seen.map((one) => [keyOf(one), one.since]));
  return (one: Exception): Exception => {
    const key = keyOf(one);
    const since = known.has(key) || seen.length === 0 ? known.get(key) : requestedAt;
    return { ...one, ...defined({ since }) };
  };
}

/** A step for the inventory of one lockfile. */
function step(keys: Keys, name: 'KEEP' | 'DROP', hash: string, values: OutcomeStep['values']): OutcomeStep {
  return {
    name,
    keys: [keys.inventoryUses, keys.idLists(bucketOf(hash)), keys.lockfileInventory(hash)],
    values: [hash, ...values],
  };
}

function byPath(left: { readonly path: string }, right: { readonly path: string }): number {
  return left.path < right.path ? -1 : Number(left.path > right.path);
}

function hashesOf(lockfiles: readonly TargetLockfile[]): ReadonlySet<string> {
  return new Set(lockfiles.flatMap(({ inventory }) => inventory ?? []));
}

/** Entries of the log are small, and there may be many: each is compressed. */
export async function packLog(log: LoggedChanges): Promise<Buffer> {
  return await compress(Buffer.from(writeText(LOGGED_CHANGES, log)));
}
