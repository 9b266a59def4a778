import { openFleetStore } from '../../compose/fleet-store.ts';
import { inheritedEnvironment } from '../../config/inherited-environment.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { compactLockfile } from '../../fleet/compact-lockfile.ts';
import { identityOf } from '../../fleet/identity.ts';
import { type ComparedLockfile, lockfileDeltas } from '../../fleet/ledger/lockfile-deltas.ts';
import { createLockfileReader } from '../../lockfiles/threads/lockfile-reader.ts';
import { COMMAND_INLINE } from '../../lockfiles/threads/reading-limits.ts';
import { defined } from '../../model/defined.ts';
import type { LedgerEntry } from '../../model/fleet/ledger.ts';
import { readHistory } from '../../sources/git/history.ts';
import { commitOf, openLocalRepository } from '../../sources/git/local-repository.ts';
import { withBlobs } from '../../sources/git/objects.ts';
import { timeOfCommit } from '../../sources/git/read-repository.ts';
import { IMPORTED } from '../../store/fleet/ledger-import.ts';
import type { PackageIds } from '../../store/fleet/package-ids.ts';
import { LedgerError } from '../errors.ts';
import { type CommittedLockfile, followLockfiles } from './history-lockfiles.ts';

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
  const reader = createLockfileReader({ threads: 1, inline: COMMAND_INLINE });
  try {
    const store = fleet.of(target);
    const entries: LedgerEntry[] = [];
    let commits = 0;
    await withBlobs(git, async (blobs) => {
      const lockfiles = followLockfiles(blobs, reader);
      let current = new Map<string, ComparedLockfile>();
      await readHistory(git, tip, async (one) => {
        commits += 1;
        if (commits % 100 === 0) onProgress(commits);
        const { read, gone } = await lockfiles.next(one);
        if (read.length + gone.length === 0) return;
        const next = new Map(current);
        for (const path of gone) next.delete(path);
        for (const file of read) next.set(file.path, await compared(store.packageIds, file, one.commit));
        const files = lockfileDeltas([...current.values()], [...next.values()]);
        current = next;
        if (files.length > 0) entries.push(entryOf(one, files, entries.length === 0));
      });
    });
    const imported = await store.importLedger(target, entries);
    if (imported === undefined)
      throw new LedgerError('target-unknown', `target ${target} has no ledger yet: scan it first`);
    return { target, commits, entries: imported };
  } finally {
    await reader.close();
    await fleet.close();
  }
}

async function compared(
  packageIds: PackageIds,
  { path, packages, format }: CommittedLockfile,
  commit: string,
): Promise<ComparedLockfile> {
  const resolved = packages.map((one) => ({ ...one, resolution: { outcome: 'resolved' as const } }));
  const identities = resolved.map(identityOf);
  const own = await packageIds.intern(identities);
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
