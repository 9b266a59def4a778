import type { CacheOptions } from '../../compose/look-up-cache.ts';
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
import { versionOrder } from '../../versions/version-order.ts';
import { ReviewError } from './errors.ts';
import { readSide, type Side } from './sides.ts';

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
