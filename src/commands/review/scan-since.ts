import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, posix, relative, sep } from 'node:path';
import { inheritedEnvironment } from '../../config/inherited-environment.ts';
import { sharedFolder } from '../../lockfiles/discover.ts';
import type { ComparisonBase } from '../../model/review/scan-comparison.ts';
import type { Finding } from '../../model/scan/finding.ts';
import type { ResolvedPackage } from '../../model/scan/inventory.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { compareScans, hashesOf } from '../../policy/review/compare-scans.ts';
import type { ProducedLockfile, ScanRequest } from '../../scan/read.ts';
import type { LocalRepository } from '../../sources/git/local-repository.ts';
import { commitOf, mergeBase, openLocalRepository } from '../../sources/git/local-repository.ts';
import { type LockfilePaths, readLockfilePaths } from '../lockfile-paths.ts';
import { isLarge, limitGarbage } from '../scanning/large-scan.ts';
import { ReviewError } from './errors.ts';
import { readGitLockfiles } from './git-lockfiles.ts';

/**
 * Scans both sides of a range, the older one first, as two scans of one target: the second verdict says what changed. Look-ups of
 * packages that both sides have are made once. `added`: package versions that the older side does not have. Throws what `readRevisions`
 * throws.
 */
export async function scanRevisions(
  scan: (request: Promise<ScanRequest>) => Promise<ScanReport>,
  { target, ...options }: RevisionOptions & { readonly target: string },
): Promise<{ readonly report: ScanReport; readonly added: readonly ResolvedPackage[] }> {
  const { base, before, after } = await readRevisions(options);
  if (isLarge([...before, ...after])) limitGarbage();
  const request = async (lockfiles: readonly ProducedLockfile[]): Promise<ScanRequest> => {
    return { target: { id: target }, lockfiles };
  };
  // A commit without lockfiles has no findings, and nothing to scan.
  const old = before.length === 0 ? undefined : await scan(request(before));
  const report = withoutAges(await scan(request(after)));
  const facts = {
    base,
    findings: old?.verdict.findings ?? [],
    gaps: old?.verdict.gaps ?? [],
    hashes: hashesOf(old === undefined ? [] : [...old.inventory.lockfiles, ...old.inventory.unread]),
  };
  const held = packagesIn(old);
  const added = [...packagesIn(report)].flatMap(([purl, one]) => (held.has(purl) ? [] : one));
  return { report: { ...report, comparison: compareScans(report, facts) }, added };
}

function packagesIn(report: ScanReport | undefined): ReadonlyMap<string, ResolvedPackage> {
  const all = report?.inventory.lockfiles.flatMap(({ packages }) => packages) ?? [];
  return new Map(all.map((one) => [one.purl, one]));
}

/** The report without ages. Both sides were scanned just now: since when a finding is open is not known. */
function withoutAges(report: ScanReport): ScanReport {
  const { findings, changes } = report.verdict;
  const verdict = {
    ...report.verdict,
    findings: findings.map(withoutAge),
    changes: changes.map((change) => ({ ...change, finding: withoutAge(change.finding) })),
  };
  return { ...report, verdict };
}

function withoutAge({ age: _age, due: _due, ...finding }: Finding): Finding {
  return finding;
}

/** `paths`: all in one repository. `onRead`: called for each lockfile of the newer side that is a file here. */
interface RevisionOptions extends LockfilePaths {
  /** As `git diff` reads it: `<ref>`, `<ref>...`, `<ref>..<ref>` or `<ref>...<ref>`. */
  readonly range: string;
  readonly signal: AbortSignal;
}

/**
 * Reads the lockfiles of both sides: the older one from git, the newer one from git or, when the range has no end, from the files
 * here. Nothing is checked out. Throws `ReviewError`, `SourceError`, `ScanError` (`nothing-to-scan`).
 */
async function readRevisions(options: RevisionOptions) {
  const { range, paths, format, maxBytes, signal, onRead } = options;
  const { from, to, fromCommon } = partsOf(range);
  const repository = await openLocalRepository(folderOf(paths), {
    inherited: inheritedEnvironment(),
    signal,
  });
  const places = paths.map((path) => placeOf(repository, path));
  const start = await commitOf(repository, from);
  const end = to === undefined ? undefined : await commitOf(repository, to);
  const commit = fromCommon
    ? await mergeBase(repository, start, end ?? (await commitOf(repository, 'HEAD')))
    : start;
  const read = async (at: string) =>
    placed(await readGitLockfiles(repository, at, { paths: pathsOf(places), format, maxBytes }), places);
  const before = await read(commit);
  const base: ComparisonBase = { kind: 'git', name: range, commit };
  if (end !== undefined) {
    const after = await read(end);
    if (before.length + after.length > 0) return { base, before: plain(before), after: plain(after) };
    throw new ReviewError('nothing-to-compare', `${range}: neither side has a lockfile`);
  }
  const after = await readLockfilePaths({ paths, format, maxBytes, signal, onRead });
  const found = new Set(after.map(({ path }) => path));
  // A search here ignores some of the files that a commit has: they are no part of either side.
  const searched = before.filter(
    ({ file, path }) => found.has(file.path) || !existsSync(join(repository.root ?? '', path)),
  );
  return { base, before: plain(searched), after };
}

interface Range {
  readonly from: string;
  /** The revision to compare with; absent: the files here. */
  readonly to?: string;
  /** Whether the comparison begins at the newest common commit. */
  readonly fromCommon: boolean;
}

function partsOf(range: string): Range {
  const [, from = range, dots, to = ''] = /^(.*?)(\.{2,3})(.*)$/s.exec(range) ?? [];
  const fromCommon = dots === '...';
  if (dots === undefined || (fromCommon && to === '')) return { from, fromCommon };
  return { from, to: to === '' ? 'HEAD' : to, fromCommon };
}

/** A named file or folder, with its path in the repository: empty for the root. */
interface Place {
  readonly path: string;
  readonly isFolder: boolean;
}

function folderOf([first = '.']: readonly string[]): string {
  const stats = statSync(first, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return first;
  const folder = dirname(first);
  return existsSync(folder) ? folder : '.';
}

function placeOf({ root }: LocalRepository, given: string): Place {
  if (root === undefined) {
    const path = posix.normalize(given.split(sep).join('/')).replace(/^\.\/?$|(?<!\/)\/+$/g, '');
    if (path !== '..' && !path.startsWith('../') && !posix.isAbsolute(path)) return { path, isFolder: true };
    throw new ReviewError('no-such-side', `${given}: is not a path in the repository`);
  }
  const folder = statSync(given, { throwIfNoEntry: false })?.isDirectory() === true;
  // A link that is named is read here, and its own path in the commit.
  const real = folder ? realpathSync(given) : join(realFolder(given), basename(given));
  const path = relative(realpathSync(root), real).split(sep).join('/');
  if (path !== '..' && !path.startsWith('../') && !posix.isAbsolute(path)) return { path, isFolder: folder };
  throw new ReviewError('no-such-side', `${given}: is not in the repository ${root}`);
}

function realFolder(path: string): string {
  const folder = dirname(path);
  if (existsSync(folder)) return realpathSync(folder);
  throw new ReviewError('no-such-side', `${path}: no such file or folder`);
}

function pathsOf(places: readonly Place[]): readonly string[] {
  return places.some(({ path }) => path === '') ? [] : places.map(({ path }) => path);
}

interface PlacedFile {
  /** The file with the path that a scan of the named files and folders gives it. */
  readonly file: ProducedLockfile;
  /** In the repository. */
  readonly path: string;
}

/** The files in the named places, with their paths below the folder that all places share. */
function placed(files: readonly ProducedLockfile[], places: readonly Place[]): readonly PlacedFile[] {
  const base = sharedFolder(
    places.map(({ path, isFolder }) => posix.join('/', isFolder ? path : posix.dirname(path))),
  );
  const isNamed = (path: string) =>
    places.some(
      (place) =>
        place.path === path || (place.isFolder && (place.path === '' || path.startsWith(`${place.path}/`))),
    );
  return files
    .filter(({ path }) => isNamed(path))
    .map((file) => ({ file: { ...file, path: posix.relative(base, `/${file.path}`) }, path: file.path }));
}

function plain(files: readonly PlacedFile[]): readonly ProducedLockfile[] {
  return files.map(({ file }) => file);
}
