import type { System, VersionKey } from '../model/lockfile/ecosystem.ts';
import { canonicalName, systemOf } from '../model/lockfile/ecosystem.ts';
import type { ResolvedPackage } from '../model/scan/inventory.ts';
import { schemeOf } from '../versions/scheme.ts';
import type { VersionScheme } from '../versions/version-scheme.ts';
import type { AdviceFacts } from './facts.ts';
import type { Project } from './project.ts';
import { bad, GOOD, type Proof, unknown } from './proof.ts';
import { DECLARING } from './required-graph.ts';

/** Who requires a package, and what it requires. */
export interface Holder {
  readonly kind: 'target' | 'package' | 'pin';
  /** Id of the package, `.` and the folder of the target, or where a pin is stated. */
  readonly by: string;
  /** The folder is empty unless `kind` is `target`. */
  readonly folder: string;
  /** `undefined` when it is not known. */
  readonly requirement: string | undefined;
  /** Whether it needs the version that others get, and can have no other one. */
  readonly isPeer?: boolean | undefined;
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
  return [...pins.map(({ holder }) => holder), ...(await requirersOf(locked, project, facts))];
}

/** The target and the packages that require a locked package, whatever pins replace. */
export async function requirersOf(
  locked: ResolvedPackage,
  project: Project,
  facts: AdviceFacts,
): Promise<readonly Holder[]> {
  const own = (await goHolders(locked, project, facts)) ?? targetHolders(locked, project);
  const others: Holder[] = [];
  for (const dependent of project.dependents.of(locked.id)) {
    others.push(...(await packageHolders(dependent, locked, project, facts)));
  }
  return [...own, ...others];
}

/** More modules than these are not asked which one brings another. */
const MAX_MODULES = 30;

/**
 * The module that brings an indirect one, by what it declares; its own line in go.mod only repeats what is selected. Each such requirement is a
 * lower bound, so that one says it for all. `undefined` where that is not known.
 */
async function goHolders(
  locked: ResolvedPackage,
  project: Project,
  facts: AdviceFacts,
): Promise<readonly Holder[] | undefined> {
  if (locked.ecosystem !== 'golang' || locked.direct !== false || project.hasEdges) return undefined;
  for (const one of project.packages.filter(({ direct }) => direct === true).slice(0, MAX_MODULES)) {
    const key = publicKey(one);
    const [required] = key === undefined ? [] : await declaredRequirements(key, locked, facts);
    if (required !== undefined) return [{ kind: 'package', by: one.id, folder: '', ...required }];
  }
  return undefined;
}

/**
 * The requirements of the target itself. When neither the lockfile nor a manifest states all of that, any package can be required with a
 * requirement that is not known.
 */
function targetHolders({ name, direct }: ResolvedPackage, project: Project): readonly Holder[] {
  if (direct === false && project.hasEdges) return [];
  const stated = direct === true || !project.hasEdges ? project.requirements('', name) : [];
  const isKnown = project.statement.statesDirect && (stated.length > 0 || direct === undefined);
  if (!isKnown) return [{ kind: 'target', by: '.', folder: '', requirement: undefined }];
  return stated.map(({ folder, requirement }) => ({
    kind: 'target',
    by: folder === '' ? '.' : `./${folder}`,
    folder,
    requirement,
  }));
}

type Required = Pick<Holder, 'requirement' | 'isPeer'>;

/** From the lockfile, or else by what the index has of the dependent. */
async function packageHolders(
  dependent: ResolvedPackage,
  locked: ResolvedPackage,
  project: Project,
  facts: AdviceFacts,
): Promise<readonly Holder[]> {
  const stated: readonly Required[] = project.requirements(dependent.id, locked.name);
  const found = stated.length > 0 ? stated : await publishedRequirements(dependent, locked, facts);
  const known = found.length > 0 ? found : [{ requirement: undefined }];
  return known.map(({ requirement, isPeer }: Required) => {
    return { kind: 'package', by: dependent.id, folder: '', requirement, isPeer };
  });
}

/** Returns the requirements that the dependent declares, or else those of the edges of its graph. */
async function publishedRequirements(
  dependent: ResolvedPackage,
  locked: ResolvedPackage,
  facts: AdviceFacts,
): Promise<readonly Required[]> {
  const key = publicKey(dependent);
  const declared = key && (await declaredRequirements(key, locked, facts));
  if (declared !== undefined && declared.length > 0) return declared;
  const search = key === undefined ? undefined : await facts.graph(key);
  if (key === undefined || search?.state !== 'good') return [];
  const { found: graph } = search;
  const name = canonicalName(locked.name, key.system);
  return graph.edges.flatMap(({ from, to, requirement }) => {
    const isWanted = graph.nodes[from]?.relation === 'SELF' && graph.nodes[to]?.versionKey.name === name;
    return isWanted && requirement !== undefined ? [{ requirement }] : [];
  });
}

/** The requirements that a version declares about a package: of several requirements, those that led to the locked version. */
async function declaredRequirements(
  key: VersionKey,
  locked: ResolvedPackage,
  facts: AdviceFacts,
): Promise<readonly Required[]> {
  const { system } = key;
  const isKnown = system === 'NPM' || DECLARING.has(system);
  const declared = isKnown ? await facts.requirements(key) : undefined;
  if (declared?.state !== 'good') return [];
  const scheme = schemeOf(system);
  const name = canonicalName(locked.name, system);
  const own = declared.found.filter((one) => canonicalName(one.name, system) === name);
  const isValid = scheme.isValid(locked.version);
  const fitting = own.filter(
    ({ requirement }) => isValid && scheme.satisfies(locked.version, requirement) === true,
  );
  return fitting.length > 0 ? fitting : own;
}

/** The key of a package that the index has; other names are not sent. */
export function publicKey({ resolution }: Pick<ResolvedPackage, 'resolution'>): VersionKey | undefined {
  return resolution.outcome === 'resolved' ? resolution.record?.versionKey : undefined;
}

/** Whether a holder permits a version. That is unknown of a requirement that is not known, and of one that is no range. */
export function permits({ by, requirement }: Holder, version: string, scheme: VersionScheme): Proof {
  if (requirement === undefined) return unknown(`it is not known which versions ${ownerOf(by)} requires`);
  const isPermitted = scheme.satisfies(version, requirement);
  if (isPermitted === undefined)
    return unknown(`it is not known which versions ${ownerOf(by)} requires by "${requirement}"`);
  return isPermitted ? GOOD : bad(`${ownerOf(by)} requires ${requirement}`);
}

/** A target is named by its folder. */
function ownerOf(by: string): string {
  if (by === '.') return 'the project';
  return by.startsWith('./') ? `the project in ${by.slice(2)}` : by;
}
