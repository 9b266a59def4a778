import { systemOf } from '../model/lockfile/ecosystem.ts';
import { canonicalName } from '../model/lockfile/spelling.ts';
import type { System, VersionKey } from '../model/lockfile/version-key.ts';
import type { ResolvedPackage } from '../model/scan/inventory.ts';
import type { VersionScheme } from '../versions/version-scheme.ts';
import type { AdviceFacts } from './facts.ts';
import type { Project } from './project.ts';

/** Who requires a package, and what it requires. */
export interface Holder {
  readonly kind: 'target' | 'package' | 'pin';
  /** Id of the package, `.` and the folder of the target, or where a pin is stated. */
  readonly by: string;
  /** Only of `target`. */
  readonly folder: string;
  /** `undefined` when it is not known. */
  readonly requirement: string | undefined;
}

/** Everything that requires a locked package. A pin of the project replaces the requirements of all dependents. */
export async function holdersOf(
  locked: ResolvedPackage,
  project: Project,
  facts: AdviceFacts,
): Promise<readonly Holder[]> {
  const system = systemOf(locked.ecosystem) as System;
  const name = canonicalName(locked.name, system);
  const pins = project.statement.pins
    .filter((pin) => canonicalName(pin.name, system) === name)
    .map(({ where, requirement, everywhere }) => ({
      everywhere,
      holder: { kind: 'pin', by: where, folder: '', requirement } satisfies Holder,
    }));
  const everywhere = pins.filter((pin) => pin.everywhere);
  if (everywhere.length > 0) return everywhere.map(({ holder }) => holder);
  const own = locked.direct === true || !project.hasEdges ? targetHolders(locked, project) : [];
  const others: Holder[] = [];
  for (const dependent of project.dependents.of(locked.id)) {
    others.push(...(await packageHolders(dependent, locked, project, facts)));
  }
  return [...pins.map(({ holder }) => holder), ...own, ...others];
}

function targetHolders(locked: ResolvedPackage, project: Project): readonly Holder[] {
  const stated = project.requirements('', locked.name);
  if (stated.length === 0 || !project.statement.statesDirect) {
    return [{ kind: 'target', by: '.', folder: '', requirement: undefined }];
  }
  return stated.map(({ folder, requirement }) => ({
    kind: 'target',
    by: folder === '' ? '.' : `./${folder}`,
    folder,
    requirement,
  }));
}

/** From the lockfile, or else from the graph of the dependent, whose edges state requirements. */
async function packageHolders(
  dependent: ResolvedPackage,
  locked: ResolvedPackage,
  project: Project,
  facts: AdviceFacts,
): Promise<readonly Holder[]> {
  const system = systemOf(locked.ecosystem) as System;
  const stated = project.requirements(dependent.id, locked.name).map(({ requirement }) => requirement);
  const known = stated.length > 0 ? stated : await publishedRequirements(dependent, locked, system, facts);
  const holder = { kind: 'package', by: dependent.id, folder: '' } as const;
  if (known.length === 0) return [{ ...holder, requirement: undefined }];
  return known.map((requirement) => ({ ...holder, requirement }));
}

async function publishedRequirements(
  dependent: ResolvedPackage,
  locked: ResolvedPackage,
  system: System,
  facts: AdviceFacts,
): Promise<readonly string[]> {
  const key = publicKey(dependent);
  const graph = key === undefined ? undefined : await facts.graph(key);
  if (graph === undefined) return [];
  const name = canonicalName(locked.name, system);
  return graph.edges.flatMap(({ from, to, requirement }) => {
    const isWanted = graph.nodes[from]?.relation === 'SELF' && graph.nodes[to]?.versionKey.name === name;
    return isWanted && requirement !== undefined ? [requirement] : [];
  });
}

/** The key of a package that the index has; other names are not sent. */
export function publicKey({ resolution }: Pick<ResolvedPackage, 'resolution'>): VersionKey | undefined {
  return resolution.outcome === 'resolved' ? resolution.record?.versionKey : undefined;
}

/** Whether a holder permits a version. A requirement that is not known, or no range, permits nothing. */
export function permits({ requirement }: Holder, version: string, scheme: VersionScheme): boolean {
  return requirement !== undefined && scheme.satisfies(version, requirement) === true;
}
