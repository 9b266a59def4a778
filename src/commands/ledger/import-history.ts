import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { openFleetStore } from '../../compose/fleet-store.ts';
import { inheritedEnvironment } from '../../config/inherited-environment.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { withOtherIds } from '../../fleet/ledger/ledger-entries.ts';
import { awaitedLater } from '../../model/time-limit.ts';
import { chunks } from '../../model/yielding.ts';
import { SourceError, type SourceErrorCode } from '../../sources/errors.ts';
import type { Git } from '../../sources/git/git-process.ts';
import { type CommitAtTime, firstParents } from '../../sources/git/history.ts';
import { commitOf, isShallow, openLocalRepository } from '../../sources/git/local-repository.ts';
import { LedgerError } from '../errors.ts';
import { readSegment, type Segment, type SegmentHistory } from './history-segment.ts';
import type { FromSegmentThread, SegmentRequest } from './segment-thread.ts';

/** A history of ten thousand commits takes minutes. */
const TIMEOUT_MS = 4 * 3_600_000;
/** Commits between two reports of progress. */
const PROGRESS = 100;
/** Later lockfiles are larger: threads that are done take the next segment. */
const SEGMENTS_A_THREAD = 3;
/** Each takes a heap and a process of git. */
const MAX_THREADS = 4;
/** Reading the lockfiles at the beginning of a segment again must not cost more than the threads save. */
const MIN_SEGMENT = 50;

export interface ImportOptions {
  /** Folder of the repository, or in it. */
  readonly repository: string;
  readonly target: string;
  readonly ref: string;
  /** ms since 1970: the history begins with the first commit of this time or later. */
  readonly since?: number | undefined;
  readonly signal: AbortSignal;
  readonly onProgress?: (commits: number) => void;
}

export interface ImportedHistory {
  readonly target: string;
  /** Commits that were read, and those among them whose changes are imported. */
  readonly commits: number;
  readonly entries: number;
  /** The history begins with the oldest commit of a shallow clone, so that earlier ones are not known. */
  readonly shallow?: true;
}

/** Puts the history of the lockfiles of a repository before the first scan in the ledger of a target. Throws `SourceError`, `LedgerError`. */
export async function importHistory(loaded: LoadedConfig, options: ImportOptions): Promise<ImportedHistory> {
  const {
    repository,
    target,
    ref,
    since = Number.NEGATIVE_INFINITY,
    signal,
    onProgress = () => {},
  } = options;
  const git = await openLocalRepository(repository, {
    inherited: inheritedEnvironment(),
    signal,
    timeoutMs: TIMEOUT_MS,
  });
  const tip = await commitOf(git, ref);
  const parents = await firstParents(git, tip);
  const first = parents.findIndex(({ time }) => Number(time) * 1_000 >= since);
  if (first < 0) throw new LedgerError('history-empty', `${git.what}: no commit of ${ref} is so recent`);
  const fleet = await openFleetStore(loaded);
  try {
    const store = fleet.of(target);
    const segments = await readSegments(git, parents.slice(first), onProgress);
    // Only packages that came or went get an id of the fleet, at the end: ids that nothing uses for an hour are given back.
    const named = [...new Set(segments.flatMap(({ names }) => names.filter((name) => name !== '')))];
    const ids = await store.packageIds.intern(named);
    const idOf = new Map(named.map((name, index) => [name, ids[index] ?? 0]));
    const entries = segments.flatMap(({ entries: own, names }) =>
      withOtherIds(own, new Map(names.map((name, id) => [id, idOf.get(name) ?? 0]))),
    );
    const [start, ...rest] = entries;
    const imported = await store.importLedger(
      target,
      start === undefined ? [] : [{ ...start, start: true }, ...rest],
    );
    if (imported === undefined)
      throw new LedgerError('target-unknown', `target ${target} has no ledger yet: scan it first`);
    const commits = segments.reduce((sum, one) => sum + one.commits, 0);
    const isCut = first === 0 && (await isShallow(git));
    return { target, commits, entries: imported, ...(isCut ? { shallow: true } : {}) };
  } finally {
    await fleet.close();
  }
}

/**
 * Reads commits that follow each other in segments, at the same time, in threads. Where a lockfile cannot be read at the beginning of a segment
 * and one before holds packages of it, the history is read from its beginning in one piece.
 */
export async function readSegments(
  git: Git,
  history: readonly CommitAtTime[],
  onProgress: (commits: number) => void,
  threads = Math.min(availableParallelism(), MAX_THREADS),
): Promise<readonly SegmentHistory[]> {
  let commits = 0;
  const onCommit = (): void => {
    commits += 1;
    if (commits % PROGRESS === 0) onProgress(commits);
  };
  const segments = segmentsOf(history, threads * SEGMENTS_A_THREAD);
  if (segments.length > 1 && threads > 1) {
    const read = await readInThreads(git, segments, { threads, onCommit });
    if (isWhole(read)) return read;
    commits = 0;
  }
  return await Promise.all(segmentsOf(history, 1).map((one) => readSegment(git, one, onCommit)));
}

/** Parts of about the same number of commits. */
function segmentsOf(commits: readonly CommitAtTime[], wanted: number): readonly Segment[] {
  const count = Math.max(1, Math.min(wanted, Math.floor(commits.length / MIN_SEGMENT)));
  const size = Math.ceil(commits.length / count);
  return chunks(commits, size).flatMap((part, index) => {
    const isStart = index === 0;
    const base = isStart ? part[0] : commits[index * size - 1];
    const tip = part.at(-1)?.commit;
    return base === undefined || tip === undefined ? [] : { base, isStart, tip };
  });
}

/** Whether no lockfile that is unread at the beginning of a segment holds packages of the segments before. */
function isWhole(segments: readonly SegmentHistory[]): boolean {
  const held = new Map<string, number>();
  for (const { entries, unread } of segments) {
    if (unread.some((path) => (held.get(path) ?? 0) > 0)) return false;
    for (const { path, came, went } of entries.flatMap(({ files = [] }) => files))
      held.set(path, (held.get(path) ?? 0) + came.length - went.length);
  }
  return true;
}

/** Has the extension of this file: compiled programs start the compiled thread. */
const ENTRY = new URL(`segment-thread${extname(fileURLToPath(import.meta.url))}`, import.meta.url);

/**
 * Reads the segments, each in one of some threads, and resolves to them in their order. Rejects with the first error, a `SourceError`, or the
 * reason of the signal.
 */
async function readInThreads(
  { signal, ...git }: Git,
  segments: readonly Segment[],
  { threads, onCommit }: { readonly threads: number; readonly onCommit: () => void },
): Promise<readonly SegmentHistory[]> {
  const waiting = [...segments.entries()];
  const read: SegmentHistory[] = [];
  const failed = Promise.withResolvers<never>();
  const onAbort = (): void => failed.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const workers = segments.slice(0, threads).map(() => new Worker(ENTRY));
  const ended = workers.map(async (worker) => {
    worker.on('error', failed.reject).on('exit', () => failed.reject(new Error('a reading thread ended')));
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, segment] = next;
      read[index] = await ask(worker, { git, segment }, onCommit);
    }
  });
  try {
    signal.throwIfAborted();
    await Promise.race([Promise.all(ended), failed.promise]);
    return read;
  } finally {
    signal.removeEventListener('abort', onAbort);
    awaitedLater(failed.promise);
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

function ask(worker: Worker, request: SegmentRequest, onCommit: () => void): Promise<SegmentHistory> {
  return new Promise((resolve, reject) => {
    const onMessage = (answer: FromSegmentThread): void => {
      if (answer === 'commit') {
        onCommit();
        return;
      }
      worker.off('message', onMessage);
      if ('read' in answer) resolve(answer.read);
      else if ('error' in answer)
        reject(new SourceError(answer.error.code as SourceErrorCode, answer.error.message));
      else reject(answer.fault);
    };
    worker.on('message', onMessage);
    worker.postMessage(request);
  });
}
