import { realpathSync, statSync } from 'node:fs';
import { posix, relative, resolve, sep } from 'node:path';
import type { CacheOptions } from '../../compose/look-up-cache.ts';
import { inheritedEnvironment } from '../../config/inherited-environment.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { requireFormat } from '../../lockfiles/known-formats.ts';
import { DEFAULT_LIMITS } from '../../lockfiles/read-as.ts';
import { createLockfileReader, type LockfileReader } from '../../lockfiles/threads/lockfile-reader.ts';
import { COMMAND_INLINE } from '../../lockfiles/threads/reading-limits.ts';
import { cacheKeyOf } from '../../lockfiles/yarn-lock/cache-key.ts';
import type { LockedPackage, Lockfile } from '../../model/lockfile/lockfile.ts';
import type {
  ComparisonGap,
  LockfileChanges,
  LockfileComparison,
} from '../../model/review/package-change.ts';
import { compareLockfiles } from '../../policy/review/compare-lockfiles.ts';
import { withLicences } from '../../policy/review/licence-changes.ts';
import { type ProducedLockfile, readLockfiles } from '../../scan/read.ts';
import { commitOf, openLocalRepository } from '../../sources/git/local-repository.ts';
import { versionOrder } from '../../versions/version-order.ts';
import { readLockfilePaths } from '../lockfile-paths.ts';
import { ReviewError } from './errors.ts';
import { readGitLockfiles } from './git-lockfiles.ts';

export interface DiffOptions {
  /** Files, folders, or `<ref>:<path>` of git. */
  readonly old: string;
  readonly new: string;
  readonly format?: string | undefined;
  /** Set: the licences of all packages are looked up. */
  readonly licences?: CacheOptions | undefined;
  readonly signal: AbortSignal;
}

/**
 * Compares the packages of lockfiles in two states. What cannot be read is a gap, and the rest is compared. Throws `ReviewError`,
 * `ScanError` (`nothing-to-scan`), `SourceError`, `LockfileError` (`unknown-format`).
 */
export async function diffLockfiles(
  loaded: LoadedConfig,
  { old, new: current, format, licences, signal }: DiffOptions,
): Promise<LockfileComparison> {
  requireFormat('--as', format);
  const { config } = loaded;
  const { maxBytes } = config.lockfiles;
  const before = await readSide({ text: old, format, maxBytes, signal });
  const after = await readSide({ text: current, format, maxBytes, signal });
  const reader = createLockfileReader({ threads: 1, inline: COMMAND_INLINE });
  const gaps: ComparisonGap[] = [];
  const lockfiles: LockfileChanges[] = [];
  const packages = { old: [] as LockedPackage[], current: [] as LockedPackage[] };
  try {
    for (const pair of pairsOf(before, after)) {
      const [left, right] = [
        await parse('old', pair.before, { reader, limits: config.lockfiles, gaps, signal }),
        await parse('new', pair.after, { reader, limits: config.lockfiles, gaps, signal }),
      ];
      // A file that was not read is not an empty one.
      if (left === 'unread' || right === 'unread') continue;
      lockfiles.push(await changesOf(pair, left, right));
      if (licences === undefined) continue;
      for (const one of left?.packages ?? []) packages.old.push(one);
      for (const one of right?.packages ?? []) packages.current.push(one);
    }
  } finally {
    await reader.close();
  }
  const comparison = { old, new: current, lockfiles, gaps };
  if (licences === undefined) return comparison;
  const { lookUpLicences } = await import('./look-up-licences.ts');
  const all = [...packages.old, ...packages.current];
  const found = await lookUpLicences(loaded, all, { cache: licences, signal });
  return withLicences({ ...comparison, gaps: [...gaps, ...found.gaps] }, packages, found.licences);
}

interface FilePair {
  readonly path: string;
  readonly before?: ProducedLockfile | undefined;
  readonly after?: ProducedLockfile | undefined;
}

/** Lockfiles with the same path in their folders, in the order of their paths; two named files are a pair. */
function pairsOf(old: Side, current: Side): readonly FilePair[] {
  const [before] = old.lockfiles;
  const [after] = current.lockfiles;
  if (old.isFile && current.isFile && before !== undefined && after !== undefined) {
    return [{ path: after.path, before, after }];
  }
  if (old.isFile !== current.isFile) {
    throw new ReviewError('nothing-to-compare', 'a file is compared with a file, and a folder with a folder');
  }
  const byPath = (side: Side) => new Map(side.lockfiles.map((file) => [file.path, file]));
  const [left, right] = [byPath(old), byPath(current)];
  return [...new Set([...left.keys(), ...right.keys()])]
    .sort()
    .map((path) => ({ path, before: left.get(path), after: right.get(path) }));
}

interface Parsing {
  readonly reader: LockfileReader;
  readonly limits: LoadedConfig['config']['lockfiles'];
  readonly gaps: ComparisonGap[];
  readonly signal: AbortSignal;
}

/** The content of a file; `undefined` where this side has none. */
async function parse(
  side: ComparisonGap['side'],
  file: ProducedLockfile | undefined,
  { reader, limits, gaps, signal }: Parsing,
): Promise<Lockfile | 'unread' | undefined> {
  if (file === undefined) return undefined;
  const reading = { limits: { ...DEFAULT_LIMITS, ...limits }, read: reader.read };
  const { read, unread } = await readLockfiles([file], reading, { signal, lastAttempt: true, progress() {} });
  for (const { path, error } of unread) gaps.push({ side, subject: path, reason: error.message });
  for (const { path, lockfile } of read) {
    for (const { kind, line, message } of lockfile.problems) {
      if (kind !== 'unread') continue;
      gaps.push({ side, subject: line === undefined ? path : `${path}:${line}`, reason: message });
    }
  }
  return read[0]?.lockfile ?? 'unread';
}

async function changesOf(
  { path, before, after }: FilePair,
  left: Lockfile | undefined,
  right: Lockfile | undefined,
): Promise<LockfileChanges> {
  const digests = haveSameDigests(before, after);
  const options = { order: versionOrder, digests };
  const compared = await compareLockfiles(left?.packages ?? [], right?.packages ?? [], options);
  return {
    path,
    status: statusOf(left, right, compared.changes.length),
    ...compared,
    notes: digests ? [] : [NO_DIGESTS],
  };
}

const NO_DIGESTS =
  "checksums were not compared: both sides state those of different versions of yarn's cache";

function haveSameDigests(before: ProducedLockfile | undefined, after: ProducedLockfile | undefined): boolean {
  const keys = [before, after].map((file) =>
    file !== undefined && 'content' in file ? cacheKeyOf(bytesOf(file.content)) : undefined,
  );
  return keys[0] === keys[1] || before === undefined || after === undefined;
}

function bytesOf(content: string | Buffer): Buffer {
  return typeof content === 'string' ? Buffer.from(content) : content;
}

function statusOf(
  before: Lockfile | undefined,
  after: Lockfile | undefined,
  changes: number,
): LockfileChanges['status'] {
  if (before === undefined) return 'added';
  if (after === undefined) return 'removed';
  return changes === 0 ? 'unchanged' : 'changed';
}

interface SideOptions {
  /** A file, a folder, or `<ref>:<path>` of the repository of the current folder. */
  readonly text: string;
  readonly format?: string | undefined;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** The lockfiles of one side of a comparison. */
interface Side {
  /** Relative to the folder that was named. */
  readonly lockfiles: readonly ProducedLockfile[];
  /** Set when a single file was named: it is compared with that of the other side, whatever its name. */
  readonly isFile: boolean;
}

/** Reads one side. Throws `ReviewError`, `ScanError` (`nothing-to-scan`), `SourceError`. */
async function readSide(options: SideOptions): Promise<Side> {
  const { text, format, maxBytes, signal } = options;
  const [, ref, path] = /^([^:]+):(.*)$/s.exec(text) ?? [];
  const stats = statSync(text, { throwIfNoEntry: false });
  if (ref !== undefined && path !== undefined && !/^(?:[a-z]|\.{1,2}[\\/].*)$/is.test(ref)) {
    if (stats === undefined) return await readRevision(ref, path, options);
    const advice = `write ./${text} for the file`;
    throw new ReviewError('ambiguous', `${text}: is a file and may be a path of a git revision; ${advice}`);
  }
  if (stats === undefined) {
    const advice = `write ${text}: for the lockfiles of a git revision`;
    throw new ReviewError('no-such-side', `${text}: no such file or folder; ${advice}`);
  }
  const lockfiles = await readLockfilePaths({ paths: [text], format, maxBytes, signal });
  return { lockfiles, isFile: !stats.isDirectory() };
}

async function readRevision(
  ref: string,
  path: string,
  { text, format, maxBytes, signal }: SideOptions,
): Promise<Side> {
  const repository = await openLocalRepository('.', { inherited: inheritedEnvironment(), signal });
  const commit = await commitOf(repository, ref);
  const below = pathInRepository(repository.root, path);
  const files = await readGitLockfiles(repository, commit, {
    paths: below === '' ? [] : [below],
    format,
    maxBytes,
  });
  if (files.length === 0) throw new ReviewError('nothing-to-compare', `${text}: there is no lockfile`);
  if (files.length === 1 && files[0]?.path === below) {
    return { lockfiles: [{ ...files[0], path: posix.basename(below) }], isFile: true };
  }
  const start = below === '' ? 0 : below.length + 1;
  return { lockfiles: files.map((file) => ({ ...file, path: file.path.slice(start) })), isFile: false };
}

/** As git reads it: below the root of the repository, or with `./` below the current folder. */
function pathInRepository(root: string | undefined, path: string): string {
  const isRelative = /^\.{1,2}(?:\/|$)/.test(path);
  const whole =
    isRelative && root !== undefined
      ? relative(realpathSync(root), resolve(realpathSync('.'), path))
          .split(sep)
          .join('/')
      : posix.normalize(path === '' ? '.' : path);
  const plain = whole.replace(/^\.\/?$/, '').replace(/(?<!\/)\/+$/, '');
  if (plain === '..' || plain.startsWith('../') || posix.isAbsolute(plain)) {
    throw new ReviewError('no-such-side', `${path}: is not a path in the repository`);
  }
  return plain;
}
