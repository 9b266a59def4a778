import type { Finding, Location } from '../model/scan/finding.ts';
import type { Inventory, ResolvedPackage } from '../model/scan/inventory.ts';
import { inSlices } from '../model/yielding.ts';
import { DEVELOPMENT_GROUPS, isOnlyIn } from './group-filter.ts';

/** A package version of the target with all its locations. */
export interface LocatedPackage {
  readonly locked: ResolvedPackage;
  /** True when it is a direct dependency in any lockfile. */
  readonly direct: boolean | undefined;
  /** Groups that it is in at all locations. */
  readonly groups: readonly string[];
  /** Whether every location is for development and tests alone. */
  readonly isForDevelopment: boolean;
  /** Computed on demand: only packages with findings need them. */
  locations(): readonly Location[];
}

/** Finds the path from a direct dependency to a package of a lockfile. */
export type PathFinder = (lockfile: number, id: string) => readonly string[];

/** Locations of a package that have a dependency path. */
const MAX_PATHS = 10;

interface Place {
  readonly lockfile: number;
  readonly locked: ResolvedPackage;
}

/** Groups the packages of all lockfiles by purl; yields to the event loop. */
export async function locatePackages(
  inventory: Inventory,
  pathTo: PathFinder,
): Promise<readonly LocatedPackage[]> {
  const byPurl = new Map<string, Place[]>();
  for (const [lockfile, { packages }] of inventory.lockfiles.entries()) {
    for await (const slice of inSlices(packages)) {
      for (const locked of slice) {
        const instances = byPurl.get(locked.purl);
        if (instances === undefined) byPurl.set(locked.purl, [{ lockfile, locked }]);
        else instances.push({ lockfile, locked });
      }
    }
  }
  const located: LocatedPackage[] = [];
  for await (const slice of inSlices([...byPurl.values()])) {
    for (const places of slice) located.push(new PackageAtPlaces(inventory, places, pathTo));
  }
  return located;
}

/** A class, because most packages have no findings: a function for each would take more memory than the rest. */
class PackageAtPlaces implements LocatedPackage {
  readonly locked: ResolvedPackage;
  readonly direct: boolean | undefined;
  readonly groups: readonly string[];
  readonly isForDevelopment: boolean;
  readonly #places: readonly Place[];
  readonly #inventory: Inventory;
  readonly #pathTo: PathFinder;
  #locations: readonly Location[] | undefined;

  constructor(inventory: Inventory, places: readonly Place[], pathTo: PathFinder) {
    const first = places[0];
    if (first === undefined) throw new RangeError('a package without a place');
    this.#inventory = inventory;
    this.#places = places;
    this.#pathTo = pathTo;
    const { locked } = first;
    const { direct, groups } = locked;
    // Most packages have one place.
    if (places.length === 1) {
      this.locked = locked;
      this.direct = direct;
      this.groups = groups;
      this.isForDevelopment = isOnlyIn(groups, DEVELOPMENT_GROUPS);
      return;
    }
    const all = places.map((one) => one.locked);
    // All instances of a purl share the record of the one whose look-up succeeded.
    this.locked = all.find(({ resolution }) => resolution.record !== undefined) ?? locked;
    this.direct = all.some((one) => one.direct) ? true : direct;
    this.groups = groups.filter((group) => all.every((one) => one.groups.includes(group)));
    this.isForDevelopment = all.every((one) => isOnlyIn(one.groups, DEVELOPMENT_GROUPS));
  }

  locations(): readonly Location[] {
    const { lockfiles } = this.#inventory;
    this.#locations ??= this.#places.map(({ lockfile, locked }, index) => ({
      path: lockfiles[lockfile]?.path ?? '',
      ...(locked.line === undefined ? {} : { line: locked.line }),
      dependencyPath: index < MAX_PATHS ? this.#pathTo(lockfile, locked.id) : [],
    }));
    return this.#locations;
  }
}

/** The package as evidence of a finding. */
export function findingPackage({ locked, direct, groups }: LocatedPackage): Finding['package'] {
  const { ecosystem, name, version, purl } = locked;
  return { ecosystem, name, version, purl, direct, groups };
}
