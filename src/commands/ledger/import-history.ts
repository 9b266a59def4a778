import { openFleetStore } from '../../compose/fleet-store.ts';
import { inheritedEnvironment } from '../../config/inherited-environment.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { compactLockfile } from '../../fleet/compact-lockfile.ts';
import { identityOf } from '../../fleet/identity.ts';
import { namedIds, withOtherIds } from '../../fleet/ledger/ledger-entries.ts';
import { allIds, type ComparedLockfile, lockfileDeltas } from '../../fleet/ledger/lockfile-deltas.ts';
import { createLockfileReader } from '../../lockfiles/threads/lockfile-reader.ts';
import { COMMAND_INLINE } from '../../lockfiles/threads/reading-limits.ts';
import { defined } from '../../model/defined.ts';
import type { LedgerEntry } from '../../model/fleet/ledger.ts';
import type { Git } from '../../sources/git/git-process.ts';
import { readHistory } from '../../sources/git/history.ts';
import { commitOf, openLocalRepository } from '../../sources/git/local-repository.ts';
import { withBlobs } from '../../sources/git/objects.ts';
import { timeOfCommit } from '../../sources/git/read-repository.ts';
import { IMPORTED } from '../../store/fleet/ledger-import.ts';
import { LedgerError } from '../errors.ts';
import { type CommittedLockfile, followLockfiles } from './history-lockfiles.ts';

/** Handing the packages of each commit over to another thread takes longer than reading them. */
const INLINE = { ...COMMAND_INLINE, bytes: 2_097_152 };
/** A history of ten thousand commits takes minutes. */
const TIMEOUT_MS = 4 * 3_600_000;

export interface ImportOptions {
  /** Folder of the repository, or in it. */
  readonly repository: string;
  readonly target: string;
  readonly ref: string;
  readonly signal: AbortSignal;
  readonly onProgress?: (commits: number) => void;
}

export interface ImportedHistory {
  readonly target: string;
  /** Commits that were read, and those among them whose changes are imported. */
  readonly commits: number;
  readonly entries: number;
}

/** Puts the history of the lockfiles of a repository before the first scan in the ledger of a target. Throws `SourceError`, `LedgerError`. */
export async function importHistory(loaded: LoadedConfig, options: ImportOptions): Promise<ImportedHistory> {
  const { repository, target, ref, signal, onProgress = () => {} } = options;
  const git = await openLocalRepository(repository, {
    inherited: inheritedEnvironment(),
    signal,
    timeoutMs: TIMEOUT_MS,
  });
  const tip = await commitOf(git, ref);
  const fleet = await openFleetStore(loaded);
  const reader = createLockfileReader({ threads: 1, inline: INLINE });
  try {
    const store = fleet.of(target);
    const { entries, names, commits } = await readEntries(git, tip, { reader, onProgress });
    // Only packages that came or went get an id of the fleet, at the end: ids that nothing uses for an hour are given back.
    const own = [...namedIds(entries)];
    const ids = await store.packageIds.intern(own.map((id) => names[id] ?? ''));
    const others = new Map(own.map((id, index) => [id, ids[index] ?? 0]));
    const imported = await store.importLedger(target, withOtherIds(entries, others));
    if (imported === undefined)
      throw new LedgerError('target-unknown', `target ${target} has no ledger yet: scan it first`);
    return { target, commits, entries: imported };
  } finally {
    await reader.close();
    await fleet.close();
  }
}

interface Reading {
  readonly reader: ReturnType<typeof createLockfileReader>;
  readonly onProgress: (commits: number) => void;
}

/** What each commit changed. Its packages have ids of their own, which are positions in `names`. */
async function readEntries(git: Git, tip: string, { reader, onProgress }: Reading) {
  const entries: LedgerEntry[] = [];
  const names: string[] = [];
  const known = new Map<string, number>();
  const idOf = (identity: string): number => {
    const id = known.get(identity) ?? names.push(identity) - 1;
    known.set(identity, id);
    return id;
  };
  let commits = 0;
  await withBlobs(git, async (blobs) => {
    const lockfiles = followLockfiles(blobs, reader);
    let current = new Map<string, ComparedLockfile>();
    await readHistory(git, tip, async (one) => {
      commits += 1;
      if (commits % 100 === 0) onProgress(commits);
      const { read, gone } = await lockfiles.next(one);
      const next = new Map(current);
      for (const path of gone) next.delete(path);
      for (const file of read) {
        const before = current.get(file.path);
        next.set(file.path, await compared(file, { idOf, before, commit: one.commit }));
      }
      const files = lockfileDeltas([...current.values()], [...next.values()]);
      current = next;
      if (files.length > 0) entries.push(entryOf(one, files, entries.length === 0));
    });
  });
  return { entries, names, commits };
}

interface Compared {
  readonly idOf: (identity: string) => number;
  readonly before: ComparedLockfile | undefined;
  readonly commit: string;
}

/** The lockfile as it was when it has the same packages. */
async function compared(
  { path, packages, format }: CommittedLockfile,
  { idOf, before, commit }: Compared,
): Promise<ComparedLockfile> {
  const identities = packages.map(identityOf);
  const own = identities.map(idOf);
  const old = new Set(allIds(before));
  if (before !== undefined && new Set(own).size === old.size && own.every((id) => old.has(id))) return before;
  const resolved = packages.map((one) => ({ ...one, resolution: { outcome: 'resolved' as const } }));
  const { ids, rest } = await compactLockfile({ format, problems: [], packages: resolved }, identities, own);
  return { path, inventory: commit, ids, rest };
}

function entryOf(
  { commit, time }: { readonly commit: string; readonly time: string },
  files: NonNullable<LedgerEntry['files']>,
  isFirst: boolean,
): LedgerEntry {
  const committedAt = timeOfCommit(time);
  const at = Math.floor((committedAt === undefined ? 0 : Date.parse(committedAt)) / 1_000);
  const start = isFirst ? { start: true as const } : {};
  return {
    at: Math.min(at, 0xffff_ffff),
    scan: IMPORTED + commit,
    commit,
    ...defined({ committedAt }),
    ...start,
    files,
  };
}
