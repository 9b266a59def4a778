import { type FleetStore, hasLabels, type Labels } from '../../compose/fleet-store.ts';
import type { Store } from '../../compose/store.ts';
import { partsOf } from '../../fleet/compact-lockfile.ts';
import { heldIds } from '../../fleet/id-list.ts';
import { type IdentifiedPackage, packageOf } from '../../fleet/identity.ts';
import { PURL_TYPES } from '../../model/lockfile/ecosystem.ts';
import { createYielder } from '../../model/yielding.ts';
import { compareText } from '../../policy/finding-order.ts';
import { StoreError } from '../../store/errors.ts';
import { type VersionMatch, versionMatch } from '../../versions/version-match.ts';
import { FleetError } from '../errors.ts';
import type { PackageQuery } from './query.ts';

/** A target with package versions that a query selects. */
export interface Holder {
  readonly target: string;
  readonly labels: Labels;
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

/** Finds the targets that hold a package, by one pass over the id lists of all lockfiles. Throws `FleetError`. */
export async function findHolders(fleet: FleetStore, query: PackageQuery, labels?: Labels): Promise<Holders> {
  requireReadable(query);
  const versions = new Set<string>();
  const notCompared = new Set<string>();
  const holders: Holder[] = [];
  const selections: SelectedPackages[] = [];
  for (const store of fleet.shards) {
    const selected = { store, byId: await selectPackages(store, query, notCompared) };
    for (const { purl } of selected.byId.values()) versions.add(purl);
    selections.push(selected);
    if (selected.byId.size > 0) holders.push(...(await holdersIn(fleet, selected, labels)));
  }
  holders.sort((left, right) => compareText(left.target, right.target));
  return { versions: [...versions].sort(), selections, holders, notCompared: [...notCompared].sort() };
}

async function holdersIn(
  fleet: FleetStore,
  selected: SelectedPackages,
  labels: Labels | undefined,
): Promise<readonly Holder[]> {
  const inventories = await inventoriesHolding(fleet, selected);
  if (inventories.size === 0) return [];
  const holders: Holder[] = [];
  const { targetSummaries } = selected.store;
  const fits = hasLabels(labels);
  for await (const part of targetSummaries.holding(new Set(inventories.keys()), fleet.onUnreadable)) {
    for (const [target, summary] of part) {
      if (!fits(summary.labels)) continue;
      const lockfiles = summary.lockfiles.flatMap(({ path, inventory = '' }) => {
        const held = inventories.get(inventory);
        return held === undefined ? [] : [{ path, inventory, ...held }];
      });
      holders.push({ target, labels: summary.labels, lockfiles, selected });
    }
  }
  return holders;
}

/** The package versions of a shard that a query selects; adds ecosystems whose versions cannot be compared to `notCompared`. */
async function selectPackages(
  { packageSearch }: Store,
  query: PackageQuery,
  notCompared: Set<string>,
): Promise<ReadonlyMap<number, IdentifiedPackage>> {
  const matches = new Map<string, VersionMatch>();
  const packages = new Map<number, IdentifiedPackage>();
  for (const [identity, id] of await packageSearch.find(query)) {
    const found = packageOf(identity);
    const match = matches.get(found.ecosystem) ?? versionMatch(query.versions, found.ecosystem);
    matches.set(found.ecosystem, match);
    if (typeof match === 'string') notCompared.add(found.ecosystem);
    else if (match(found.version)) packages.set(id, found);
  }
  return packages;
}

/** Throws when a text selects no versions in any ecosystem. */
function requireReadable({ versions, ecosystem }: PackageQuery): void {
  const possible = ecosystem === undefined ? PURL_TYPES : [ecosystem];
  const matches = possible.map((one) => versionMatch(versions, one));
  if (matches.some((match) => typeof match === 'function')) return;
  const [reason] = matches;
  const isOfOne = typeof reason === 'string' && ecosystem !== undefined;
  throw new FleetError('query-invalid', isOfOne ? reason : `"${versions}" is not a version or a range`);
}

type Held = Pick<HoldingLockfile, 'lookedUp' | 'excluded'>;

/** The inventories with one of the packages, by their key. A damaged list is reported and left out. */
async function inventoriesHolding(
  { onUnreadable }: FleetStore,
  { store, byId }: SelectedPackages,
): Promise<ReadonlyMap<string, Held>> {
  const wanted = Uint32Array.from(byId.keys()).sort();
  const found = new Map<string, Held>();
  const yieldIfDue = createYielder();
  for await (const lists of store.inventories.idLists()) {
    for (const [hash, encoded] of lists) {
      try {
        const { lookedUp, excluded } = partsOf(encoded);
        const held = { lookedUp: heldIds(lookedUp, wanted), excluded: heldIds(excluded, wanted) };
        if (held.lookedUp.length + held.excluded.length > 0) found.set(hash, held);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        const message = `The package ids of the lockfile inventory ${hash} cannot be read (${error.message}). Scan its targets again.`;
        onUnreadable(new StoreError('state-corrupt', message, { cause: error }));
      }
    }
    await yieldIfDue();
  }
  return found;
}
