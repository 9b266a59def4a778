import type { StatedRequirement } from '../../model/advice/project-statement.ts';
import type { Exception, LockfileProof } from '../../model/scan/exception.ts';
import { matchesWildcard } from '../../model/wildcard.ts';
import { npm } from '../../versions/scheme.ts';
import { isPlain, versionMatch } from '../../versions/version-match.ts';
import {
  isCompiled,
  type LockedPackage,
  type LockfileEvidence,
  needed,
  newest,
  removable,
  selectsOthers,
  unproven,
} from './evidence.ts';

/** An exception beside a lockfile, with what is known about its package. */
interface Question {
  readonly exception: Exception;
  readonly lockfile: LockfileEvidence;
  /** The locked packages that it names. */
  readonly locked: readonly LockedPackage[];
  /** Why the lockfile provably has none of them, whatever its version; `undefined` where it may have one. */
  readonly absence: LockfileProof | undefined;
  /** Whether an exception is about what a dependent requires. */
  isConcerned(requirement: StatedRequirement): boolean;
}

type Prove = (question: Question) => LockfileProof | undefined;

/** How more becomes known. */
const ASK = '`exceptions --look-up` asks for it';

/** The functions that prove, by the kind of the exception. Other kinds are overrides. */
export const OTHER_PROOFS: ReadonlyMap<Exception['kind'], Prove> = new Map<Exception['kind'], Prove>([
  ['source', sourceProof],
  ['cooldown-exclude', excludeProof],
  ['trust-exclude', trustProof],
  ['peer-rule', peerProof],
  ['excluded-version', excludedProof],
  ['constraint', constraintProof],
  ['ignored-package', skipProof],
]);

/** Proves what replaces a package. Each patch of pnpm has to apply. */
function sourceProof(question: Question): LockfileProof | undefined {
  const { exception, locked } = question;
  const { ecosystem, package: name = '', setting, range } = exception;
  if (setting.endsWith('patchedDependencies')) {
    const patched = locked.find(
      ({ version }) => range === undefined || npm.satisfies(version, range) === true,
    );
    return patched ? needed(`it patches ${name} ${patched.version}`) : withoutLocked(question);
  }
  if (ecosystem === 'golang') return replaceProof(question);
  if (ecosystem === 'pypi') return placeProof(question);
  return ecosystem === 'cargo' && !setting.includes('replace-with') ? crateProof(question) : undefined;
}

/** uv's sources, of which each is about a direct requirement alone. Members of a workspace are not among the locked packages. */
function placeProof({ exception, lockfile, locked, absence }: Question): LockfileProof | undefined {
  const { package: name = '', value = '' } = exception;
  const { path, isWhole } = lockfile;
  const own = locked.find(({ source }) => source?.kind !== 'registry');
  if (own !== undefined) return needed(`${path} has ${name} ${own.version} from there`);
  if (!isWhole || !value.includes('://')) return undefined;
  return absence ?? removable(`${path} has ${name} ${versionsOf(locked)} from a registry`);
}

/** Cargo's `[patch]`, of which Cargo.lock lists those that nothing uses, and `[replace]`, which the replaced crate has. */
function crateProof({ exception, lockfile }: Question): LockfileProof {
  const { package: name = '', setting, range = '', value = '', subject } = exception;
  const { path, text, isWhole } = lockfile;
  const named = text.split(/^\[\[/m).filter((table) => valueIn(table, 'name') === name);
  const unproved = unproven(`${path} does not show what is in the place of ${name}`);
  if (setting === 'replace') {
    const replaced = named.find((table) => valueIn(table, 'version') === range && /^replace = /m.test(table));
    if (replaced !== undefined) return needed(`${path} replaces ${name} ${range}`);
    return isWhole && !subject.includes('#') ? removable(`${path} replaces no ${name} ${range}`) : unproved;
  }
  const own = named.filter((table) => isFrom(valueIn(table, 'source'), value));
  const [unused, used] = [true, false].map((is) =>
    own.find((one) => one.startsWith('patch.unused]]') === is),
  );
  // Two entries for one crate may have one source.
  if (used !== undefined && unused !== undefined) return unproved;
  if (unused !== undefined) return removable(`${path} lists it as a patch that nothing uses`);
  return used === undefined
    ? unproved
    : needed(`${path} has ${name} ${valueIn(used, 'version')} in its place`);
}

/** A text of a table in Cargo.lock. */
function valueIn(table: string, key: string): string | undefined {
  const start = `${key} = "`;
  const line = table.split('\n').find((one) => one.startsWith(start));
  return line?.slice(start.length).replace(/".*$/s, '');
}

/** Whether a source in Cargo.lock, which a folder does not have, is the place that a patch states: a version is of another registry. */
function isFrom(source: string | undefined, stated: string): boolean {
  if (source === undefined) return !stated.includes('://') && !/^[\d=^~<>]/.test(stated);
  if (/^(?:registry|sparse)\+/.test(source))
    return /^[\d=^~<>]/.test(stated) && !source.endsWith('github.com/rust-lang/crates.io-index');
  const [place, ...rest] = source.replace(/^git\+/, '').split(/[?#]/);
  return rest.length > 0 && place === stated;
}

/** Go's `replace`. go.sum has the go.mod of each module of the graph, but of folders. */
function replaceProof({ exception, lockfile }: Question): LockfileProof {
  const { package: name = '', line, value = '' } = exception;
  const { path, packages, others, isWhole } = lockfile;
  const [target, version] = value.split(' ');
  const used = packages.find((one) => one.line === line);
  if (used !== undefined && target !== name)
    return needed(`${path} has ${used.name} ${used.version} in its place`);
  const sum = others.find((text) => /^\S+ v\S+\/go\.mod h1:/m.test(text));
  const isListed = (one: string) => `\n${sum}`.includes(`\n${one}/go.mod `);
  const isSummed = packages.every(
    (one) => one.source?.kind === 'path' || isListed(`${one.name} ${one.version}`),
  );
  if (isWhole && sum !== undefined && version !== undefined && isSummed && !isListed(value))
    return removable(`no module of go.sum is replaced by ${value}`);
  return unproven(`it is not known whether a module requires what it replaces: ${ASK}`);
}

/** The cooldown that the package manager has, by a setting or its own default. */
function excludeProof(question: Question): LockfileProof {
  const { cooldown } = question.lockfile;
  if (cooldown === undefined)
    return unproven('it is not known whether the package manager has a cooldown by itself');
  const { minutes, before, where } = cooldown;
  if (minutes === 0 && before === undefined) return removable(`no release has to wait: ${where}`);
  const age = before === undefined ? { minutes } : {};
  return withoutLocked(question) ?? { ...unproven(`the cooldown of ${where} is a date`), ...age };
}

/** pnpm looks at the trust in releases only where that is asked for. */
function trustProof(question: Question): LockfileProof {
  const isChecked = /trust-?policy["']?\s*[:=]\s*["']?no-downgrade/i;
  if (!question.lockfile.others.some((text) => isChecked.test(text)))
    return removable('pnpm checks the trust in no release here: trustPolicy is not no-downgrade');
  const what =
    'it is not known whether an earlier release has stronger evidence of its origin than the locked one';
  return withoutLocked(question) ?? unproven(what);
}

/** That no locked package has a version that an exclude names: pnpm itself prunes such entries. */
function withoutLocked({ exception, lockfile, locked, absence }: Question): LockfileProof | undefined {
  const { package: name = '', range, ecosystem = '' } = exception;
  const match = versionMatch(range ?? '', ecosystem);
  if (absence !== undefined || !lockfile.isWhole || name.includes('*') || typeof match !== 'function')
    return absence;
  if (locked.length === 0 || locked.some(({ version }) => match(version))) return undefined;
  return removable(`${lockfile.path} has ${name} ${versionsOf(locked)} alone`);
}

/** pnpm's rules about peers, which keep it from reporting those that are missing or have another version. */
function peerProof({ exception, lockfile, isConcerned }: Question): LockfileProof | undefined {
  const { setting, package: name = '', subject, value = '*' } = exception;
  const { path, packages, statement, isWhole } = lockfile;
  if (statement === undefined || !isWhole) return undefined;
  if (Object.keys(statement.overrides ?? {}).some((one) => matchesWildcard(`*${name}*`, one)))
    return unproven(`an override decides about the peer ${name}`);
  const peers = statement.requirements.filter(
    (one) => one.isPeer === true && matchesWildcard(name, one.name) && isConcerned(one),
  );
  if (peers.length === 0) return removable(`no package of ${path} requires the peer ${subject}`);
  const byName = Map.groupBy(packages, (one) => `${one.name}@${one.version}`);
  const byId = new Map(packages.map((one) => [one.id, one]));
  const got = peers.flatMap((one) =>
    (byName.get(one.by) ?? []).map(({ dependencies = [] }) => {
      const id = dependencies.find((other) => byId.get(other)?.name === one.name);
      return { ...one, version: id && byId.get(id)?.version };
    }),
  );
  for (const { by, name: peer, requirement, isOptional, version } of got) {
    const isMissing = version === undefined;
    // Each rule is about peers that are missing, or about the versions of the others.
    if (isMissing !== setting.endsWith('ignoreMissing') || (isMissing && isOptional === true)) continue;
    const isMet = !isMissing && npm.satisfies(version, requirement);
    const isAllowed = isMissing || npm.satisfies(version, value);
    const about = `${by} requires the peer ${peer} ${requirement}, and gets ${version ?? 'none'}`;
    if (isMet === undefined || isAllowed === undefined) return unproven(`${about}: one of them is no range`);
    if (!isMet && isAllowed) return needed(about);
  }
  return removable(`all ${peers.length} requirements of the peer ${subject} are met without it`);
}

/** Go leaves out the requirements of an excluded version, so that the lockfile does not show whether there are any. */
function excludedProof({ exception }: Question): LockfileProof {
  return unproven(`it is not known whether a module requires ${exception.subject}: ${ASK}`);
}

/** Constraints of uv and pip force no version: they bound the ones that are selected. */
function constraintProof({ exception, lockfile, locked, absence }: Question): LockfileProof | undefined {
  const { package: name = '', value = '', setting, ecosystem = '' } = exception;
  const [first, ...others] = locked;
  // What holds for some environments alone is not compared.
  if (value.includes(';')) return undefined;
  // pip selects what a requirements file does not have, unless it is compiled.
  const isPinned = lockfile.format === 'requirements-txt' && !isCompiled(lockfile.text);
  if (setting.endsWith('build-constraint-dependencies'))
    return unproven('it is about builds, whose packages no lockfile has');
  if (first === undefined && isPinned)
    return unproven(`pip may select ${name}, which ${lockfile.path} does not have`);
  // It may keep a dependent at an older release, which does not require it.
  if (first === undefined) return absence && unproven(`${absence.evidence}: ${ASK}`);
  const match = versionMatch(value, ecosystem);
  if (typeof match !== 'function' || others.length > 0 || !match(first.version))
    return unproven(`it is not known which version of ${name} it is about: ${versionsOf(locked)} is locked`);
  if (isPinned && first.version !== '')
    return removable(`${lockfile.path} itself requires ${name} ${first.version}`);
  if (selectsOthers([lockfile.text, ...lockfile.others]))
    return unproven('a setting of uv selects others than the newest releases');
  return {
    ...unproven(`${lockfile.path} has ${name} ${first.version}, but it may hold off newer versions`),
    ...newest(first.version, lockfile),
  };
}

/** cargo-deny's crates that may be there more than once, or have another licence. */
function skipProof({ exception, lockfile, locked }: Question): LockfileProof | undefined {
  const { package: name = '', range = '', setting, ecosystem = '' } = exception;
  if (ecosystem !== 'cargo' || !lockfile.isWhole) return undefined;
  // A version without an operator is exact, or the lowest one that it permits.
  const match = versionMatch(isPlain(range) ? `^${range}` : range, ecosystem);
  if (typeof match !== 'function') return undefined;
  if (!locked.some(({ version }) => match(version)))
    return removable(`${lockfile.path} has no ${name} ${range}`);
  if (setting === 'bans.skip')
    return (locked.length > 1 ? needed : removable)(`${lockfile.path} has ${name} ${versionsOf(locked)}`);
  const isTree = setting === 'bans.skip-tree';
  return unproven(
    isTree
      ? `it is not known whether what ${name} requires is there more than once`
      : `it is not known whether the other rules permit the licence of ${name}`,
  );
}

function versionsOf(packages: readonly LockedPackage[]): string {
  return [...new Set(packages.map(({ version }) => version))].join(', ');
}
