import type { ProjectStatement, StatedRequirement } from '../model/advice/project-statement.ts';
import type { System } from '../model/lockfile/ecosystem.ts';
import { canonicalName, systemOf } from '../model/lockfile/ecosystem.ts';
import type { ResolvedPackage } from '../model/scan/inventory.ts';
import { schemeOf } from '../versions/scheme.ts';
import { type Dependents, hasEdges, indexDependents } from './dependents.ts';
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
  /** Where the statement has all requirements of the target, it says which packages are direct if the lockfile does not. */
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
