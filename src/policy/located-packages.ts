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

/** Groups the packages of all lockfiles by purl, apart from those that are not looked up; yields to the event loop. */
export async function locatePackages(
  inventory: Inventory,
  pathTo: PathFinder,
): Promise<readonly LocatedPackage[]> {
  const byPurl = new Map<string, PackageAtPlaces>();
  for (const [lockfile, { packages }] of inventory.lockfiles.entries()) {
    for await (const slice of inSlices(packages)) {
      for (const locked of slice) {
        const key = keyOf(locked);
        const known = byPurl.get(key);
        if (known === undefined) {
          byPurl.set(key, new PackageAtPlaces(inventory, pathTo, lockfile, locked));
        } else known.add(lockfile, locked);
      }
    }
  }
  return [...byPurl.values()];
}

function keyOf(locked: ResolvedPackage): string {
  return isNotLookedUp(locked) ? `${locked.purl} ${locked.resolution.outcome}` : locked.purl;
}

/** Says whether a package is not looked up. The facts about a public package do not apply to one of the same name from another source. */
export function isNotLookedUp({ resolution: { outcome } }: ResolvedPackage): boolean {
  return outcome === 'private' || outcome === 'unsupported';
}

interface Place {
  readonly lockfile: number;
  readonly locked: ResolvedPackage;
}

/** A class, because most packages have no findings: a function for each would take more memory than the rest. */
class PackageAtPlaces implements LocatedPackage {
  locked: ResolvedPackage;
  direct: boolean | undefined;
  groups: readonly string[];
  isForDevelopment: boolean;
  readonly #inventory: Inventory;
  readonly #pathTo: PathFinder;
  readonly #places: Place[];
  #locations: readonly Location[] | undefined;

  constructor(inventory: Inventory, pathTo: PathFinder, lockfile: number, locked: ResolvedPackage) {
    this.#inventory = inventory;
    this.#pathTo = pathTo;
    this.#places = [{ lockfile, locked }];
    this.locked = locked;
    this.direct = locked.direct;
    this.groups = locked.groups;
    this.isForDevelopment = isOnlyIn(locked.groups, DEVELOPMENT_GROUPS);
  }

  /** Adds another place. */
  add(lockfile: number, locked: ResolvedPackage): void {
    this.#places.push({ lockfile, locked });
    // All instances of a purl share the record of the one whose look-up succeeded.
    if (this.locked.resolution.record === undefined && locked.resolution.record !== undefined) {
      this.locked = locked;
    }
    this.direct = locked.direct ? true : this.direct;
    this.groups = this.groups.filter((group) => locked.groups.includes(group));
    this.isForDevelopment &&= isOnlyIn(locked.groups, DEVELOPMENT_GROUPS);
  }

  locations(): readonly Location[] {
    this.#locations ??= this.#places.map(({ lockfile, locked }, index) => ({
      path: this.#inventory.lockfiles[lockfile]?.path ?? '',
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
