import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { awaitedLater } from '../../model/time-limit.ts';
import { chunks } from '../../model/yielding.ts';
import { SourceError, type SourceErrorCode } from '../../sources/errors.ts';
import type { Git } from '../../sources/git/git-process.ts';
import type { CommitAtTime } from '../../sources/git/history.ts';
import { readSegment, type Segment, type SegmentHistory } from './history-segment.ts';
import type { FromSegmentThread, SegmentRequest } from './segment-thread.ts';

/** Later lockfiles are larger: threads that are done take the next segment. */
const SEGMENTS_A_THREAD = 3;
/** Each takes a heap and a process of git. */
const MAX_THREADS = 4;
/** Reading the lockfiles at the beginning of a segment again must not cost more than the threads save. */
const MIN_SEGMENT = 50;
/** Memory follows the segments that are being read. */
const MAX_SEGMENT = 500;

interface ReadOptions {
  /** Whether the packages of the first commit came with it; otherwise it is only the base of the others. */
  readonly isStart: boolean;
  /** Lockfiles that are left out, in the notation of `.gitignore`. */
  readonly exclude: readonly string[];
  readonly onCommit: () => void;
  readonly threads?: number;
}

/**
 * Reads commits that follow each other, in segments, several at the same time in threads. Yields the segments in their order. Throws
 * `SourceError`.
 */
export async function* readSegments(
  git: Git,
  history: readonly CommitAtTime[],
  { isStart, exclude, onCommit, threads = Math.min(availableParallelism(), MAX_THREADS) }: ReadOptions,
): AsyncGenerator<SegmentHistory> {
  const wanted = threads * SEGMENTS_A_THREAD;
  const segments = segmentsOf(history, isStart, wanted).map((one) => ({ ...one, exclude }));
  if (segments.length > 1 && threads > 1) yield* readInThreads(git, segments, { threads, onCommit });
  else for (const one of segments) yield await readSegment(git, one, onCommit);
}

/** Parts of about the same number of commits. */
function segmentsOf(history: readonly CommitAtTime[], isStart: boolean, wanted: number) {
  const first = isStart ? 0 : 1;
  const length = history.length - first;
  const count = Math.max(Math.min(wanted, Math.floor(length / MIN_SEGMENT)), Math.ceil(length / MAX_SEGMENT));
  const size = Math.ceil(length / Math.max(1, count));
  return chunks(history.slice(first), Math.max(1, size)).flatMap((part, index) => {
    const base = history[Math.max(0, first + index * size - 1)];
    const tip = part.at(-1)?.commit;
    return base === undefined || tip === undefined ? [] : { base, isStart: isStart && index === 0, tip };
  });
}

/** Has the extension of this file: compiled programs start the compiled thread. */
const ENTRY = new URL(`segment-thread${extname(fileURLToPath(import.meta.url))}`, import.meta.url);

/** Yields the segments in their order. Throws the first error, a `SourceError`, or the reason of the signal. */
async function* readInThreads(
  { signal, ...git }: Git,
  segments: readonly Segment[],
  { threads, onCommit }: { readonly threads: number; readonly onCommit: () => void },
): AsyncGenerator<SegmentHistory> {
  const waiting = segments.map((segment) => ({ segment, read: Promise.withResolvers<SegmentHistory>() }));
  const coming = waiting.map(({ read }) => read.promise);
  const failed = Promise.withResolvers<never>();
  awaitedLater(failed.promise);
  const onAbort = (): void => failed.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const workers = segments.slice(0, threads).map(() => new Worker(ENTRY));
  for (const worker of workers) {
    worker.on('error', failed.reject).on('exit', () => failed.reject(new Error('a reading thread ended')));
    const readNext = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        next.read.resolve(await ask(worker, { git, segment: next.segment }, onCommit));
    };
    readNext().catch(failed.reject);
  }
  try {
    signal.throwIfAborted();
    for (let next = coming.shift(); next !== undefined; next = coming.shift())
      yield await Promise.race([next, failed.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
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
      else reject(new SourceError(answer.error.code as SourceErrorCode, answer.error.message));
    };
    worker.on('message', onMessage);
    worker.postMessage(request);
  });
}
