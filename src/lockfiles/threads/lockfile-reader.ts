import pLimit from 'p-limit';
import type { LockedPackage, Lockfile } from '../../model/scan/lockfile.ts';
import { formatOfName } from '../catalog.ts';
import { LockfileError } from '../errors.ts';
import { type CompleteRequest, readWithCompanions } from '../read.ts';
import { packagesOf } from './messages.ts';
import { limitsFor, sizeOf } from './reading-limits.ts';
import type { Thread } from './thread.ts';

export interface ReaderOptions {
  /** Number of files that are read at the same time. */
  readonly threads: number;
  /** Size in bytes, companions included, up to which a file of a format is read without a thread. */
  inlineBytes(format: string | undefined): number;
}

export interface LockfileReader {
  /**
   * Reads one lockfile without blocking the event loop. Limits time and memory in proportion to the size of the file.
   * Rejects with `LockfileError`, or with the reason of the signal.
   */
  read(request: CompleteRequest, signal?: AbortSignal): Promise<Lockfile>;
  /** Ends all threads. */
  close(): Promise<void>;
}

/** Threads with a larger heap are not reused. */
const KEPT_HEAP_MB = 512;

/** Starts threads on demand and reuses them. They do not keep the process alive. */
export function createLockfileReader({ threads, inlineBytes }: ReaderOptions): LockfileReader {
  const limit = pLimit(threads);
  const idle: Thread[] = [];
  const busy = new Set<Thread>();

  async function inThread(request: CompleteRequest, signal: AbortSignal | undefined): Promise<Lockfile> {
    const { startThread } = await import('./thread.ts');
    signal?.throwIfAborted();
    const bytes = sizeOf(request);
    const { timeoutMs, heapMb } = limitsFor(bytes);
    const thread = (heapMb <= KEPT_HEAP_MB ? idle.pop() : undefined) ?? startThread(heapMb);
    busy.add(thread);
    let isReusable = false;
    const overrun = setTimeout(() => thread.stop(tooSlow(request.path, bytes, timeoutMs)), timeoutMs);
    const onAbort = () => thread.stop(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const { lockfile, count } = await thread.read(request);
      const packages: LockedPackage[] = [];
      while (packages.length < count) for (const one of packagesOf(await thread.next())) packages.push(one);
      isReusable = heapMb <= KEPT_HEAP_MB;
      return { ...lockfile, packages };
    } catch (error) {
      // The thread of an unreadable file is still usable.
      isReusable = heapMb <= KEPT_HEAP_MB && !thread.hasEnded() && error instanceof LockfileError;
      throw error;
    } finally {
      clearTimeout(overrun);
      signal?.removeEventListener('abort', onAbort);
      busy.delete(thread);
      if (isReusable) idle.push(thread);
      else await thread.close();
    }
  }

  return {
    async read(request, signal) {
      signal?.throwIfAborted();
      if (sizeOf(request) <= inlineBytes(request.format ?? formatOfName(request.path)?.name))
        return readWithCompanions(request);
      return await limit(() => inThread(request, signal));
    },
    async close() {
      await Promise.all([...idle.splice(0), ...busy].map((thread) => thread.close()));
    },
  };
}

function tooSlow(path: string, bytes: number, timeoutMs: number): LockfileError {
  const seconds = Math.round(timeoutMs / 1_000);
  return new LockfileError(
    'too-slow',
    `${path}: reading took more than ${seconds} s, the limit for a file of ${bytes} bytes`,
  );
}
