import type { ProjectStatement, StatedRequirement } from '../model/advice/project-statement.ts';
import { canonicalName, type System, systemOf } from '../model/lockfile/ecosystem.ts';
import type { ResolvedPackage } from '../model/scan/inventory.ts';
import { schemeOf } from '../versions/scheme.ts';
import { managerOf } from './managers/catalog.ts';
import type { Manager } from './managers/manager.ts';

/** A lockfile of a scan, with what it and the files beside it state. */
export interface AdvisedLockfile {
  readonly path: string;
  readonly format: string;
  readonly packages: readonly ResolvedPackage[];
  readonly statement: ProjectStatement;
  /** False where only some of its packages are known. Default: true. */
  readonly isWhole?: boolean;
}

/** A lockfile, prepared for questions about its packages. */
export interface Project {
  readonly path: string;
  /** The packages. When the statement has all requirements of the target, it says which of them are direct if the lockfile does not. */
  readonly packages: readonly ResolvedPackage[];
  readonly statement: ProjectStatement;
  readonly manager: Manager;
  readonly isWhole: boolean;
  readonly hasEdges: boolean;
  readonly dependents: Dependents;
  /** Requirements of a package (or of the target, `''`) on a name. */
  requirements(by: string, name: string): readonly StatedRequirement[];
  /** Locked packages of a name, as the lockfile spells it. */
  named(name: string): readonly ResolvedPackage[];
}

export function openProject(lockfile: AdvisedLockfile): Project {
  const { path, statement } = lockfile;
  // A lockfile with requirements is of one ecosystem.
  const system = systemOf(lockfile.packages[0]?.ecosystem ?? '');
  const spelled = (name: string) => (system === undefined ? name : canonicalName(name, system));
  const stated = Map.groupBy(statement.requirements, ({ by, name }) => `${by}\n${spelled(name)}`);
  const requirements = (by: string, name: string) => stated.get(`${by}\n${spelled(name)}`) ?? [];
  const packages = lockfile.packages.map((one) => {
    if (one.direct !== undefined || !statement.statesDirect || system === undefined) return one;
    const own = requirements('', one.name);
    return { ...one, direct: own.some(({ requirement }) => isPermitted(one.version, requirement, system)) };
  });
  const byName = Map.groupBy(packages, ({ name }) => name);
  return {
    path,
    packages,
    statement,
    manager: managerOf(lockfile),
    isWhole: lockfile.isWhole ?? true,
    hasEdges: hasEdges(packages),
    dependents: indexDependents(packages, (by, name) =>
      requirements(by, name).some(({ isPeer }) => isPeer === true),
    ),
    requirements,
    named: (name) => byName.get(name) ?? [],
  };
}

function isPermitted(version: string, requirement: string, system: System): boolean {
  const scheme = schemeOf(system);
  return scheme.isValid(version) && scheme.satisfies(version, requirement) !== false;
}

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
function indexDependents(
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
      const ways = above(to);
      if (!ways.has(from)) return [];
      const below = closure(from, (by) =>
        found(byId.get(by)?.dependencies ?? []).flatMap((one) =>
          ways.has(one.id) && brings(by, one) ? one.id : [],
        ),
      );
      return found([...ways].filter((id) => below.has(id)));
    },
  };
}

/** Everything that is reached from an id, itself included. */
function closure(start: string, next: (id: string) => readonly string[]): ReadonlySet<string> {
  const reached = new Set([start]);
  for (const id of reached) for (const other of next(id)) reached.add(other);
  return reached;
}
