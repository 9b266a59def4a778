import type { Finding, Location } from '../model/scan/finding.ts';
import type { Inventory, ResolvedPackage } from '../model/scan/inventory.ts';
import { inSlices, mapInSlices } from '../model/yielding.ts';
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
  readonly locations: () => readonly Location[];
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
  return await mapInSlices([...byPurl.values()], (instances) => locatedPackage(inventory, instances, pathTo));
}

function locatedPackage(
  { lockfiles }: Inventory,
  instances: readonly Place[],
  pathTo: PathFinder,
): LocatedPackage {
  let known: readonly Location[] | undefined;
  return {
    ...common(instances),
    locations() {
      known ??= instances.map(({ lockfile, locked }, index) => ({
        path: lockfiles[lockfile]?.path ?? '',
        ...(locked.line === undefined ? {} : { line: locked.line }),
        dependencyPath: index < MAX_PATHS ? pathTo(lockfile, locked.id) : [],
      }));
      return known;
    },
  };
}

/** What is true of a package at all its places. Most packages have one. */
function common(instances: readonly Place[]): Omit<LocatedPackage, 'locations'> {
  const [first, ...others] = instances;
  if (first === undefined) throw new RangeError('a package without an instance');
  const { locked } = first;
  const { direct, groups } = locked;
  if (others.length === 0) {
    return { locked, direct, groups, isForDevelopment: isOnlyIn(groups, DEVELOPMENT_GROUPS) };
  }
  const all = instances.map((one) => one.locked);
  return {
    // All instances of a purl share the record of the one whose look-up succeeded.
    locked: all.find(({ resolution }) => resolution.record !== undefined) ?? locked,
    direct: all.some((one) => one.direct) ? true : direct,
    groups: groups.filter((group) => all.every((one) => one.groups.includes(group))),
    isForDevelopment: all.every((one) => isOnlyIn(one.groups, DEVELOPMENT_GROUPS)),
  };
}

/** The package as evidence of a finding. */
export function findingPackage({ locked, direct, groups }: LocatedPackage): Finding['package'] {
  const { ecosystem, name, version, purl } = locked;
  return { ecosystem, name, version, purl, direct, groups };
}
