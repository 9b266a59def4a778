import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../model/errors.ts';
import type { Lockfile } from '../../model/scan/lockfile.ts';
import { LockfileError } from '../errors.ts';
import type { CompleteRequest } from '../read.ts';
import type { FromThread, ToThread } from './messages.ts';

/** One thread, which reads one file at a time. */
export interface Thread {
  /** What is in a file, and how many packages there are to ask for. Rejects with `LockfileError`. */
  read(request: CompleteRequest): Promise<{ lockfile: Omit<Lockfile, 'packages'>; count: number }>;
  /** The next packages of the file, as JSON. */
  next(): Promise<string>;
  /** Ends the thread; what waits for it rejects with `reason`. */
  stop(reason: unknown): void;
  hasEnded(): boolean;
  close(): Promise<void>;
}

/** A compiled program has its threads compiled beside it. */
const ENTRY = new URL(`reading-thread${extname(fileURLToPath(import.meta.url))}`, import.meta.url);

export function startThread(heapMb: number): Thread {
  const worker = new Worker(ENTRY, {
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    // What a parser prints is no output of ours.
    stdout: true,
    stderr: true,
  });
  worker.unref();
  let path = '';
  let ended: unknown;
  let waiting: PromiseWithResolvers<FromThread> | undefined;
  const end = (reason: unknown): void => {
    ended ??= reason;
    waiting?.reject(ended);
    waiting = undefined;
  };
  worker.on('message', (answer: FromThread) => {
    waiting?.resolve(answer);
    waiting = undefined;
  });
  worker.on('error', (error) => end(endedBy(error, path, heapMb)));
  worker.on('exit', () => end(readerFailed(path, 'its thread ended')));

  async function ask(message: ToThread, transfer: readonly ArrayBuffer[] = []): Promise<FromThread> {
    if (ended !== undefined) throw ended;
    waiting = Promise.withResolvers<FromThread>();
    worker.ref();
    try {
      worker.postMessage(message, transfer);
      return await waiting.promise;
    } finally {
      worker.unref();
    }
  }

  return {
    async read(request) {
      path = request.path;
      const content = ownBytes(request.content);
      const answer = await ask({ read: { ...request, content } }, [content.buffer]);
      if ('lockfile' in answer) return answer;
      if ('error' in answer) throw new LockfileError(answer.error.code, answer.error.message);
      throw readerFailed(path, 'fault' in answer ? answer.fault : 'an answer that was not asked for');
    },
    async next() {
      const answer = await ask('next');
      if ('packages' in answer) return answer.packages;
      throw readerFailed(path, 'fault' in answer ? answer.fault : 'an answer that was not asked for');
    },
    stop(reason) {
      end(reason);
      void worker.terminate();
    },
    hasEnded: () => ended !== undefined,
    async close() {
      await worker.terminate();
    },
  };
}

/** A copy: the caller's bytes stay, and bytes that share a pool do not take it along. */
function ownBytes(content: Buffer): Buffer<ArrayBuffer> {
  const own = Buffer.allocUnsafeSlow(content.length);
  content.copy(own);
  return own;
}

function endedBy(error: unknown, path: string, heapMb: number): LockfileError {
  if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') {
    const message = `${path}: reading it takes more than ${heapMb} MB of memory, the limit for a file of its size`;
    return new LockfileError('too-much-memory', message);
  }
  return readerFailed(path, messageOf(error));
}

function readerFailed(path: string, reason: string): LockfileError {
  return new LockfileError('reader-failed', `${path}: its reader failed, please report this: ${reason}`);
}
