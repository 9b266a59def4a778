import type { FleetStore } from '../../compose/fleet-store.ts';
import type { Store } from '../../compose/store.ts';
import { partsOf } from '../../fleet/compact-lockfile.ts';
import { heldIds } from '../../fleet/id-list.ts';
import { type IdentifiedPackage, packageOf } from '../../fleet/identity.ts';
import type { HeldPackages } from '../../fleet/view/held-packages.ts';
import { LOCKFILES, type ViewedTarget } from '../../fleet/view/viewed-target.ts';
import { PURL_TYPES } from '../../model/lockfile/ecosystem.ts';
import { createYielder } from '../../model/yielding.ts';
import { compareText } from '../../policy/finding-order.ts';
import { damagedIds } from '../../store/fleet/inventories.ts';
import { type VersionMatch, versionMatch } from '../../versions/version-match.ts';
import { nothingStored, type OperationContext } from '../context.ts';
import { Refusal } from '../refusal.ts';
import type { PackageQuery } from './query.ts';

/** A target with package versions that a query selects. */
export interface Holder {
  readonly target: string;
  readonly labels: ViewedTarget['labels'];
  /** RFC 3339: when its newest judged scan was requested; absent when that is not known. */
  readonly requestedAt?: string;
  readonly lockfiles: readonly HoldingLockfile[];
  /** Ids are those of its shard. */
  readonly selected: SelectedPackages;
}

/** The package versions of a shard that a query selects. */
export interface SelectedPackages {
  readonly store: Store;
  readonly byId: ReadonlyMap<number, IdentifiedPackage>;
}

export interface HoldingLockfile {
  readonly path: string;
  /** Key of its inventory. */
  readonly inventory: string;
  /** Ids of the package versions that it holds: those that are looked up, and those that are not. */
  readonly lookedUp: readonly number[];
  readonly excluded: readonly number[];
}

export interface Holders {
  /** Purls of the package versions that the query selects, by text. */
  readonly versions: readonly string[];
  /** The package versions that the query selects in each shard. */
  readonly selections: readonly SelectedPackages[];
  /** By target. */
  readonly holders: readonly Holder[];
  /** Ecosystems in which the text is neither a version nor a range that is understood. */
  readonly notCompared: readonly string[];
}

/** Whether the holders of a package are asked for, and may be read. */
export type HolderTest = (target: ViewedTarget) => boolean;

/** Finds the targets that hold a package, by one pass over the id lists of all lockfiles. Throws `Refusal` (`query-invalid`, `nothing-stored`). */
export async function findHolders(
  context: OperationContext,
  query: PackageQuery,
  fits: HolderTest,
): Promise<Holders> {
  requireReadable(query);
  const notCompared = new Set<string>();
  const found = await findSelected(context, (held) => selectPackages(held, query, notCompared), fits);
  return { ...found, notCompared: [...notCompared].sort() };
}

/** Finds the targets that hold one of the package versions that are selected in each shard. Throws `Refusal` (`nothing-stored`). */
export async function findSelected(
  context: OperationContext,
  select: (held: HeldPackages, store: Store) => Promise<SelectedPackages['byId']>,
  fits: HolderTest,
): Promise<Omit<Holders, 'notCompared'>> {
  const snapshot = await context.snapshot({});
  if (snapshot.targets.size === 0) throw nothingStored();
  const versions = new Set<string>();
  const holders: Holder[] = [];
  const selections: SelectedPackages[] = [];
  for (const [index, store] of context.fleet.shards.entries()) {
    const held = context.packages[index] as HeldPackages;
    const selected = { store, byId: await select(held, store) };
    for (const { purl } of selected.byId.values()) versions.add(purl);
    selections.push(selected);
    if (selected.byId.size === 0) continue;
    const lists = await held.idLists(snapshot);
    const inventories = await inventoriesHolding(context.fleet, lists, selected.byId);
    if (inventories.size === 0) continue;
    for (const target of snapshot.targets.values()) {
      const lockfiles = holdingOf(target[LOCKFILES] ?? [], inventories);
      if (lockfiles.length > 0 && context.fleet.of(target.target) === store && fits(target))
        holders.push({ ...holderOf(target), lockfiles, selected });
    }
  }
  holders.sort((left, right) => compareText(left.target, right.target));
  return { versions: [...versions].sort(), selections, holders };
}

/** The data of a holder about its target. */
export function holderOf(viewed: ViewedTarget): Omit<Holder, 'lockfiles' | 'selected'> {
  const { target, labels, requestedAt } = viewed;
  return { target, labels, requestedAt };
}

function holdingOf(
  lockfiles: readonly { readonly path: string; readonly inventory?: string }[],
  inventories: ReadonlyMap<string, Held>,
): readonly HoldingLockfile[] {
  return lockfiles.flatMap(({ path, inventory = '' }) => {
    const held = inventories.get(inventory);
    return held === undefined ? [] : [{ path, inventory, ...held }];
  });
}

/** The package versions of a shard that a query selects; adds ecosystems whose versions cannot be compared to `notCompared`. */
export async function selectPackages(
  held: HeldPackages,
  query: PackageQuery,
  notCompared: Set<string>,
): Promise<ReadonlyMap<number, IdentifiedPackage>> {
  const matches = new Map<string, VersionMatch>();
  const packages = new Map<number, IdentifiedPackage>();
  for (const [identity, id] of await held.find(query)) {
    const found = packageOf(identity);
    const match = matches.get(found.ecosystem) ?? versionMatch(query.versions, found.ecosystem);
    matches.set(found.ecosystem, match);
    if (typeof match === 'string') notCompared.add(found.ecosystem);
    else if (match(found.version)) packages.set(id, found);
  }
  return packages;
}

/** Throws when a text selects no versions in any ecosystem. */
export function requireReadable({ versions, ecosystem }: PackageQuery): void {
  const possible = ecosystem === undefined ? PURL_TYPES : [ecosystem];
  const matches = possible.map((one) => versionMatch(versions, one));
  if (matches.some((match) => typeof match === 'function')) return;
  const [reason] = matches;
  const isOfOne = typeof reason === 'string' && ecosystem !== undefined;
  throw new Refusal(400, 'query-invalid', isOfOne ? reason : `"${versions}" is not a version or a range`);
}

/** The lockfiles of one target that hold one of the packages. */
export async function lockfilesHolding(
  fleet: FleetStore,
  lockfiles: readonly { readonly path: string; readonly inventory?: string }[],
  { store, byId }: SelectedPackages,
): Promise<readonly HoldingLockfile[]> {
  const hashes = [...new Set(lockfiles.flatMap(({ inventory }) => inventory ?? []))];
  const lists = await store.inventories.idListsOf(hashes);
  return holdingOf(lockfiles, await inventoriesHolding(fleet, [lists], byId));
}

type Held = Pick<HoldingLockfile, 'lookedUp' | 'excluded'>;

/** The inventories with one of the packages, by their key. A damaged list is reported and left out. */
async function inventoriesHolding(
  { onUnreadable }: FleetStore,
  parts: Iterable<ReadonlyMap<string, Buffer>>,
  byId: SelectedPackages['byId'],
): Promise<ReadonlyMap<string, Held>> {
  const wanted = Uint32Array.from(byId.keys()).sort();
  const found = new Map<string, Held>();
  const yieldIfDue = createYielder();
  for (const lists of parts) {
    for (const [hash, encoded] of lists) {
      try {
        const { lookedUp, excluded } = partsOf(encoded);
        const held = { lookedUp: heldIds(lookedUp, wanted), excluded: heldIds(excluded, wanted) };
        if (held.lookedUp.length + held.excluded.length > 0) found.set(hash, held);
      } catch (error) {
        onUnreadable(damagedIds(hash, error));
      }
    }
    await yieldIfDue();
  }
  return found;
}
