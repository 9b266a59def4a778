import { CodedError, messageOf } from '../model/errors.ts';
import type { DependencyGraph } from '../model/lockfile/dependency-graph.ts';
import type { System, VersionKey } from '../model/lockfile/ecosystem.ts';
import { canonicalName } from '../model/lockfile/ecosystem.ts';
import type { ResolvedPackage } from '../model/scan/inventory.ts';
import type { DeclaredRequirement } from '../model/signal/release-facts.ts';
import { schemeOf } from '../versions/scheme.ts';
import { openCandidates, waitsUntil } from './candidates.ts';
import type { AdviceFacts } from './facts.ts';
import type { Project } from './project.ts';
import { type Search, unknown } from './proof.ts';

/** Systems whose declared requirements are looked up. */
export const DECLARING: ReadonlySet<System> = new Set<System>(['CARGO', 'GO', 'PYPI']);

/** More packages than these are not followed: a resolved graph says it with one request. */
const MAX_PACKAGES = 12;

/** The question about another version in place of a locked one. */
export interface RequiredQuestion {
  readonly affected: ResolvedPackage;
  readonly project: Project;
  readonly facts: AdviceFacts;
  /** ms since 1970. */
  readonly now: number;
}

type Node = DependencyGraph['nodes'][number];
type Edge = DependencyGraph['edges'][number];

/**
 * The graph that a lockfile gets with a version of one of its packages, by what versions declare: packages that are still permitted stay
 * locked, unless they bring the affected one; others get the highest version that is permitted (of Go: the one that is required). Of the
 * affected package, a manager that takes a given version gets the smallest good one. Not known for other systems and where more than a few
 * packages change.
 */
export async function requiredGraph(
  key: VersionKey,
  question: RequiredQuestion,
): Promise<Search<DependencyGraph>> {
  const { system } = key;
  if (!DECLARING.has(system)) return unknown(`requirements of ${key.name} are not looked up`);
  const nodes: Node[] = [{ versionKey: key, relation: 'SELF' }];
  const edges: Edge[] = [];
  const own = canonicalName(question.affected.name, system);
  const stays = stayingIn(key, own, question);
  for (const [from, { versionKey }] of nodes.entries()) {
    if (from > 0 && versionKey.name === own) continue;
    if (from >= MAX_PACKAGES) return unknown(`${key.name} ${key.version} changes too many packages`);
    const declared = await question.facts.requirements(versionKey);
    if (declared.state !== 'good') return declared;
    for (const one of declared.found) {
      const name = canonicalName(one.name, system);
      if (stays(name, one)) continue;
      const selected = await lockedVersion({ system, name }, one, question);
      if (selected.state !== 'good') return selected;
      const to = indexOf(
        nodes,
        { system, name, version: selected.found },
        from === 0 ? 'DIRECT' : 'INDIRECT',
      );
      edges.push({ from, to, requirement: one.requirement });
    }
  }
  return { state: 'good', found: { nodes, edges, errors: [] } };
}

/** The index of a version, which is added when it is new. */
function indexOf(nodes: Node[], versionKey: VersionKey, relation: Node['relation']): number {
  const { name, version } = versionKey;
  const known = nodes.findIndex(
    (node) => node.versionKey.name === name && node.versionKey.version === version,
  );
  return known >= 0 ? known : nodes.push({ versionKey, relation }) - 1;
}

/**
 * Whether a requirement changes nothing: a locked version fits, which does not bring the affected package, or the requirement may not apply and nothing
 * of that name is locked.
 */
function stayingIn(key: VersionKey, own: string, question: RequiredQuestion) {
  const bringing = new Set([own, ...namesBetween(key, question)]);
  const isLocked = lockedIn(question.project, key.system);
  return (name: string, { requirement, isConditional }: DeclaredRequirement): boolean => {
    if (isConditional && !isLocked(name)) return true;
    return !bringing.has(name) && isLocked(name, requirement);
  };
}

/** The version that is locked for a requirement, by name as the index has it. */
async function lockedVersion(
  key: Pick<VersionKey, 'system' | 'name'>,
  one: DeclaredRequirement,
  question: RequiredQuestion,
): Promise<Search<string>> {
  const isAffected = key.name === canonicalName(question.affected.name, key.system);
  try {
    return await (isAffected
      ? affectedVersion(key.system, one, question)
      : selectedVersion(key, one, question));
  } catch (error) {
    // A name that is not sent: it is private here.
    if (error instanceof CodedError && error.code === 'invalid') return unknown(messageOf(error));
    throw error;
  }
}

/** Names of the locked packages through which the package brings the affected one. */
function namesBetween(
  { system, name }: VersionKey,
  { affected, project }: RequiredQuestion,
): readonly string[] {
  const roots = project.packages.filter((one) => canonicalName(one.name, system) === name);
  const between = roots.flatMap(({ id }) => project.dependents.between(id, affected.id));
  return between.map((one) => canonicalName(one.name, system)).filter((one) => one !== name);
}

/** Whether a package is locked, in a version that a requirement permits. */
function lockedIn(project: Project, system: System) {
  const byName = Map.groupBy(project.packages, (one) => canonicalName(one.name, system));
  const scheme = schemeOf(system);
  return (name: string, requirement?: string): boolean =>
    byName
      .get(name)
      ?.some(
        ({ version }) =>
          requirement === undefined ||
          (scheme.isValid(version) && scheme.satisfies(version, requirement) === true),
      ) === true;
}

/** The version of the affected package that is locked for a requirement. */
async function affectedVersion(
  system: System,
  one: DeclaredRequirement,
  question: RequiredQuestion,
): Promise<Search<string>> {
  const { affected, project, facts } = question;
  const key = { system, name: canonicalName(affected.name, system), version: affected.version };
  const scheme = schemeOf(system);
  const staysLocked = scheme.isValid(key.version) && scheme.satisfies(key.version, one.requirement) === true;
  if (!staysLocked || project.manager.relocks !== 'exactly') return await selectedVersion(key, one, question);
  const opened = await openCandidates(facts, key);
  if (opened.state !== 'good') return opened;
  const { later, firstGood } = opened.found;
  const usable = later.filter(
    (release) =>
      scheme.satisfies(release.version, one.requirement) === true && !isWaiting(key.name, release, question),
  );
  const good = await firstGood(usable);
  if (good.state === 'unknown') return good;
  return { state: 'good', found: good.state === 'good' ? good.found.version : key.version };
}

/** The version that a package manager selects for a requirement. */
async function selectedVersion(
  { system, name }: Pick<VersionKey, 'system' | 'name'>,
  { requirement }: DeclaredRequirement,
  question: RequiredQuestion,
): Promise<Search<string>> {
  // Go selects the highest of all that are required, and no later one.
  if (system === 'GO') return { state: 'good', found: requirement };
  const scheme = schemeOf(system);
  const published = await question.facts.versions({ system, name });
  if (published === undefined || published.isPartial === true)
    return unknown(`not all versions of ${name} are known`);
  const permitted = published.versions
    .filter(
      (one) =>
        !one.isDeprecated &&
        scheme.isValid(one.version) &&
        !scheme.isPrerelease(one.version) &&
        scheme.satisfies(one.version, requirement) === true &&
        !isWaiting(name, one, question),
    )
    .map(({ version }) => version)
    .sort(scheme.compare);
  const found = permitted.at(-1);
  return found === undefined
    ? unknown(`no known version of ${name} fits ${requirement}`)
    : { state: 'good', found };
}

function isWaiting(
  name: string,
  release: { readonly version: string; readonly publishedAt?: string },
  { project, now }: RequiredQuestion,
): boolean {
  return waitsUntil(name, release, project.statement.cooldown, now) !== undefined;
}
