import { posix } from 'node:path';
import { identityOf } from '../../fleet/identity.ts';
import { namedIds } from '../../fleet/ledger/ledger-entries.ts';
import { allIds, type ComparedLockfile, lockfileDeltas } from '../../fleet/ledger/lockfile-deltas.ts';
import { fixedCompanions } from '../../lockfiles/companions.ts';
import { formatOfName } from '../../lockfiles/known-formats.ts';
import { createLockfileReader } from '../../lockfiles/threads/lockfile-reader.ts';
import { COMMAND_INLINE } from '../../lockfiles/threads/reading-limits.ts';
import { defined } from '../../model/defined.ts';
import type { LedgerEntry } from '../../model/fleet/ledger.ts';
import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import type { Git } from '../../sources/git/git-process.ts';
import { type CommitAtTime, readHistory } from '../../sources/git/history.ts';
import { requireBlobs, withBlobs } from '../../sources/git/objects.ts';
import { timeOfCommit } from '../../sources/git/read-repository.ts';
import { visitTree } from '../../sources/git/tree.ts';
import { isSkipped } from '../../sources/git/tree-lockfiles.ts';
import { IMPORTED } from '../../store/fleet/ledger-import.ts';
import { type CommittedLockfile, followLockfiles } from './history-lockfiles.ts';

/** Handing the packages of each commit over to another thread takes longer than reading them. */
const INLINE = { ...COMMAND_INLINE, bytes: 2_097_152 };

/** Stands for the packages that a lockfile held before a segment, where it cannot be read at the base of the segment. */
export const HELD_BEFORE = '?';

/** Commits that follow each other along first parents. */
export interface Segment {
  /** The commit whose lockfiles are read in whole. */
  readonly base: CommitAtTime;
  /** Whether the base is the first commit of the history, with which all of its packages came. */
  readonly isStart: boolean;
  readonly tip: string;
  /** Lockfiles that are left out, in the notation of `.gitignore`. */
  readonly exclude: readonly string[];
}

export interface SegmentHistory {
  /** The changes by each commit. Its packages have ids of their own, which are positions in `names`; one name may be `HELD_BEFORE`. */
  readonly entries: readonly LedgerEntry[];
  readonly names: readonly string[];
  readonly commits: number;
  /** Lockfiles that cannot be read in the base. */
  readonly unread: readonly string[];
}

/** Reads what the commits of a segment changed. Throws `SourceError`. */
export async function readSegment(
  git: Git,
  { base, isStart, tip, exclude }: Segment,
  onCommit: () => void,
): Promise<SegmentHistory> {
  const reader = createLockfileReader({ threads: 1, inline: INLINE });
  const entries: LedgerEntry[] = [];
  const names: string[] = [];
  const known = new Map<string, number>();
  const idOf = (identity: string): number => {
    const id = known.get(identity) ?? names.push(identity) - 1;
    known.set(identity, id);
    return id;
  };
  let commits = 0;
  let unread: readonly string[] = [];
  if (git.isLocal !== true) await requireContents(git, base.commit, tip);
  try {
    await withBlobs(git, async (blobs) => {
      const lockfiles = followLockfiles(blobs, reader, exclude);
      let current: ReadonlyMap<string, ComparedLockfile> = new Map();
      const apply = async (one: Parameters<typeof lockfiles.next>[0]) => {
        const { read, gone, failed } = await lockfiles.next(one);
        const next = new Map(current);
        for (const path of gone) next.delete(path);
        for (const file of read)
          next.set(file.path, compared(file, current.get(file.path), { commit: one.commit, idOf }));
        const files = lockfileDeltas([...current.values()], [...next.values()]);
        current = next;
        return { files, failed };
      };
      const add = (one: CommitAtTime, files: NonNullable<LedgerEntry['files']>) => {
        commits += 1;
        onCommit();
        if (files.length > 0) entries.push(entryOf(one, files));
      };
      const changes = new Map<string, string>();
      await visitTree(git, base.commit, ({ path, oid, isLink }) => void (isLink || changes.set(path, oid)));
      const start = await apply({ ...base, changes });
      unread = start.failed;
      if (isStart) add(base, start.files);
      else current = new Map([...current, ...unread.map((path) => [path, heldBefore(path, idOf)] as const)]);
      await readHistory(git, base.commit, tip, async (one) => add(one, (await apply(one)).files));
    });
  } finally {
    await reader.close();
  }
  const used = namedIds(entries);
  return { entries, names: names.map((name, id) => (used.has(id) ? name : '')), commits, unread };
}

/** Gets the lockfiles of a part of a history, and most of their companions, in one request. */
async function requireContents(git: Git, base: string, tip: string): Promise<void> {
  const companions = await fixedCompanions();
  const wanted = new Set<string>();
  const add = (path: string, oid: string | undefined): void => {
    if (oid === undefined || isSkipped(path)) return;
    if (companions.has(posix.basename(path)) || formatOfName(path) !== undefined) wanted.add(oid);
  };
  await visitTree(git, base, ({ path, oid, isLink }) => void (isLink || add(path, oid)));
  await readHistory(git, base, tip, async ({ changes }) => {
    for (const [path, oid] of changes) add(path, oid);
  });
  await requireBlobs(git, [...wanted]);
}

function heldBefore(path: string, idOf: (identity: string) => number): ComparedLockfile {
  const ids = { lookedUp: Uint32Array.of(idOf(HELD_BEFORE)), excluded: new Uint32Array() };
  return { path, inventory: HELD_BEFORE, ids };
}

/** The lockfile as it was when it has the same packages. */
function compared(
  { path, packages }: CommittedLockfile,
  before: ComparedLockfile | undefined,
  { commit, idOf }: { readonly commit: string; readonly idOf: (identity: string) => number },
): ComparedLockfile {
  const own = packages.map((one) => idOf(identityOf(one)));
  const distinct = new Set(own);
  const old = allIds(before);
  if (before !== undefined && distinct.size === old.length && old.every((id) => distinct.has(id)))
    return before;
  const lookedUp = Uint32Array.from(distinct).sort();
  const ids = { lookedUp, excluded: new Uint32Array() };
  return { path, inventory: commit, ids, rest: graphColumns(packages, own, lookedUp) };
}

/** The columns of a compact lockfile that say who brings a package. */
function graphColumns(
  packages: readonly LockedPackage[],
  own: readonly number[],
  ids: Uint32Array,
): NonNullable<ComparedLockfile['rest']> {
  const places = new Map(Array.from(ids, (id, place) => [id, place]));
  const indexes = new Map(packages.map(({ id }, index) => [id, index]));
  let last = 0;
  const positions = own.map((id) => {
    const place = places.get(id) ?? 0;
    const step = place - last;
    last = place;
    return step;
  });
  const dependencies = packages.map((one, index) =>
    one.dependencies === undefined
      ? null
      : one.dependencies.map((to) => {
          const other = indexes.get(to);
          return other === undefined ? to : other - index;
        }),
  );
  const direct = packages.map((one) => (one.direct === undefined ? '?' : one.direct ? '1' : '0')).join('');
  return { positions, direct, dependencies };
}

/** The time of a commit in an entry, in seconds since 1970; 0 for what is no time. */
export function secondsOf(time: string): number {
  const committedAt = timeOfCommit(time);
  const at = Math.floor((committedAt === undefined ? 0 : Date.parse(committedAt)) / 1_000);
  return Math.min(at, 0xffff_ffff);
}

function entryOf({ commit, time }: CommitAtTime, files: NonNullable<LedgerEntry['files']>): LedgerEntry {
  const committedAt = timeOfCommit(time);
  // A segment may know the lockfiles in another order than the history.
  const ordered = files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  return {
    at: secondsOf(time),
    scan: IMPORTED + commit,
    commit,
    ...defined({ committedAt }),
    files: ordered,
  };
}
