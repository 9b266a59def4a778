import type { LockfileRequest } from '../read-as.ts';

/** The limits for reading one file. */
interface ReadingLimits {
  readonly timeoutMs: number;
  readonly heapMb: number;
}

const MB = 1_048_576;
/** The limit of an empty file. It includes the start of a thread on a busy machine. */
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

/** Sizes in bytes, companions included, up to which a file is read without a thread. */
export interface InlineLimits {
  /** For any content. */
  readonly bytes: number;
  /** The limit for a format with `readsInOnePass`, as far as one pass reads it. */
  readonly onePassBytes: number;
}

/**
 * The sizes for a command, which has no other work. The worst content of both sizes takes about a second and 500 MB, most of it half of that.
 * Starting a thread and transferring the packages takes longer than reading most files.
 */
export const COMMAND_INLINE: InlineLimits = { bytes: 524_288, onePassBytes: 8_388_608 };

/**
 * The sizes for a worker, which must not block its event loop: the worst content of both sizes takes 20 to 60 ms (`bench -- event-loop`). In a
 * thread, a lockfile of 600 packages takes a third more processor time.
 */
export const WORKER_INLINE: InlineLimits = { bytes: 4_096, onePassBytes: 327_680 };

/** Size of a lockfile and its companions in bytes. */
export function sizeOf({ content, companions }: LockfileRequest): number {
  return companions.reduce((sum, one) => sum + (one.content?.length ?? 0), content.length);
}
