import subset from 'semver/ranges/subset.js';
import validRange from 'semver/ranges/valid.js';
import type { ProjectStatement, StatedRequirement } from '../../model/advice/project-statement.ts';
import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import { type Exception, type LockfileProof, SELECTOR_SEPARATOR } from '../../model/scan/exception.ts';
import { npm } from '../../versions/scheme.ts';

/** A lockfile, with what it and the files beside it state. */
export interface LockfileEvidence {
  readonly path: string;
  readonly packages: readonly LockedPackage[];
  /** Whether `packages` are all that it has. */
  readonly isWhole: boolean;
  readonly text: string;
  /** The texts of the files beside it. */
  readonly others: readonly string[];
  /** The requirements of npm packages; absent where the lockfile does not state those of all packages. */
  readonly statement?: ProjectStatement | undefined;
}

/** Later than any version: a requirement that permits it has no upper bound. */
const ENDLESS = '999999.0.0';
/** Longer values may have been cut off. */
const MAX_VALUE = 299;
/** Longer requirements are not compared with an override: the time grows with the product of their parts. */
const MAX_RANGE = 500;

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
  const overrides = Map.groupBy(all, ({ setting, package: name = '' }) => `${setting} ${name}`);
  let names: ReadonlySet<string> | undefined;
  // A member of a workspace, which may have no place in the lockfile, may be the parent that a selector names.
  const hasMembers = others.some((one) => /^packages:|"workspaces"/m.test(one));

  return (exception) => {
    const { kind, ecosystem = '', package: name = '', value = '', line } = exception;
    const locked = byName.get(nameIn(ecosystem, name)) ?? [];
    if (kind === 'source') return sourceProof(exception);
    const isNpm = ecosystem === 'npm';
    if (isNpm) names ??= new Set([...namesIn(text), ...others.flatMap(ownNames)]);
    const absent = absentParent(exception);
    if (absent !== undefined) return { verdict: 'removable', evidence: `${path} has no package ${absent}` };
    if (locked.length > 0) return isNpm ? overrideProof(exception, locked) : undefined;
    // A marker and pnpm's `-` leave a package out, and an alias puts another one under its name.
    if (!isWhole || value === '' || value === '-' || value.includes(';')) return undefined;
    if (names?.has(name) === true) return undefined;
    return { verdict: 'removable', evidence: `${path} has no package ${name}` };

    /** Cargo's `[patch]`, of which it lists those that nothing uses, and Go's `replace`, whose line the replaced module has. */
    function sourceProof({ setting }: Exception): LockfileProof | undefined {
      const isPatch = ecosystem === 'cargo' && setting.startsWith('patch.');
      const [, ...unused] = isPatch ? text.split('[[patch.unused]]') : [];
      if (unused.some((table) => table.trimStart().startsWith(`name = "${name}"\n`)))
        return { verdict: 'removable', evidence: `${path} lists it as a patch that nothing uses` };
      const used = isPatch
        ? locked.find((one) => one.source.kind === 'git')
        : packages.find((one) => ecosystem === 'golang' && setting === 'replace' && one.line === line);
      return used && { verdict: 'needed', evidence: `${path} has ${used.name} ${used.version} in its place` };
    }
  };

  /** A package that a selector names before the overridden one, and that is not there. */
  function absentParent(exception: Exception): string | undefined {
    if (names === undefined || hasMembers || !isWhole) return undefined;
    return parentsOf(exception).find((one) => names?.has(one) === false);
  }

  /**
   * Whether an override, and nothing else, decides about its requirements: not another entry for the same package or for one of its parents, not a
   * part of its value that was cut off, and not a lockfile that is older.
   */
  function isAlone(
    exception: Exception,
    own: readonly StatedRequirement[],
    versions: readonly (string | undefined)[],
  ): boolean {
    const { setting, value = '', package: name = '' } = exception;
    const entries = overrides.get(`${setting} ${name}`) ?? [];
    const isHiding =
      entries.length > 1 || parentsOf(exception).some((one) => overrides.has(`${setting} ${one}`));
    if (isHiding || value.length > MAX_VALUE) return false;
    return own.every(
      (one, index) => !isConcerned(one, exception) || npm.satisfies(versions[index] ?? '', value) === true,
    );
  }

  /** npm's, Yarn's and Bun's overrides of a package that is locked. */
  function overrideProof(exception: Exception, locked: readonly LockedPackage[]): LockfileProof | undefined {
    const { package: name = '', value = '' } = exception;
    const own = required.get(name) ?? [];
    const version = locked[0]?.version ?? '';
    if (statement?.statesDirect !== true || !isWhole || own.length === 0) return undefined;
    const versions = own.map((one) => versionFor(one, locked));
    const fits = own.map(({ requirement }, index) => {
      const has = versions[index];
      return has === undefined ? undefined : npm.satisfies(has, requirement);
    });
    const against = own.find(
      (one, index) => fits[index] === false && one.isPeer !== true && isConcerned(one, exception),
    );
    if (against !== undefined) {
      const who = against.by === '' ? 'the project' : against.by;
      const evidence = `${who} requires ${name} ${against.requirement}, and ${version} is locked`;
      return { verdict: 'needed', evidence };
    }
    if (!fits.every((fit) => fit === true)) return undefined;
    if (!isAlone(exception, own, versions)) return undefined;
    const all = `all ${own.length} requirements of ${name} permit ${version}`;
    // Yarn 2 and later lock by requirement, and would select anew.
    const stays = !text.includes('\n__metadata:');
    const isOpen = npm.satisfies(ENDLESS, value) === true || own.every((one) => isWithin(one, locked, value));
    if (stays && isOpen) return { verdict: 'removable', evidence: all };
    const evidence = `${all}, but it may hold off newer versions`;
    return { verdict: 'unknown', evidence, ...(locked.length === 1 ? { locked: version } : {}) };
  }

  /** The version that the dependent of a requirement has; `undefined` where that is not known. */
  function versionFor({ by }: StatedRequirement, locked: readonly LockedPackage[]): string | undefined {
    const ids = byId.get(by)?.dependencies ?? [];
    const [one, ...others] =
      locked.length === 1
        ? locked
        : locked.filter(({ id, direct }) => (by === '' ? direct === true : ids.includes(id)));
    const isKnown = others.length === 0 && one?.source.kind === 'registry' && npm.isValid(one.version);
    return isKnown ? one.version : undefined;
  }
}

/** Whether an override permits every version that a requirement permits from the lowest locked one on. */
function isWithin(
  { requirement }: StatedRequirement,
  locked: readonly LockedPackage[],
  value: string,
): boolean {
  const [range, permitted] = [requirement, value].map((one) => validRange(one.slice(0, MAX_RANGE)));
  if (range == null || permitted == null || requirement.length > MAX_RANGE) return false;
  const [lowest = ''] = locked.map(({ version }) => version).sort(npm.compare);
  const parts = range.split('||').map((part) => `${part} >=${lowest}`);
  return subset(parts.join(' || '), permitted);
}

/** Whether an override is about a requirement: of any dependent, of the one that its selector names, or of one range. */
function isConcerned(
  { by, requirement }: StatedRequirement,
  { setting, subject, range }: Exception,
): boolean {
  if (range !== undefined) return requirement === range || `npm:${requirement}` === range;
  const parent = parentsOf({ setting, subject }).at(-1);
  return parent === undefined || by.startsWith(`${parent}@`);
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
