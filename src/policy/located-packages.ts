import type { Finding, Location } from '../model/scan/finding.ts';
import type { Inventory, ResolvedPackage } from '../model/scan/inventory.ts';
import { inTurns, mapInTurns } from '../model/turns.ts';

/** A package version of the target with every place where it stands. */
export interface LocatedPackage {
  readonly locked: ResolvedPackage;
  /** Direct when it is so in any lockfile. */
  readonly direct: boolean | undefined;
  /** Groups that it is in everywhere. */
  readonly groups: readonly string[];
  /** Computed when asked for: only packages with findings need them. */
  readonly locations: () => readonly Location[];
}

/** Finds the path to a package of a lockfile from what the target asks for itself. */
export type PathFinder = (lockfile: number, id: string) => readonly string[];

/** Places of a package for which the path is given; of the others only the place is. */
const PATHS = 10;

interface Place {
  readonly lockfile: number;
  readonly locked: ResolvedPackage;
}

/** Gathers the packages of all lockfiles by purl, in turns with everything else in the process. */
export async function locatePackages(
  inventory: Inventory,
  pathTo: PathFinder,
): Promise<readonly LocatedPackage[]> {
  const byPurl = new Map<string, Place[]>();
  for (const [lockfile, { packages }] of inventory.lockfiles.entries()) {
    for await (const slice of inTurns(packages)) {
      for (const locked of slice) {
        const places = byPurl.get(locked.purl);
        if (places === undefined) byPurl.set(locked.purl, [{ lockfile, locked }]);
        else places.push({ lockfile, locked });
      }
    }
  }
  return await mapInTurns([...byPurl.values()], (places) => placed(inventory, places, pathTo));
}

function placed({ lockfiles }: Inventory, places: readonly Place[], pathTo: PathFinder): LocatedPackage {
  const all = places.map(({ locked }) => locked);
  let known: readonly Location[] | undefined;
  return {
    locked: best(all),
    direct: all.some(({ direct }) => direct) ? true : all[0]?.direct,
    groups: (all[0]?.groups ?? []).filter((group) => all.every(({ groups }) => groups.includes(group))),
    locations() {
      known ??= places.map(({ lockfile, locked }, index) => ({
        path: lockfiles[lockfile]?.path ?? '',
        ...(locked.line === undefined ? {} : { line: locked.line }),
        dependencyPath: index < PATHS ? pathTo(lockfile, locked.id) : [],
      }));
      return known;
    },
  };
}

/** The package as evidence of a finding. */
export function findingPackage({ locked, direct, groups }: LocatedPackage): Finding['package'] {
  const { ecosystem, name, version, purl } = locked;
  return { ecosystem, name, version, purl, direct, groups };
}

/** One purl, one record: the place whose look-up succeeded speaks for all. */
function best(places: readonly ResolvedPackage[]): ResolvedPackage {
  const found = places.find(({ resolution }) => resolution.record !== undefined) ?? places[0];
  if (found === undefined) throw new RangeError('a package without a place');
  return found;
}
