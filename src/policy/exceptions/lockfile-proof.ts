import intersects from 'semver/ranges/intersects.js';
import subset from 'semver/ranges/subset.js';
import validRange from 'semver/ranges/valid.js';
import type { StatedRequirement } from '../../model/advice/project-statement.ts';
import type { PublishedVersion } from '../../model/ports/insights.ts';
import { type Exception, type LockfileProof, SELECTOR_SEPARATOR } from '../../model/scan/exception.ts';
import { npm } from '../../versions/scheme.ts';
import {
  type LockedPackage,
  type LockfileEvidence,
  needed,
  newest,
  removable,
  unproven,
} from './evidence.ts';
import { OTHER_PROOFS } from './other-proof.ts';

/** A requirement with the version that its dependent has; `undefined` where that is not known. */
interface Held extends StatedRequirement {
  readonly version: string | undefined;
}

/** Later than any version: a requirement that permits it has no upper bound. */
const ENDLESS = '999999.0.0';
/** Longer values may have been cut off. */
const MAX_VALUE = 299;
/** Longer requirements are not compared with an override: the time grows with the product of their parts. */
const MAX_RANGE = 500;

/** The settings that a package manager for JavaScript reads, by the format of its lockfile. */
const READ_SETTINGS: ReadonlyMap<string, RegExp> = new Map([
  ['npm-package-lock', /package\.json overrides$/],
  ['yarn-lock', /package\.json resolutions$/],
  ['pnpm-lock', /package\.json (?:pnpm\.overrides|resolutions)$|pnpm-workspace\.yaml overrides$/],
]);

/** Whether the manager that writes lockfiles of a format reads an override. */
function isRead(format: string, { path, setting }: Exception): boolean {
  return READ_SETTINGS.get(format)?.test(`${path} ${setting}`) !== false;
}

/**
 * Returns what a lockfile proves about exceptions beside it: that it stays as it is without the exception, or that it would change. It proves
 * nothing (`undefined`) about most kinds. `all`: the exceptions beside it.
 */
export function lockfileProver(
  lockfile: LockfileEvidence,
  all: readonly Exception[],
): (exception: Exception) => LockfileProof | undefined {
  const { path, packages, text, others, statement } = lockfile;
  // With one lockfile for each member of a pnpm workspace, the exceptions of its root are about all of them.
  const isWhole =
    lockfile.isWhole && !others.some((one) => /shared-?workspace-?lockfile"?\s*[:=]\s*false/i.test(one));
  const byName = Map.groupBy(packages, ({ ecosystem, name }) => nameIn(ecosystem, name));
  const byId = new Map(packages.map((one) => [`${one.name}@${one.version}`, one]));
  const required = Map.groupBy(statement?.requirements ?? [], ({ name }) => name);
  const read = all.filter((one) => one.kind === 'override' && isRead(lockfile.format, one));
  const overrides = Map.groupBy(read, (one) => one.package);
  // pnpm locks with its overrides in the place of requirements.
  const replaced = statement?.overrides;
  const hasHooks = /^(?:pnpmfile|packageExtensions)Checksum:/m.test(text);
  // Yarn 2 and later lock by requirement. pnpm 11 and later lock all anew when an override ends; an older one may be named.
  const isOldPnpm = others.some((one) => /"packageManager"\s*:\s*"pnpm@(?:\d|10)\./.test(one));
  const isBerry = /^__metadata:/m.test(text);
  const selectsAnew = replaced === undefined ? isBerry : !isOldPnpm;
  let names: ReadonlySet<string> | undefined;
  // A member of a workspace, which may have no place in the lockfile, may be the parent that a selector names.
  const hasMembers = others.some((one) => /^packages:|"workspaces"/m.test(one));

  return (exception) => {
    const { kind, ecosystem = '', package: name = '' } = exception;
    const locked = byName.get(nameIn(ecosystem, name)) ?? [];
    const isNpm = ecosystem === 'npm';
    if (isNpm) names ??= new Set([...namesIn(text), ...others.flatMap(ownNames)]);
    // A pattern names no package of its own.
    const isGone = isWhole && locked.length === 0 && !name.includes('*') && names?.has(name) !== true;
    const absence = isGone ? removable(`${path} has no package ${name}`) : undefined;
    const prove = OTHER_PROOFS.get(kind);
    if (prove === undefined) return overrideProof(exception, locked, absence);
    const own = { ...lockfile, isWhole };
    const isConcernedBy = (one: StatedRequirement) => isConcerned(one, exception);
    return prove({ exception, lockfile: own, locked, absence, isConcerned: isConcernedBy });
  };

  /** An override that its manager does not read, and one whose selector names a package before the overridden one that is not there. */
  function idleProof(exception: Exception): LockfileProof | undefined {
    const { setting, package: name = '', value = '' } = exception;
    if (!isRead(lockfile.format, exception))
      return removable(`the package manager of ${path} does not read ${setting}`);
    if (hasMembers || !isWhole) return undefined;
    const absent = parentsOf(exception).find((one) => names?.has(one) === false);
    if (absent === undefined) return undefined;
    // Yarn 1 locks the package of such an entry, although nothing requires it.
    const entry = `${name}@${value}`;
    const isLocked = [`\n${entry}:\n`, `\n"${entry}":\n`].some((line) => text.includes(line));
    if (isLocked) return unproven(`${path} has ${entry} for it alone`);
    return removable(`${path} has no package ${absent}`);
  }

  /** Returns what the lockfile proves about an override. */
  function overrideProof(
    exception: Exception,
    locked: readonly LockedPackage[],
    absence: LockfileProof | undefined,
  ): LockfileProof | undefined {
    const { ecosystem, package: name = '', value = '' } = exception;
    const isNpm = ecosystem === 'npm';
    const idle = isNpm ? idleProof(exception) : undefined;
    if (idle !== undefined) return idle;
    if (locked.length > 0 && isNpm) return usedProof(exception, locked);
    if (locked.length > 0)
      return unproven(`it is not known which versions of ${name} are required without it`);
    // A marker and pnpm's `-` leave a package out, and an alias puts another one under its name.
    return value === '' || value === '-' || value.includes(';') ? undefined : absence;
  }

  /** npm's, Yarn's, pnpm's and Bun's overrides of a package that is locked. */
  function usedProof(exception: Exception, locked: readonly LockedPackage[]): LockfileProof {
    const { package: name = '', subject } = exception;
    const value = valueFor(exception);
    const unstated = unstatedBy(name, locked);
    if (statement === undefined)
      return unproven(`${path} does not state what requires ${name}: \`exceptions --look-up\` asks for it`);
    if (value === undefined)
      return unproven(`${path} does not have ${subject}: it is older, or nothing reads the entry`);
    if (!isWhole || hasHooks) return unproven(`${path} is not all that decides about ${name}`);
    if (unstated !== undefined) return unproven(`it is not known which versions of ${name} ${unstated}`);
    const all = required.get(name) ?? [];
    // A selector of pnpm is about no other requirements.
    const stated = replaced === undefined ? all : all.filter((one) => isConcerned(one, exception));
    const own = stated.map((one) => ({ ...one, version: versionFor(one, locked) }));
    const entries = entriesFor(exception);
    const against = own.find((one) => isConcerned(one, exception) && isForced(one, entries));
    if (against !== undefined) {
      const required = `${ownerOf(against)} requires ${name} ${against.requirement}`;
      return needed(`${required}, and ${against.version} is locked`);
    }
    const doubt = doubtAbout(exception, value, own);
    return doubt === undefined ? heldProof(exception, value, own, locked) : unproven(doubt);
  }

  /** Whether nothing but one override explains the version that a requirement does not permit. `entries`: the others. */
  function isForced(one: Held, entries: readonly Exception[]): boolean {
    const { version, requirement, isPeer } = one;
    if (version === undefined || isPeer === true || npm.satisfies(version, requirement) !== false)
      return false;
    return entries.every((entry) => !isConcerned(one, entry) || fits(version, valueFor(entry)) === false);
  }

  /** An override whose requirements all permit what is locked: it may hold off other versions. */
  function heldProof(
    exception: Exception,
    value: string,
    own: readonly Held[],
    locked: readonly LockedPackage[],
  ): LockfileProof {
    const { package: name = '', subject } = exception;
    const versions = [...new Set(own.map(({ version }) => version))];
    const permitting =
      own.length === 0
        ? `nothing requires ${subject}`
        : `all ${own.length} requirements of ${name} permit ${versions.join(', ')}`;
    const others = entriesFor(exception).length;
    const isOpen = npm.satisfies(ENDLESS, value) === true;
    const isFree = isOpen || (others === 0 && own.every((one) => isWithin(one, locked, value)));
    const isIdle = own.length === 0 && (replaced !== undefined || !selectsAnew);
    if (isIdle || (isFree && !selectsAnew)) return removable(permitting);
    const published = others === 0 ? lockfile.publishedOf?.(name) : undefined;
    if (published !== undefined) return newestProof(own, value, published, permitting);
    const held = unproven(`${permitting}, but it may hold off newer versions`);
    // The newest release may be no default one, which is what others take.
    const takesDefault = others === 0 && locked.length === 1 && !isBerry;
    return takesDefault ? { ...held, ...newest(versions[0], lockfile) } : held;
  }

  /** The value of an override; of pnpm, as its lockfile has it. `undefined` where that does not have it. */
  function valueFor({ subject, value = '' }: Exception): string | undefined {
    return replaced === undefined ? value : replaced[subject];
  }

  /** Other overrides of the same package. */
  function entriesFor(exception: Exception): readonly Exception[] {
    const same = overrides.get(exception.package) ?? [];
    return same.filter(
      (one) => one !== exception && (replaced !== undefined || one.setting === exception.setting),
    );
  }

  /** Whose requirement of a package is not known, as the end of a sentence; `undefined` where all are. */
  function unstatedBy(name: string, locked: readonly LockedPackage[]): string | undefined {
    if (statement?.statesDirect !== true) return 'the project requires';
    const stated = new Set(required.get(name)?.map(({ by }) => by));
    if (stated.size === 0) return 'are required, if any is';
    if (replaced === undefined) return undefined;
    if (locked.some(({ direct }) => direct === true) && !stated.has('')) return 'the project requires';
    const ids = new Set(locked.map(({ id }) => id));
    const open = packages.find((one) => !stated.has(one.id) && one.dependencies?.some((id) => ids.has(id)));
    return open && `${open.id} requires`;
  }

  /**
   * Why it is not sure that the locked versions stay without an override: a requirement that may not permit its version, another entry that decides about
   * the same requirements then, a value that was cut off or is no range, or a lockfile that is older.
   */
  function doubtAbout(exception: Exception, value: string, own: readonly Held[]): string | undefined {
    const { package: name = '', setting } = exception;
    const open = own.find(({ version, requirement }) => fits(version, requirement) !== true);
    if (open !== undefined)
      return `it is not known which version ${ownerOf(open)} gets by ${name} ${open.requirement}`;
    if (value.length > MAX_VALUE) return 'its value is too long';
    if (replaced !== undefined && rangeOf(value) === undefined) return `${value} is no range of ${name}`;
    const entries = entriesFor(exception);
    const isHiding =
      replaced === undefined
        ? entries.length > 0 ||
          parentsOf(exception).some((one) => overrides.get(one)?.some((entry) => entry.setting === setting))
        : own.length > 0 && entries.length > 0 && npm.satisfies(ENDLESS, value) !== true;
    if (isHiding) return 'another entry may decide without it';
    const isLocked = own.every((one) =>
      [exception, ...entries].every(
        (entry) => !isConcerned(one, entry) || fits(one.version, valueFor(entry)) === true,
      ),
    );
    return isLocked ? undefined : `the locked version of ${name} is not the one that it asks for`;
  }

  /**
   * Whether an override is about a requirement: of any dependent, of the one that its selector names, or of a range, which for npm and pnpm has a version
   * in common with that of the selector. A dependent that is not locked is a part of the project.
   */
  function isConcerned(
    { by, requirement }: StatedRequirement,
    { setting, subject, range }: Exception,
  ): boolean {
    if (range !== undefined && requirement !== range && `npm:${requirement}` !== range) {
      const [stated, selected] = [rangeOf(requirement), rangeOf(range)];
      if (setting === 'resolutions' || stated === undefined || selected === undefined) return false;
      if (!intersects(stated, selected)) return false;
    }
    const parent = parentsOf({ setting, subject }).at(-1);
    if (parent === undefined || by.startsWith(`${parent}@`)) return true;
    return by === '' && !byName.has(nameIn('npm', parent));
  }

  /** The version that the dependent of a requirement has; `undefined` where that is not known. */
  function versionFor({ by }: StatedRequirement, locked: readonly LockedPackage[]): string | undefined {
    const ids = byId.get(by)?.dependencies ?? [];
    const [one, ...others] =
      locked.length === 1
        ? locked
        : locked.filter(({ id, direct }) => (by === '' ? direct === true : ids.includes(id)));
    const isKnown = others.length === 0 && one?.source?.kind === 'registry' && npm.isValid(one.version);
    return isKnown ? one.version : undefined;
  }
}

/** An override that may hold off releases. `published`: those that the manager may select. */
function newestProof(
  own: readonly Held[],
  value: string,
  published: readonly PublishedVersion[],
  permitting: string,
): LockfileProof {
  const selected = own.map((one) => ({ ...one, versions: selectedFor(one, published) }));
  if (selected.some(({ versions }) => versions.length === 0))
    return unproven(`${permitting}; what would be selected without it is not known`);
  const others = selected.flatMap(({ versions, ...one }) =>
    versions.flatMap((other) => (other === one.version ? [] : { ...one, other })),
  );
  const [first] = others;
  if (first === undefined) return removable(`${permitting}, the newest that each permits`);
  // A release that the cooldown holds off, or that is deprecated, may be locked; or managers may select another one.
  const isHeld = ({ other, version = other }: (typeof others)[number]) =>
    npm.compare(other, version) > 0 && npm.satisfies(other, value) === false;
  // Where one requirement keeps the locked version, managers take it for the others, too.
  const isKept = selected.some(({ versions, version = '' }) => versions.includes(version));
  if (isKept || !others.every(isHeld))
    return unproven(`${permitting}; without it, ${first.other} may be selected`);
  const permits = `which ${ownerOf(first)} permits (${first.requirement})`;
  return needed(`it holds off ${first.name} ${first.other}, ${permits}`);
}

/** The versions of which a manager selects one for a requirement: the highest one, and the latest, which some prefer. */
function selectedFor(
  { requirement }: StatedRequirement,
  published: readonly PublishedVersion[],
): readonly string[] {
  const fitting = published.filter(
    ({ version, isDeprecated }) => !isDeprecated && npm.satisfies(version, requirement) === true,
  );
  const sorted = fitting.map(({ version }) => version).sort(npm.compare);
  const latest = fitting.flatMap(({ version, isDefault }) => (isDefault ? version : []));
  return [...new Set([...latest, ...sorted.slice(-1)])];
}

/** Whether a requirement permits a version; `undefined` where one of them is not known. */
function fits(version: string | undefined, requirement: string | undefined): boolean | undefined {
  return version === undefined || requirement === undefined ? undefined : npm.satisfies(version, requirement);
}

function ownerOf({ by }: StatedRequirement): string {
  return by === '' ? 'the project' : by;
}

/** The range of a requirement in the form of node-semver; `undefined` for a tag, another protocol, and one that is too long. */
function rangeOf(requirement: string): string | undefined {
  if (requirement.length > MAX_RANGE) return undefined;
  return validRange(requirement.replace(/^npm:(?:@?[^@]+@)?(?=[^@]*$)/, '')) ?? undefined;
}

/** Whether an override permits every version that a requirement permits from the lowest locked one on. */
function isWithin(
  { requirement }: StatedRequirement,
  locked: readonly LockedPackage[],
  value: string,
): boolean {
  const [range, permitted] = [rangeOf(requirement), rangeOf(value)];
  if (range === undefined || permitted === undefined) return false;
  const [lowest = ''] = locked.map(({ version }) => version).sort(npm.compare);
  const parts = range.split('||').map((part) => `${part} >=${lowest}`);
  return subset(parts.join(' || '), permitted);
}

/** The names of the packages before the last one of a selector: `a>b`, `a@>=1>b`, `a@npm:^1/b`, `**` + `/a/b`. */
function parentsOf({ setting, subject }: Pick<Exception, 'setting' | 'subject'>): readonly string[] {
  const parts =
    setting === 'resolutions'
      ? (subject.match(/(?:@[^/@]+\/)?[^/@]+(?:@[^/]*)?/g) ?? [])
      : subject.split(SELECTOR_SEPARATOR);
  return parts
    .slice(0, -1)
    .filter((one) => one !== '**')
    .map((one) => /^.[^@]*/.exec(one)?.[0] ?? '');
}

function nameIn(ecosystem: string, name: string): string {
  return `${ecosystem} ${ecosystem === 'pypi' ? name.replace(/[-_.]+/g, '-').toLowerCase() : name}`;
}

/** The names that manifests state of themselves. */
function ownNames(text: string): readonly string[] {
  return Array.from(text.matchAll(/"name"\s*:\s*"([^"]*)"/g), ([, name = '']) => name);
}

/** All names that a lockfile of JavaScript may have, in any place but pnpm's and Bun's copy of the overrides. */
function namesIn(text: string): ReadonlySet<string> {
  const at = Math.max(text.indexOf('\noverrides:\n'), text.indexOf('"overrides":'));
  const rest = text.slice(at + 1);
  const end = at < 0 ? 0 : rest.startsWith('overrides:') ? rest.search(/\n\S/) : rest.indexOf('}');
  const others = at < 0 ? text : text.slice(0, at) + (end < 0 ? '' : rest.slice(end));
  return new Set(others.match(/(?:@[\w.-]+\/)?[\w.-]+/g));
}
