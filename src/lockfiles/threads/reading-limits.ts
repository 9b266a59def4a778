import type { LockfileRequest } from '../read-as.ts';

/** The limits for reading one file. */
export interface ReadingLimits {
  readonly timeoutMs: number;
  readonly heapMb: number;
}

const MB = 1_048_576;
/** Includes the start of a thread on a busy machine. */
const BASE_TIMEOUT_MS = 30_000;
/** The slowest reader, the general YAML parser, takes 500 ms for a megabyte. */
const TIMEOUT_MS_PER_MB = 3_000;
const MIN_HEAP_MB = 512;
/** Files of short entries take 30 times their size. */
const HEAP_PER_MB = 40;

/** The limits for a file of a size. Heaps are powers of two, so that threads can be reused for many files. */
export function limitsFor(bytes: number): ReadingLimits {
  const megabytes = bytes / MB;
  const needed = Math.max(MIN_HEAP_MB, megabytes * HEAP_PER_MB);
  return {
    timeoutMs: Math.round(BASE_TIMEOUT_MS + megabytes * TIMEOUT_MS_PER_MB),
    heapMb: 2 ** Math.ceil(Math.log2(needed)),
  };
}

/** Files of this size take at most a second. */
const COMMAND_INLINE_BYTES = 524_288;
/**
 * For package-locks. The worst content of this size took half a second and 570 MB, about the heap that a thread would get. Starting a
 * thread and transferring the packages takes longer than reading most files.
 */
const COMMAND_INLINE_JSON_BYTES = 8_388_608;

/** Size up to which a command, which has no other work, reads a file without a thread. */
export function commandInlineBytes(format: string | undefined): number {
  return format === 'npm-package-lock' ? COMMAND_INLINE_JSON_BYTES : COMMAND_INLINE_BYTES;
}

/** Files of this size are read in some tens of milliseconds, the worst package-lock of the second size in a tenth of a second. */
const WORKER_INLINE_BYTES = 16_384;
const WORKER_INLINE_JSON_BYTES = 327_680;

/** Size up to which a worker, which must not block its event loop, reads a file without a thread. */
export function workerInlineBytes(format: string | undefined): number {
  return format === 'npm-package-lock' ? WORKER_INLINE_JSON_BYTES : WORKER_INLINE_BYTES;
}

/** Size of a lockfile and its companions in bytes. */
export function sizeOf({ content, companions }: LockfileRequest): number {
  return companions.reduce((sum, one) => sum + (one.content?.length ?? 0), content.length);
}
