import gtr from 'semver/ranges/gtr.js';
import validRange from 'semver/ranges/valid.js';
import { defined } from '../../model/defined.ts';
import type { TargetLockfile } from '../../model/fleet/target-summary.ts';
import type { Problem } from '../../model/lockfile/lockfile.ts';
import { isReadWhole } from '../../model/lockfile/read-whole.ts';
import type { Exception, JudgedException, LockfileProof } from '../../model/scan/exception.ts';
import type { Finding } from '../../model/scan/finding.ts';
import type { ResolvedPackage } from '../../model/scan/inventory.ts';
import { matchesWildcard } from '../../model/wildcard.ts';
import { npm } from '../../versions/scheme.ts';
import { versionMatch } from '../../versions/version-match.ts';
import { compareText } from '../finding-order.ts';

type HeldPackage = Pick<ResolvedPackage, 'ecosystem' | 'name' | 'version' | 'purl'> &
  Partial<Pick<ResolvedPackage, 'resolution'>>;

/** A lockfile of a target, as a scan or the store of the fleet has it. */
interface HeldLockfile extends Pick<TargetLockfile, 'path' | 'exceptions' | 'suppressions'> {
  readonly format: string;
  readonly packages: readonly HeldPackage[];
  readonly problems: readonly Problem[];
}

/** The known facts about a target. */
export interface ExceptionFacts {
  readonly lockfiles: readonly HeldLockfile[];
  /** Paths of lockfiles that could not be read. */
  readonly unread?: readonly string[];
  /** Open findings with those that are suppressed; absent where nothing was looked up. */
  readonly findings?: readonly Finding[] | undefined;
  /** Whether there is no further finding. */
  readonly complete: boolean;
  /** In ms since 1970. */
  readonly now: number;
}

type Judged = Pick<JudgedException, 'verdict' | 'evidence' | 'removableFrom'>;

/**
 * The verdicts in ascending order of weight: when several lockfiles lie beside an entry, the verdict that keeps it
 * counts.
 */
const KEEPING: readonly JudgedException['verdict'][] = ['removable', 'expired', 'unknown', 'needed'];

/**
 * Judges the exceptions of a target and its own suppressions: would anything change without them? What is not proven is `unknown`. By file and
 * line.
 */
export function judgeExceptions(facts: ExceptionFacts): readonly JudgedException[] {
  const judged = new Map<string, JudgedException>();
  const stated = facts.lockfiles.flatMap(({ exceptions = [] }) => exceptions);
  const known = { facts, scopeOf: scopesOf(facts) };
  for (const one of [...stated, ...ownSuppressions(facts)]) {
    const { proof: _, ...exception } = one;
    const { kind, path, line, setting, subject, value } = exception;
    const key = JSON.stringify([kind, path, line, setting, subject, value]);
    const before = judged.get(key);
    const now = { ...exception, ...judgeOne(one, known) };
    if (before === undefined || KEEPING.indexOf(now.verdict) > KEEPING.indexOf(before.verdict))
      judged.set(key, now);
  }
  return [...judged.values()].sort(
    (left, right) => compareText(left.path, right.path) || (left.line ?? 0) - (right.line ?? 0),
  );
}

/** The lockfiles that a file may be about: in its folder and below, of some formats. */
interface Scope {
  readonly packages: readonly HeldPackage[];
  readonly byName: ReadonlyMap<string, readonly HeldPackage[]>;
  /** Findings by each name of their advisories, in upper case. */
  readonly byAdvisory: ReadonlyMap<string, readonly (readonly [string, Finding])[]>;
  /** Why there may be further advisories. */
  readonly gap: string | undefined;
}

interface Known {
  readonly facts: ExceptionFacts;
  readonly scopeOf: (path: string, formats?: RegExp) => Scope;
}

function scopesOf({ lockfiles, unread = [], findings = [] }: ExceptionFacts): Known['scopeOf'] {
  const scopes = new Map<string, Scope>();
  return (path, formats = /^/) => {
    const key = `${formats} ${folderOf(path)}`;
    const known = scopes.get(key);
    if (known !== undefined) return known;
    const files = lockfiles.filter((one) => one.path.startsWith(folderOf(path)) && formats.test(one.format));
    const paths = new Set(files.map((one) => one.path));
    const own = findings.filter(({ locations }) => locations.some((place) => paths.has(place.path)));
    const named = own.flatMap((one) => {
      const { id = '', aliases = [] } = one.advisory ?? {};
      return [id, ...aliases].map((name) => [name.toUpperCase(), one] as const);
    });
    const byAdvisory = Map.groupBy(named, ([name]) => name);
    const packages = files.flatMap((one) => one.packages);
    const open = packages.find((one) => !hasKnownAdvisories(one, byAdvisory));
    const isWhole = files.every(isReadWhole) && !unread.some((one) => one.startsWith(folderOf(path)));
    const gap = isWhole
      ? open && `not all advisories of ${open.purl} are known`
      : 'a lockfile was not read completely';
    const scope = { packages, byName: Map.groupBy(packages, ({ name }) => name), byAdvisory, gap };
    scopes.set(key, scope);
    return scope;
  };
}

/** Whether findings have all advisories of a package, with all of their names. */
function hasKnownAdvisories({ resolution }: HeldPackage, names: ReadonlyMap<string, unknown>): boolean {
  if (resolution?.outcome === 'private') return true;
  const { outcome, record } = resolution ?? {};
  if (outcome !== 'resolved' || record === undefined || record.undecided !== undefined) return false;
  return record.advisoryIds.every((id) => names.has(id.toUpperCase()));
}

/** The suppressions beside the lockfiles, as exceptions. */
function ownSuppressions({ lockfiles, findings, complete }: ExceptionFacts): readonly Exception[] {
  const uses = new Map(findings?.flatMap((one) => (one.suppressed ? [[one.suppressed.by, one]] : [])));
  return lockfiles
    .flatMap(({ suppressions = [] }) => suppressions)
    .map(({ id, reason, author, expires: until, advisories = [], package: about, rule }) => {
      const use = uses.get(id);
      const proof: LockfileProof =
        use === undefined
          ? {
              verdict: complete ? 'removable' : 'unknown',
              evidence: 'it suppresses no finding that is known',
            }
          : { verdict: 'needed', evidence: `it suppresses ${use.title}` };
      const [path = '', setting = ''] = id.split(/ (?=suppressions\[)/);
      const subject = advisories[0] ?? about?.name ?? rule ?? 'all';
      const parts = { kind: 'suppression', path, setting, subject, reason, proof } as const;
      return { ...parts, ...defined({ author, until, package: about?.name, ecosystem: about?.ecosystem }) };
    });
}

const JUDGES = new Map<string, typeof judgeUse>([
  ['ignored-advisory', judgeAdvisory],
  ['cooldown-exclude', judgeExclude],
]);

function judgeOne(exception: Exception, known: Known): Judged {
  const { kind, until, reason = '', proof } = exception;
  if (kind === 'unread') return unknown(`it was not read: ${reason}`);
  if (until !== undefined && Date.parse(until) <= known.facts.now)
    return { verdict: 'expired', evidence: `it has no effect since ${until}` };
  const judge = JUDGES.get(kind) ?? (proof === undefined ? judgeUse : judgeProof);
  return { ...(until === undefined ? {} : { removableFrom: until }), ...judge(exception, known) };
}

function unknown(evidence: string): Judged {
  return { verdict: 'unknown', evidence };
}

/** The verdict that the lockfile proves; with what is looked up, that the locked version is the newest one. */
function judgeProof(exception: Exception, known: Known): Judged {
  const { locked, verdict = 'unknown', evidence = '' } = exception.proof ?? {};
  const packages = packagesFor(exception, known).filter(({ version }) => version === locked);
  const isNewest = packages.every(({ resolution }) => resolution?.record?.isDefault === true);
  // Within the cooldown, the package manager selects an older one. Some have one of a day by themselves.
  const age = (exception.proof?.minutes ?? DAY) * MINUTE;
  const isAged = packages.every((one) => !(publishedAt(one) + age > known.facts.now));
  if (packages.length === 0 || !isNewest || !isAged) return { verdict, evidence };
  return { verdict: 'removable', evidence: `${evidence.split(', but')[0]}, which is the newest release` };
}

/** The settings of Dependabot's updates, each of one ecosystem. */
const WHOLE: ReadonlySet<string> = new Set(['ignore', 'open-pull-requests-limit']);

/** Settings of a registry of all packages that have no other one. */
const DEFAULT_REGISTRY = /^(?:\.npmrc|npmRegistryServer|install\.registry|(?:tool\.uv\.)?index-url)$/;

/** Kinds of which only the use is known. That a package is not locked proves nothing: it may be elsewhere. */
function judgeUse(exception: Exception, known: Known): Judged {
  const { kind, setting, subject, package: name = '*', value = '', range = '' } = exception;
  if (kind === 'cooldown') return { verdict: 'needed', evidence: `it holds off newer releases (${value})` };
  // The file asks for updates of the ecosystem, whose manifests may have no lockfile.
  if (kind === 'update-rule' && WHOLE.has(setting) && name === '*')
    return { verdict: 'needed', evidence: `it holds off updates of all packages (${value || subject})` };
  const used = packagesFor(
    DEFAULT_REGISTRY.test(setting) ? { ...exception, package: name } : exception,
    known,
  );
  const [first] = used;
  if (first === undefined) {
    const count = known.scopeOf(exception.path).packages.length;
    if (count === 0) return unknown('no lockfile was read that it could be about');
    return unknown(
      `none of ${count} locked packages is ${subject}; it may be about files without a lockfile`,
    );
  }
  if (setting === 'ignore' && used.every((one) => isPast(one, exception)))
    return { verdict: 'removable', evidence: `${first.purl} is locked, which is newer than ${range}` };
  if (USED.has(kind)) return { verdict: 'needed', evidence: `it is about ${first.purl}` };
  return unknown(`${first.purl} is locked; whether it needs this is not known`);
}

/** Kinds that a locked package needs by being there. */
const USED: ReadonlySet<string> = new Set(['update-rule', 'registry', 'cooldown-exclude']);

/** Whether a locked version is newer than all versions whose updates are ignored: only newer ones are proposed. */
function isPast({ version }: HeldPackage, { range = '', ecosystem }: Exception): boolean {
  const isOrdered = ecosystem === 'npm' || ecosystem === 'cargo';
  const ignored = range.replaceAll(',', ' ');
  return (
    isOrdered && range !== '' && npm.isValid(version) && validRange(ignored) !== null && gtr(version, ignored)
  );
}

/** Formats of the lockfiles that a scanner reads, which reads nothing else, by the file that ignores advisories for it. */
const SCANNED: ReadonlyMap<string, RegExp> = new Map([
  ['package.json', /^pnpm-lock$/],
  ['pnpm-workspace.yaml', /^pnpm-lock$/],
  ['.yarnrc.yml', /^yarn-lock$/],
  ['audit.toml', /^cargo-lock$/],
  ['deny.toml', /^cargo-lock$/],
  ['composer.json', /^composer-lock$/],
  ['.bundler-audit.yml', /^gemfile-lock$/],
  ['osv-scanner.toml', /./],
]);

function judgeAdvisory(exception: Exception, { facts, scopeOf }: Known): Judged {
  const { advisory = '', path, package: name = '*' } = exception;
  if (facts.findings === undefined) return unknown('no advisories were looked up');
  const formats = SCANNED.get(path.slice(path.lastIndexOf('/') + 1));
  const { byAdvisory, packages, gap } = scopeOf(path, formats);
  const id = advisory.toUpperCase();
  const [, hit] = byAdvisory.get(id)?.find(([, one]) => matchesWildcard(name, one.package.name)) ?? [];
  if (hit !== undefined) return { verdict: 'needed', evidence: `${advisory} affects ${hit.package.purl}` };
  if (packages.length === 0) return unknown('no package was read that it could be about');
  if (gap !== undefined) return unknown(gap);
  const none = `${advisory} affects none of ${packages.length} locked packages`;
  if (formats === undefined) return unknown(`${none}, but the scanner looks at more than lockfiles`);
  if (!/^(?:CVE|GHSA|PYSEC|GO|MAL)-/.test(id))
    return unknown(`${none}, but not every advisory of its database was looked up`);
  return { verdict: 'removable', evidence: none };
}

const MINUTE = 60_000;
/** In minutes. */
const DAY = 1_440;

/** In ms since 1970; NaN where it is not known. */
function publishedAt({ resolution }: HeldPackage): number {
  return Date.parse(resolution?.record?.publishedAt ?? '');
}

/** Excludes of Renovate and Dependabot, whose cooldown is about proposals. */
const PROPOSING: ReadonlySet<string> = new Set(['packageRules', 'cooldown.exclude']);

/** An exclude from the cooldown ends when the versions that it lets in are old enough. */
function judgeExclude(exception: Exception, known: Known): Judged {
  const { package: name = '*', range = '', ecosystem = '', setting, proof } = exception;
  if (PROPOSING.has(setting)) return judgeUse(exception, known);
  const { verdict = 'unknown', evidence = 'no lockfile beside it was read', minutes } = proof ?? {};
  if (minutes === undefined) return { verdict, evidence };
  const match = versionMatch(range, ecosystem);
  const locked = packagesFor(exception, known).filter(
    ({ version }) => typeof match === 'function' && match(version),
  );
  if (locked.length === 0) return unknown(`no such version of ${name} is locked`);
  const times = locked.map(publishedAt);
  if (times.some(Number.isNaN)) return unknown(`when ${name} was published is not known`);
  const end = Math.max(...times) + minutes * MINUTE;
  const what = `the cooldown of ${name} ${[...new Set(locked.map((one) => one.version))].join(', ')}`;
  const day = new Date(end).toISOString();
  if (end <= known.facts.now) return { verdict: 'removable', evidence: `${what} ended at ${day}` };
  return { verdict: 'needed', evidence: `${what} ends at ${day}`, removableFrom: day };
}

/** The locked packages that an exception is about. */
function packagesFor(
  { path, ecosystem, package: name = '' }: Exception,
  { scopeOf }: Known,
): readonly HeldPackage[] {
  const { packages, byName } = scopeOf(path);
  const named = name.includes('*')
    ? packages.filter((one) => matchesWildcard(name, one.name))
    : (byName.get(name) ?? []);
  return named.filter((one) => ecosystem === undefined || one.ecosystem === ecosystem);
}

/** The folder that a file is about, with a slash at its end; empty for the root. */
function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1).replace(/(^|\/)\.(?:github|gitlab|cargo)\/$/, '$1');
}
