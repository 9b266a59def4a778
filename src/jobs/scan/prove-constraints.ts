import type { AdviceFacts } from '../../advice/facts.ts';
import { type Holder, permits, publicKey, requirersOf } from '../../advice/holders.ts';
import type { Project } from '../../advice/project.ts';
import { canonicalName } from '../../model/lockfile/ecosystem.ts';
import type { PublishedVersion } from '../../model/ports/insights.ts';
import type { Exception, LockfileProof } from '../../model/scan/exception.ts';
import type { ResolvedPackage } from '../../model/scan/inventory.ts';
import type { Requirement } from '../../model/signal/release-facts.ts';
import { needed, removable, unproven } from '../../policy/exceptions/evidence.ts';
import { schemeOf } from '../../versions/scheme.ts';

const pypi = schemeOf('PYPI');

interface Look {
  readonly project: Project;
  readonly facts: AdviceFacts;
  /** Whether a release is old enough to be selected. */
  isAged(name: string, version: PublishedVersion): boolean;
}

/**
 * Proves a constraint or an override of uv or pip, whose package is locked in one version: by what requires it, and by its releases. `others`: the
 * other entries about the package. Throws what `AdviceFacts` throws.
 */
export async function proveConstraint(
  { kind, package: name = '', value = '' }: Exception,
  others: readonly Exception[],
  locked: ResolvedPackage,
  look: Look,
): Promise<LockfileProof> {
  if (others.some((one) => one.kind === 'override')) return unproven(`another entry decides about ${name}`);
  if (pypi.satisfies(locked.version, value) !== true)
    return unproven(`the locked version of ${name} is not the one that it asks for`);
  const entries = others.map((one): Holder => {
    return { kind: 'pin', by: one.path, folder: '', requirement: one.value };
  });
  const holders = [...entries, ...(await requirersOf(locked, look.project, look.facts))];
  const proofs = holders.map((one) => permits(one, locked.version, pypi));
  const open = proofs.find(({ state }) => state === 'unknown');
  if (open !== undefined && 'reason' in open) return unproven(open.reason);
  const against = proofs.find(({ state }) => state === 'bad');
  if (against !== undefined && 'reason' in against) {
    const what = `${against.reason.replace(/ requires /, ` requires ${name} `)}, and ${locked.version} is locked`;
    return kind === 'override' ? needed(what) : unproven(what);
  }
  const newest = await newestFor(locked, holders, look);
  if (newest === undefined) return unproven(`the releases of ${name} are not known`);
  if (pypi.satisfies(newest, value) !== true)
    return needed(`it holds off ${name} ${newest}, which ${holders[0]?.by ?? 'the project'} permits`);
  return (
    (await heldDependent(name, newest, holders, look)) ??
    removable(`all ${holders.length} requirements of ${name} permit ${newest}, and it does, too`)
  );
}

/** Proves a constraint of a package that is not locked: without it, a newer release of another package may come, which requires it. */
export async function proveAbsent({ package: name = '' }: Exception, look: Look): Promise<LockfileProof> {
  for (const one of look.project.packages) {
    const newer = await newerRelease(one, look);
    if (typeof newer === 'string') return unproven(newer);
    if (requirementsOn(name, newer?.declared).length > 0)
      return unproven(`${one.name} ${newer?.version}, which is not locked, requires ${name}`);
  }
  return removable(`${look.project.path} has no package ${name}, and none that is selected requires it`);
}

/** Returns the newest release of a package with its requirements; `undefined` where that release is locked. A text says why it is not known. */
async function newerRelease(one: ResolvedPackage, look: Look) {
  const key = publicKey(one);
  const version = await newestFor(one, await requirersOf(one, look.project, look.facts), look);
  if (key === undefined || version === undefined) return `the releases of ${one.name} are not known`;
  if (pypi.compare(version, one.version) <= 0) return undefined;
  const declared = await look.facts.requirements({ ...key, version });
  return declared.state === 'good' ? { version, declared: declared.found } : declared.reason;
}

/** The newest release that all requirements permit; `undefined` where that is not known. */
async function newestFor(
  locked: ResolvedPackage,
  holders: readonly Holder[],
  { facts, isAged }: Look,
): Promise<string | undefined> {
  const key = publicKey(locked);
  const list = key === undefined ? undefined : await facts.versions(key);
  if (list === undefined || list.isPartial === true) return undefined;
  return list.versions
    .filter((one) => !one.isDeprecated && isAged(locked.name, one) && isRelease(one.version))
    .map(({ version }) => version)
    .filter((version) => holders.every((one) => permits(one, version, pypi).state === 'good'))
    .sort(pypi.compare)
    .at(-1);
}

/** Whether a newer release of a dependent may be kept back, because it does not permit the version that is selected. */
async function heldDependent(
  name: string,
  version: string,
  holders: readonly Holder[],
  look: Look,
): Promise<LockfileProof | undefined> {
  for (const { kind, by } of holders) {
    const one = kind === 'package' ? look.project.dependents.find(by) : undefined;
    const newer = one && (await newerRelease(one, look));
    if (typeof newer === 'string') return unproven(newer);
    const own = requirementsOn(name, newer?.declared).find(
      ({ requirement }) => pypi.satisfies(version, requirement) !== true,
    );
    if (own !== undefined)
      return unproven(
        `${one?.name} ${newer?.version}, which is not locked, requires ${name} ${own.requirement}`,
      );
  }
  return undefined;
}

function requirementsOn(name: string, declared: readonly Requirement[] = []): readonly Requirement[] {
  const wanted = canonicalName(name, 'PYPI');
  return declared.filter((one) => canonicalName(one.name, 'PYPI') === wanted);
}

function isRelease(version: string): boolean {
  return pypi.isValid(version) && !pypi.isPrerelease(version);
}
