import { LRUCache } from 'lru-cache';
import type { FleetStore } from '../../compose/fleet-store.ts';
import type { Store } from '../../compose/store.ts';
import { createIdSet } from '../../fleet/id-list.ts';
import type { IdentifiedPackage } from '../../fleet/identity.ts';
import { findPlaces, type PackagePlace } from '../../fleet/package-places.ts';
import type { HeldPackage, OtherVersions } from '../../model/api/lockhound-api.generated.ts';
import { systemOf } from '../../model/lockfile/ecosystem.ts';
import { chunks } from '../../model/yielding.ts';
import { compareText } from '../../policy/finding-order.ts';
import { reportTo } from '../../store/values/stored-values.ts';
import { schemeOf } from '../../versions/scheme.ts';
import type { OperationContext } from '../context.ts';
import { findHolders, type Holder, type HolderTest, type SelectedPackages } from './holders.ts';
import type { PackageQuery } from './query.ts';

/** Throws `Refusal` (`nothing-stored`, `query-invalid`). `places`: the places by target and lockfile. `limit`: of lockfiles. */
export async function findPackage(context: OperationContext, query: PackageQuery, fits: HolderTest) {
  const { versions, holders, notCompared } = await findHolders(context, query, fits);
  const others =
    holders.length > 0 || query.versions === ''
      ? NO_OTHER_VERSIONS
      : await otherVersions(context, query, { fits, notCompared });
  return {
    versions,
    targets: holders.length,
    lockfiles: holders.reduce((sum, { lockfiles }) => sum + lockfiles.length, 0),
    otherVersions: others,
    similar: versions.length + others.count > 0 ? [] : await similarNames(context, query),
    notCompared,
    places: (limit = Number.POSITIVE_INFINITY) => placesOf(context.fleet, holders, limit),
  };
}

export const NO_OTHER_VERSIONS: OtherVersions = { targets: 0, count: 0, newest: [] };

/** Some names of the fleet that contain the one of the query. */
export async function similarNames(
  { packages }: Pick<OperationContext, 'packages'>,
  query: PackageQuery,
): Promise<readonly string[]> {
  const found = await Promise.all(packages.map((held) => held.similar(query)));
  return [...new Set(found.flat())].sort().slice(0, MAX_SIMILAR);
}

/** Names that are suggested. */
const MAX_SIMILAR = 5;

/** Lockfiles that are read at the same time. */
const PART = 32;
/** Inventories whose places are remembered: targets may share them. */
const KNOWN = 1_000;

type FoundPackage = Omit<HeldPackage, 'target' | 'labels' | 'lockfile'>;
type Reader = (inventory: string, selected: SelectedPackages) => Promise<readonly FoundPackage[]>;

async function* placesOf(
  fleet: FleetStore,
  holders: readonly Holder[],
  limit: number,
): AsyncGenerator<HeldPackage> {
  const read = placeReader(fleet);
  const all = holders.flatMap(({ lockfiles, ...holder }) =>
    lockfiles.map((file) => ({ ...holder, ...file })),
  );
  for (const part of chunks(all.slice(0, limit), PART)) {
    const found = await Promise.all(part.map(({ inventory, selected }) => read(inventory, selected)));
    for (const [index, { target, labels, path: lockfile }] of part.entries()) {
      for (const place of found[index] ?? []) yield { target, labels, lockfile, ...place };
    }
  }
}

/** Reads the packages in an inventory once. One that cannot be read is reported, and has none. */
function placeReader({ onUnreadable }: FleetStore): Reader {
  const known = new LRUCache<string, Promise<readonly FoundPackage[]>>({ max: KNOWN });
  const read: Reader = async (inventory, { store, byId }) => {
    const stored = await store.inventories.compact(inventory).catch(reportTo(onUnreadable));
    if (stored === undefined) return [];
    const places = findPlaces(stored.ids, stored.rest, createIdSet(byId.keys()));
    const names = await namesOf(store, places);
    return places.flatMap((place) => {
      const one = byId.get(place.packageId);
      return one === undefined ? [] : [foundPackage(one, place, names)];
    });
  };
  return (inventory, selected) => {
    const key = `${selected.store.prefix} ${inventory}`;
    const places = known.get(key) ?? read(inventory, selected);
    known.set(key, places);
    return places;
  };
}

/** The identities of all packages on dependency paths. */
async function namesOf(
  { packageIds }: Store,
  places: readonly PackagePlace[],
): Promise<ReadonlyMap<number, string>> {
  const ids = [...new Set(places.flatMap(({ path }) => path.filter((step) => typeof step === 'number')))];
  const found = await packageIds.identities(ids);
  return new Map(ids.flatMap((id, index) => (found[index] === undefined ? [] : [[id, found[index]]])));
}

function foundPackage(
  { ecosystem, name, version, purl }: IdentifiedPackage,
  place: PackagePlace,
  names: ReadonlyMap<number, string>,
): FoundPackage {
  const [outcome, reason] = place.excluded ?? [];
  return {
    ecosystem,
    name,
    version: place.version ?? version,
    purl,
    ...(place.line === undefined ? {} : { line: place.line }),
    ...(place.direct === undefined ? {} : { direct: place.direct }),
    groups: place.groups,
    dependencyPath: place.path.map((step) => (typeof step === 'string' ? step : nameOf(names.get(step)))),
    ...(outcome === undefined ? {} : { outcome, reason: reason ?? '' }),
  };
}

/** `name@version` of an identity. */
function nameOf(identity = ''): string {
  return identity.slice(identity.indexOf(':') + 1);
}

/** Purls that are named. */
const MAX_NAMED = 10;

/**
 * The versions of a package that targets hold, for a query that selects none of them. Those of the ecosystems in `notCompared` are left out:
 * it is not known whether the query selects them. Throws `Refusal` (`query-invalid`).
 */
async function otherVersions(
  context: OperationContext,
  query: PackageQuery,
  { fits, notCompared }: { readonly fits: HolderTest; readonly notCompared: readonly string[] },
): Promise<OtherVersions> {
  const { holders } = await findHolders(context, { ...query, versions: '' }, fits);
  const held = new Map<string, IdentifiedPackage>();
  let targets = 0;
  for (const holder of holders) {
    const own = packagesOf(holder).filter(({ ecosystem }) => !notCompared.includes(ecosystem));
    for (const one of own) held.set(one.purl, one);
    if (own.length > 0) targets += 1;
  }
  const newest = [...held.values()].sort(newestFirst).slice(0, MAX_NAMED);
  return { targets, count: held.size, newest: newest.map(({ purl }) => purl) };
}

/** The selected packages that a target holds, each once. */
export function packagesOf({ lockfiles, selected }: Holder): readonly IdentifiedPackage[] {
  const ids = new Set(lockfiles.flatMap(({ lookedUp, excluded }) => [...lookedUp, ...excluded]));
  return [...ids].flatMap((id) => selected.byId.get(id) ?? []);
}

/** By ecosystem, the newest version first; versions that the ecosystem cannot read last, by text. */
function newestFirst(left: IdentifiedPackage, right: IdentifiedPackage): number {
  return (
    compareText(left.ecosystem, right.ecosystem) ||
    compareVersions(left.ecosystem, right.version, left.version) ||
    compareText(left.purl, right.purl)
  );
}

/** Compares by the order of the ecosystem; versions that it cannot read come first. */
export function compareVersions(ecosystem: string, left: string, right: string): number {
  const system = systemOf(ecosystem);
  if (system === undefined) return compareText(left, right);
  const scheme = schemeOf(system);
  const [isLeft, isRight] = [scheme.isValid(left), scheme.isValid(right)];
  return isLeft && isRight ? scheme.compare(left, right) : Number(isLeft) - Number(isRight);
}
