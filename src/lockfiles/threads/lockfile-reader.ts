import pLimit from 'p-limit';
import type { LockedPackage, Lockfile } from '../../model/lockfile/lockfile.ts';
import { LockfileError } from '../errors.ts';
import { formatNamed, formatOfName } from '../known-formats.ts';
import { type LockfileRequest, readAs, withCompanions } from '../read-as.ts';
import { UnknownLayout } from '../syntax/unknown-layout.ts';
import { packagesOf } from './messages.ts';
import { type InlineLimits, limitsFor, sizeOf } from './reading-limits.ts';
import type { Thread } from './thread.ts';

interface ReaderOptions {
  /** Number of files that are read at the same time. */
  readonly threads: number;
  /** Which files are read without a thread. */
  readonly inline: InlineLimits;
}

export type LockfileReader = ReturnType<typeof createLockfileReader>;

/** Threads with a larger heap are not reused. */
const KEPT_HEAP_MB = 512;

/** Starts threads on demand and reuses them. They do not keep the process alive. */
export function createLockfileReader({ threads, inline }: ReaderOptions) {
  const limit = pLimit(threads);
  const idle: Thread[] = [];
  const busy = new Set<Thread>();
  const owners = new Set<string>();

  async function inThread(request: LockfileRequest, signal: AbortSignal | undefined): Promise<Lockfile> {
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
    /**
     * Reads one lockfile without blocking the event loop. Limits time and memory in proportion to the size of the file.
     * Rejects with `LockfileError`, or with the reason of the signal.
     */
    async read(request: LockfileRequest, signal?: AbortSignal): Promise<Lockfile> {
      signal?.throwIfAborted();
      return (await readHere(request, inline)) ?? (await limit(() => inThread(request, signal)));
    },
    /**
     * Reserves the reader for the files of an owner until the result is called; `undefined` while the owner has it already. As an owner reads
     * one file at a time, its files take one thread at most, and files of others never wait for several of them.
     */
    reserve(owner: string): (() => void) | undefined {
      if (owners.has(owner)) return undefined;
      owners.add(owner);
      return () => owners.delete(owner);
    },
    /** Ends all threads. */
    async close(): Promise<void> {
      await Promise.all([...idle.splice(0), ...busy].map((thread) => thread.close()));
    },
  };
}

/** Returns `undefined` for a file that is to be read in a thread. */
async function readHere(request: LockfileRequest, inline: InlineLimits): Promise<Lockfile | undefined> {
  const bytes = sizeOf(request);
  const onePassOnly = bytes > inline.bytes;
  const known = request.format === undefined ? formatOfName(request.path) : formatNamed(request.format);
  if (onePassOnly && (known?.readsInOnePass !== true || bytes > inline.onePassBytes)) return undefined;
  if (known === undefined) {
    const { readWithCompanions } = await import('../read.ts');
    return readWithCompanions(request);
  }
  const format = await known.load();
  try {
    return withCompanions(request, (one) => readAs(format, { ...one, onePassOnly }));
  } catch (error) {
    if (error instanceof UnknownLayout) return undefined;
    throw error;
  }
}

function tooSlow(path: string, bytes: number, timeoutMs: number): LockfileError {
  const seconds = Math.round(timeoutMs / 1_000);
  return new LockfileError(
    'too-slow',
    `${path}: reading took more than ${seconds} s, the limit for a file of ${bytes} bytes`,
  );
}
