import type { Redis } from 'ioredis';
import { namedIds } from '../src/fleet/ledger/ledger-entries.ts';
import { allIds, idsOf } from '../src/fleet/ledger/lockfile-deltas.ts';
import type { LedgerEntry } from '../src/model/fleet/ledger.ts';
import type { TargetState } from '../src/model/scan/change.ts';
import { createInventories, type Inventories } from '../src/store/fleet/inventories.ts';
import { createLedger } from '../src/store/fleet/ledger.ts';
import { createPackageIds } from '../src/store/fleet/package-ids.ts';
import type { Keys } from '../src/store/keys.ts';
import { createTargetStore } from '../src/store/targets.ts';

/** Ledgers say what inventories hold: what came last is there, what went last is not, and each package has a name. */
export async function wrongLedgers(
  redis: Redis,
  keys: Keys,
  targets: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = [];
  const packageIds = createPackageIds(redis, keys);
  for (const target of targets) {
    const say = (what: string) => void found.push(`the ledger of ${target} ${what}`);
    const state = await createTargetStore(redis, keys).read(target);
    const at = await redis.hget(keys.target(target), 'ledger');
    if (at !== String(state?.revision)) say(`ends at ${at}, not ${state?.revision}`);
    const entries = await createLedger(redis, keys).read(target, ({ message }) => say(message));
    const held = await heldBy(createInventories(redis, keys, packageIds), state);
    for (const [key, isHeld] of lastChanges(entries))
      if (held.has(key) !== isHeld) say(`says of ${key} that it is ${isHeld ? 'held' : 'gone'}`);
    const names = await packageIds.identities([...namedIds(entries)]);
    if (names.includes(undefined)) say('has a package without a name');
    if (entries.find(({ delivered }) => delivered === undefined)?.start !== true) say('has no start');
    if (repeatedScans(entries)) say('has a scan twice');
  }
  return found;
}

async function heldBy(
  inventories: Inventories,
  state: TargetState | undefined,
): Promise<ReadonlySet<string>> {
  const held = new Set<string>();
  for (const { path, inventory } of state?.lockfiles ?? []) {
    if (inventory === undefined) continue;
    for (const id of allIds(await inventories.compact(inventory))) held.add(`${id} ${path}`);
  }
  return held;
}

/** Whether each package of each lockfile came or went last. */
function lastChanges(entries: readonly LedgerEntry[]): ReadonlyMap<string, boolean> {
  const last = new Map<string, boolean>();
  for (const { start, files = [] } of entries) {
    if (start === true) last.clear();
    for (const { path, came, went } of files) {
      for (const id of idsOf(went)) last.set(`${id} ${path}`, false);
      for (const id of idsOf(came)) last.set(`${id} ${path}`, true);
    }
  }
  return last;
}

function repeatedScans(entries: readonly LedgerEntry[]): boolean {
  const scans = entries.flatMap(({ scan, delivered }) => (delivered === undefined ? [scan] : []));
  return new Set(scans).size < scans.length;
}
