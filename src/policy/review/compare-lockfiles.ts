import { canonicalName, systemOf } from '../../model/lockfile/ecosystem.ts';
import type { Integrity, LockedPackage, Source } from '../../model/lockfile/lockfile.ts';
import type { ChangeAspect, LockfileChanges, PackageChange } from '../../model/review/package-change.ts';
import { CHANGE_ASPECTS } from '../../model/review/package-change.ts';
import { createYielder } from '../../model/yielding.ts';
import { compareText } from '../finding-order.ts';

/** The differences between the packages of two states of a lockfile, the most important first. */
export async function compareLockfiles(
  before: readonly LockedPackage[],
  after: readonly LockedPackage[],
  options: AspectOptions,
): Promise<Pick<LockfileChanges, 'changes' | 'unchanged'>> {
  const yieldIfDue = createYielder();
  const [old, current] = [byName(before), byName(after)];
  const changes: PackageChange[] = [];
  let unchanged = 0;
  for (const name of new Set([...old.keys(), ...current.keys()])) {
    for (const pair of matchPackages(old.get(name) ?? [], current.get(name) ?? [], options.order)) {
      const change = changeOf(pair, options);
      if (change === undefined) unchanged += 1;
      else changes.push(change);
    }
    await yieldIfDue();
  }
  return { changes: changes.toSorted(compareChanges), unchanged };
}

/** The most important aspect first, then by name and version. */
export function compareChanges(left: PackageChange, right: PackageChange): number {
  return (
    rank(left) - rank(right) ||
    compareText(left.name, right.name) ||
    compareText(left.ecosystem, right.ecosystem) ||
    compareText(versionOf(left), versionOf(right))
  );
}

function changeOf({ before, after }: PackagePair, options: AspectOptions): PackageChange | undefined {
  if (before !== undefined && after !== undefined) {
    const aspects = aspectsOf(before, after, options);
    return aspects.length === 0 ? undefined : { ...identityOf(after), aspects, before, after };
  }
  if (after !== undefined) {
    const script = after.installScript === true ? (['install-script'] as const) : [];
    return { ...identityOf(after), aspects: [...script, 'added'], after };
  }
  return before === undefined ? undefined : { ...identityOf(before), aspects: ['removed'], before };
}

function identityOf({ ecosystem, name }: LockedPackage) {
  return { ecosystem, name };
}

function byName(packages: readonly LockedPackage[]): ReadonlyMap<string, readonly LockedPackage[]> {
  return Map.groupBy(packages, ({ ecosystem, name }) => {
    const system = systemOf(ecosystem);
    return `${ecosystem}\n${system === undefined ? name : canonicalName(name, system)}`;
  });
}

function rank({ aspects: [first = 'removed'] }: PackageChange): number {
  return CHANGE_ASPECTS.indexOf(first);
}

function versionOf({ before, after }: PackageChange): string {
  return (after ?? before)?.id ?? '';
}

/** A package of both states, or of one. */
interface PackagePair {
  readonly before?: LockedPackage;
  readonly after?: LockedPackage;
}

/**
 * Pairs the versions of one package in two states of a lockfile. The same version comes first, then versions of the same release
 * line (`1.x`), then the others from the newest on. What is left was added or removed.
 */
function matchPackages(
  before: readonly LockedPackage[],
  after: readonly LockedPackage[],
  order: VersionOrder,
): readonly PackagePair[] {
  const pairs: PackagePair[] = [];
  let left = [...before];
  let right = [...after];
  for (const keyOf of KEYS) {
    if (left.length === 0 || right.length === 0) break;
    const waiting = Map.groupBy(sorted(left, order), keyOf);
    const unpaired: LockedPackage[] = [];
    for (const one of sorted(right, order)) {
      const found = waiting.get(keyOf(one))?.pop();
      if (found === undefined) unpaired.push(one);
      else pairs.push({ before: found, after: one });
    }
    left = [...waiting.values()].flat();
    right = unpaired;
  }
  return [
    ...pairs,
    ...left.map((one): PackagePair => ({ before: one })),
    ...right.map((one): PackagePair => ({ after: one })),
  ];
}

const KEYS: readonly ((locked: LockedPackage) => string)[] = [
  ({ id }) => id,
  ({ version }) => version,
  ({ version }) => /\d+/.exec(version)?.[0] ?? version,
  () => '',
];

/** The oldest last: the list is used up from its end, and the newest are paired first. */
function sorted(packages: readonly LockedPackage[], order: VersionOrder): LockedPackage[] {
  if (packages.length < 2) return [...packages];
  return packages.toSorted(
    (left, right) =>
      order(left.ecosystem, left.version, right.version) || (left.version < right.version ? -1 : 1),
  );
}

/** The order of two versions of an ecosystem: negative, zero or positive; `undefined` when they cannot be compared. */
type VersionOrder = (ecosystem: string, left: string, right: string) => number | undefined;

interface AspectOptions {
  readonly order: VersionOrder;
  /** False where both states compute their digests differently. */
  readonly digests: boolean;
}

/** The differences between two states of a package; empty when there are none. */
function aspectsOf(
  before: LockedPackage,
  after: LockedPackage,
  { order, digests }: AspectOptions,
): readonly ChangeAspect[] {
  const sameVersion = before.version === after.version;
  const sameCommit = commitOf(before.source) === commitOf(after.source);
  const aspects: ChangeAspect[] = [];
  // Another commit or folder has other contents, whatever its version is.
  const isPublished = after.source.kind === 'registry' || after.source.kind === 'url';
  const compared = sameVersion && digests && isPublished ? compareDigests(before, after) : 'same';
  if (compared === 'differ') aspects.push('integrity');
  if (!isSameSource(before, after)) aspects.push('moved');
  if (after.installScript === true && before.installScript !== true) aspects.push('install-script');
  if (compared === 'lost') aspects.push('integrity-lost');
  if (!sameVersion) aspects.push(directionOf(order(after.ecosystem, before.version, after.version)));
  else if (!sameCommit) aspects.push('changed');
  return aspects;
}

function directionOf(order: number | undefined): ChangeAspect {
  if (order === undefined || order === 0) return 'changed';
  return order < 0 ? 'upgraded' : 'downgraded';
}

function commitOf(source: Source): string | undefined {
  return source.kind === 'git' ? source.commit : undefined;
}

/**
 * Compares the digests of one version. A lockfile may list digests of several files: further files are no difference, but a file
 * that disappears while another appears is. `lost`: there is no common algorithm any more.
 */
function compareDigests(before: LockedPackage, after: LockedPackage): 'same' | 'differ' | 'lost' {
  if (before.integrity.length === 0) return 'same';
  const now = byAlgorithm(after.integrity);
  let common = 0;
  for (const [algorithm, digests] of byAlgorithm(before.integrity)) {
    const others = now.get(algorithm);
    if (others === undefined) continue;
    common += 1;
    if (!isSubset(digests, others) && !isSubset(others, digests)) return 'differ';
  }
  return common === 0 ? 'lost' : 'same';
}

function byAlgorithm(digests: readonly Integrity[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { algorithm, value, encoding } of digests) {
    const hex = encoding === 'hex' ? value.toLowerCase() : Buffer.from(value, 'base64').toString('hex');
    found.set(algorithm, (found.get(algorithm) ?? new Set()).add(hex));
  }
  return found;
}

function isSubset(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  return part.size <= whole.size && [...part].every((one) => whole.has(one));
}

/** Whether both states get the package from the same place. A registry that is not stated equals every registry. */
function isSameSource(before: LockedPackage, after: LockedPackage): boolean {
  const [left, right] = [before.source, after.source];
  if (left.kind === 'registry' && right.kind === 'registry') {
    if (left.url === undefined || right.url === undefined) return true;
    return isSameUrl(left.url, right.url, before.version === after.version);
  }
  if (left.kind === 'git' && right.kind === 'git') return left.url === right.url;
  if (left.kind === 'path' && right.kind === 'path') return left.path === right.path;
  // The URL of an archive contains its version.
  if (left.kind === 'url' && right.kind === 'url') {
    return isSameUrl(left.url, right.url, before.version === after.version);
  }
  return false;
}

/** The public npm registry has two host names: lockfiles of Yarn 1 name its alias. */
const NPM_HOST = /^registry\.(?:npmjs\.org|yarnpkg\.com)$/;

function serverOf({ host }: URL): string {
  return host.replace(NPM_HOST, 'npm');
}

/** One version has one URL. Of two versions, server and, where npm's form shows it, the name of the package are compared. */
function isSameUrl(left: string, right: string, sameVersion: boolean): boolean {
  if (left === right) return true;
  const [one, other] = [URL.parse(left), URL.parse(right)];
  if (one === null || other === null) return false;
  if (one.protocol !== other.protocol || serverOf(one) !== serverOf(other)) return false;
  const [path, otherPath] = [plainPath(one), plainPath(other)];
  if (sameVersion) return path === otherPath;
  const [name, otherName] = [npmName(path), npmName(otherPath)];
  return name === undefined || otherName === undefined || name === otherName;
}

function plainPath({ pathname }: URL): string {
  return pathname.replace(/(?<!\/)\/+$/, '').replaceAll(/%2f/gi, '/');
}

/** `/lodash` of `/lodash/-/lodash-4.17.21.tgz`. */
function npmName(path: string): string | undefined {
  const end = path.indexOf('/-/');
  return end < 0 ? undefined : path.slice(0, end);
}
