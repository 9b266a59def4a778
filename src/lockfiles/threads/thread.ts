import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../model/errors.ts';
import type { Lockfile } from '../../model/lockfile/lockfile.ts';
import { LockfileError } from '../errors.ts';
import type { LockfileRequest } from '../read-as.ts';
import type { FromThread, ToThread } from './messages.ts';

export interface Thread {
  /** Reads a file. Returns the result without its packages, and their number. Rejects with `LockfileError`. */
  read(request: LockfileRequest): Promise<{ lockfile: Omit<Lockfile, 'packages'>; count: number }>;
  /** Returns the next packages of the file as JSON. */
  next(): Promise<string>;
  /** Ends the thread. Pending calls reject with `reason`. */
  stop(reason: unknown): void;
  hasEnded(): boolean;
  close(): Promise<void>;
}

/** Has the extension of this file: compiled programs start the compiled thread. */
const ENTRY = new URL(`reading-thread${extname(fileURLToPath(import.meta.url))}`, import.meta.url);

const UNEXPECTED = 'its thread sent an unexpected answer';

export function startThread(heapMb: number): Thread {
  const worker = new Worker(ENTRY, {
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    // Keeps the output of libraries off our own.
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
  worker.on('error', (error) => end(terminationError(error, path, heapMb)));
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
    async read({ memo: _, ...request }) {
      path = request.path;
      const content = ownBytes(request.content);
      const answer = await ask({ read: { ...request, content } }, [content.buffer]);
      if ('lockfile' in answer) return answer;
      if ('error' in answer) throw new LockfileError(answer.error.code, answer.error.message);
      throw readerFailed(path, 'fault' in answer ? answer.fault : UNEXPECTED);
    },
    async next() {
      const answer = await ask('next');
      if ('packages' in answer) return answer.packages;
      throw readerFailed(path, 'fault' in answer ? answer.fault : UNEXPECTED);
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

/** A copy to transfer: the caller keeps its buffer, and a shared pool is not transferred. */
function ownBytes(content: Buffer): Buffer<ArrayBuffer> {
  const own = Buffer.allocUnsafeSlow(content.length);
  content.copy(own);
  return own;
}

function terminationError(error: unknown, path: string, heapMb: number): LockfileError {
  if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') {
    const message = `${path}: reading takes more than ${heapMb} MB of memory, the limit for a file of this size`;
    return new LockfileError('too-much-memory', message);
  }
  return readerFailed(path, messageOf(error));
}

function readerFailed(path: string, reason: string): LockfileError {
  return new LockfileError('reader-failed', `${path}: the reader failed, please report this: ${reason}`);
}
