import { posix } from 'node:path';
import ignore from 'ignore';
import { MAX_COMPANION_BYTES, searchCompanions } from '../../lockfiles/companions.ts';
import type { Companion } from '../../lockfiles/format.ts';
import { lockfileFormat } from '../../lockfiles/known-formats.ts';
import { DEFAULT_LIMITS } from '../../lockfiles/read-as.ts';
import { BlockMemo } from '../../lockfiles/syntax/block-memo.ts';
import type { LockfileReader } from '../../lockfiles/threads/lockfile-reader.ts';
import { CodedError } from '../../model/errors.ts';
import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import type { HistoryCommit } from '../../sources/git/history.ts';
import type { BlobReader } from '../../sources/git/objects.ts';
import { isSkipped } from '../../sources/git/tree-lockfiles.ts';

/** A lockfile as a commit has it. */
export interface CommittedLockfile {
  readonly path: string;
  /** The packages of the last commit in which it could be read. */
  readonly packages: readonly LockedPackage[];
}

interface CommittedChanges {
  readonly read: readonly CommittedLockfile[];
  readonly gone: readonly string[];
  readonly failed: readonly string[];
}

interface Known extends CommittedLockfile {
  readonly format: string;
  /** The files that it was read from: blobs by path, also of paths that do not exist. */
  readonly from: ReadonlyMap<string, string | undefined>;
}

/**
 * Follows the lockfiles of a repository from commit to commit. A lockfile is read again when its content changed, or a companion that it
 * names. `next` resolves to the lockfiles of a commit that changed, the changed paths that are none, and those of lockfiles that no commit had
 * in a form that can be read.
 */
export function followLockfiles(contents: BlobReader, reader: LockfileReader, exclude: readonly string[]) {
  const excluded = ignore().add([...exclude]);
  const blobs = new Map<string, string>();
  /** Names of possible lockfiles by folder: some count only without others beside them. */
  const namesIn = new Map<string, Set<string>>();
  const known = new Map<string, Known>();
  const memos = new Map<string, BlockMemo>();
  /** The lockfiles that were read from a path, or could not be. */
  const readers = new Map<string, Set<string>>();
  const isCandidate = (path: string) =>
    !isSkipped(path) && lockfileFormat(path, new Set()) !== undefined && !excluded.ignores(path);
  const apply = ({ changes }: HistoryCommit): Set<string> => {
    const touched = new Set<string>();
    for (const [path, oid] of changes) {
      if (oid === undefined) blobs.delete(path);
      else blobs.set(path, oid);
      for (const lockfile of readers.get(path) ?? []) touched.add(lockfile);
      if (!isCandidate(path)) continue;
      const folder = posix.dirname(path);
      const names = namesIn.get(folder) ?? new Set();
      if (oid === undefined) names.delete(posix.basename(path));
      else names.add(posix.basename(path));
      namesIn.set(folder, names);
      touched.add(path);
      for (const name of names) touched.add(posix.join(folder, name));
    }
    return touched;
  };
  const read = async (path: string, format: string): Promise<Known | undefined> => {
    const from = new Map<string, string | undefined>();
    const contentOf = async (name: string, maxBytes: number): Promise<Buffer | undefined> => {
      const oid = blobs.get(name);
      from.set(name, oid);
      readers.set(name, (readers.get(name) ?? new Set()).add(path));
      return oid === undefined ? undefined : await contents.read(oid, maxBytes);
    };
    const before = known.get(path);
    const content = await contentOf(path, DEFAULT_LIMITS.maxBytes);
    const companions: Companion[] = [];
    const search = content && (await searchCompanions({ path, format }, content));
    for (let name = search?.next(); name !== undefined; name = search?.next()) {
      const place = posix.join(posix.dirname(path), name);
      if (place.startsWith('../')) continue;
      const own = await contentOf(place, MAX_COMPANION_BYTES);
      if (own === undefined) continue;
      companions.push({ name, content: own });
      search?.found(name, own);
    }
    // As a scan that cannot read it, which keeps its packages.
    const unread = before === undefined ? undefined : { ...before, from };
    if (content === undefined) return unread;
    const memo = memos.get(path) ?? new BlockMemo();
    memos.set(path, memo);
    try {
      const { packages } = await reader.read({ path, content, format, companions, memo });
      return { path, format, packages, from };
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      return unread;
    }
  };
  /** The format of a lockfile that has to be read; `undefined` for one that is as it was, and `GONE` for what is no lockfile now. */
  const formatToRead = (path: string): string | undefined => {
    const names = namesIn.get(posix.dirname(path)) ?? new Set();
    const format = blobs.has(path) ? lockfileFormat(path, names)?.name : undefined;
    if (format === undefined) return GONE;
    const { format: last, from = [] } = known.get(path) ?? {};
    return last === format && [...from].every(([name, oid]) => blobs.get(name) === oid) ? undefined : format;
  };
  const readAgain = async (path: string, format: string): Promise<Known | undefined> => {
    const before = known.get(path);
    const now = await read(path, format);
    if (now === undefined) return undefined;
    known.set(path, now);
    return now.packages === before?.packages ? undefined : now;
  };
  return {
    async next(commit: HistoryCommit): Promise<CommittedChanges> {
      const found: CommittedLockfile[] = [];
      const failed: string[] = [];
      const gone: string[] = [];
      for (const path of apply(commit)) {
        const format = formatToRead(path);
        if (format === undefined) continue;
        if (format === GONE) {
          known.delete(path);
          memos.delete(path);
          gone.push(path);
          continue;
        }
        const now = await readAgain(path, format);
        if (now !== undefined) found.push(now);
        else if (!known.has(path)) failed.push(path);
      }
      return { read: found, gone, failed };
    },
  };
}

/** Stands for the format of what is no lockfile. */
const GONE = '';
