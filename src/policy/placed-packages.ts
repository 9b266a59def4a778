import type { Location } from '../model/finding.ts';
import type { Inventory, ResolvedPackage } from '../model/inventory.ts';

/** A package version of the target with every place where it stands. */
export interface PlacedPackage {
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

/** Gathers the packages of all lockfiles by purl. */
export function placedPackages(inventory: Inventory, pathTo: PathFinder): readonly PlacedPackage[] {
  const byPurl = new Map<string, { readonly lockfile: number; readonly locked: ResolvedPackage }[]>();
  for (const [lockfile, { packages }] of inventory.lockfiles.entries()) {
    for (const locked of packages) {
      const places = byPurl.get(locked.purl);
      if (places === undefined) byPurl.set(locked.purl, [{ lockfile, locked }]);
      else places.push({ lockfile, locked });
    }
  }
  return Array.from(byPurl.values(), (places) => {
    const all = places.map(({ locked }) => locked);
    return {
      locked: best(all),
      direct: all.some(({ direct }) => direct) ? true : all[0]?.direct,
      groups: (all[0]?.groups ?? []).filter((group) => all.every(({ groups }) => groups.includes(group))),
      locations: () =>
        places.map(({ lockfile, locked }) => ({
          path: inventory.lockfiles[lockfile]?.path ?? '',
          ...(locked.line === undefined ? {} : { line: locked.line }),
          dependencyPath: pathTo(lockfile, locked.id),
        })),
    };
  });
}

/** One purl, one record: the place whose look-up succeeded speaks for all. */
function best(places: readonly ResolvedPackage[]): ResolvedPackage {
  const found = places.find(({ resolution }) => resolution.record !== undefined) ?? places[0];
  if (found === undefined) throw new RangeError('a package without a place');
  return found;
}
