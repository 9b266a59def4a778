import type { ResolvedPackage } from '../model/scan/inventory.ts';

/** Who depends on whom in a lockfile. */
export interface Dependents {
  find(id: string): ResolvedPackage | undefined;
  /** Packages that depend on a package directly. */
  of(id: string): readonly ResolvedPackage[];
  /**
   * Direct dependencies of the target from which a package is reached, itself included when it is one. What a package finds beside itself because
   * the target requires it is not reached from that package.
   */
  directsTo(id: string): readonly ResolvedPackage[];
  /** Packages on any way from one package down to another, both included. */
  between(from: string, to: string): readonly ResolvedPackage[];
}

/** Whether the format of the lockfile has edges. */
export function hasEdges(packages: readonly ResolvedPackage[]): boolean {
  return packages.some(({ dependencies }) => dependencies !== undefined);
}

/** `isPeer`: whether a package requires another one as a peer. */
export function indexDependents(
  packages: readonly ResolvedPackage[],
  isPeer: (by: string, name: string) => boolean,
): Dependents {
  const byId = new Map(packages.map((one) => [one.id, one]));
  const dependents = new Map<string, ResolvedPackage[]>();
  for (const one of packages) {
    for (const id of new Set(one.dependencies)) {
      const known = dependents.get(id);
      if (known === undefined) dependents.set(id, [one]);
      else known.push(one);
    }
  }
  const brings = (by: string, { name, direct }: ResolvedPackage) => direct !== true || !isPeer(by, name);
  const above = (start: string) =>
    closure(start, (id) => {
      const one = byId.get(id);
      return (dependents.get(id) ?? []).flatMap((by) => (one && brings(by.id, one) ? by.id : []));
    });
  const found = (ids: Iterable<string>) => [...ids].flatMap((id) => byId.get(id) ?? []);
  return {
    find: (id) => byId.get(id),
    of: (id) => dependents.get(id) ?? [],
    directsTo: (id) => found(above(id)).filter(({ direct }) => direct === true),
    between(from, to) {
      const below = closure(from, (by) =>
        found(byId.get(by)?.dependencies ?? []).flatMap((one) => (brings(by, one) ? one.id : [])),
      );
      return found([...above(to)].filter((id) => below.has(id)));
    },
  };
}

/** Everything that is reached from an id, itself included. */
function closure(start: string, next: (id: string) => readonly string[]): ReadonlySet<string> {
  const reached = new Set([start]);
  for (const id of reached) for (const other of next(id)) reached.add(other);
  return reached;
}
