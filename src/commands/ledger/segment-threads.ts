import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { SourceError, type SourceErrorCode } from '../../sources/errors.ts';
import type { Git } from '../../sources/git/git-process.ts';
import type { Segment, SegmentHistory } from './history-segment.ts';
import type { FromSegmentThread, SegmentRequest } from './segment-thread.ts';

/** Has the extension of this file: compiled programs start the compiled thread. */
const ENTRY = new URL(`segment-thread${extname(fileURLToPath(import.meta.url))}`, import.meta.url);

/**
 * Reads the segments, each in one of some threads, and resolves to them in their order. Rejects with the first error, a `SourceError`, or the
 * reason of the signal.
 */
export async function readInThreads(
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
    failed.promise.catch(() => {});
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
