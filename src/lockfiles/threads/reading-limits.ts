import type { CompleteRequest } from '../read.ts';

/** What reading a file may take. */
export interface ReadingLimits {
  readonly timeoutMs: number;
  readonly heapMb: number;
}

const MB = 1_048_576;
/** A thread that starts on a machine that is busy with other things. */
const BASE_TIMEOUT_MS = 30_000;
/** The slowest way of reading, YAML by the general parser, takes half a second for a megabyte. */
const TIMEOUT_MS_A_MB = 3_000;
const LEAST_HEAP_MB = 512;
/** Files of nothing but short entries take thirty times their size. */
const HEAP_A_MB = 40;

/** In proportion to the size. Heaps are powers of two, so that a thread serves many files. */
export function limitsFor(bytes: number): ReadingLimits {
  const megabytes = bytes / MB;
  const needed = Math.max(LEAST_HEAP_MB, megabytes * HEAP_A_MB);
  return {
    timeoutMs: Math.round(BASE_TIMEOUT_MS + megabytes * TIMEOUT_MS_A_MB),
    heapMb: 2 ** Math.ceil(Math.log2(needed)),
  };
}

/** Any content of this size is read within a second. */
const COMMAND_INLINE_BYTES = 524_288;
/**
 * A package-lock is read in one pass or by `JSON.parse`: the worst content takes half a second and 70 MB for a megabyte, which for
 * this size is within the limits of a thread. Starting one and handing over the packages takes longer than reading most files.
 */
const COMMAND_INLINE_JSON_BYTES = 8_388_608;

/** Size up to which a command reads a file without a thread: it does nothing else meanwhile. */
export function commandInlineBytes(format: string | undefined): number {
  return format === 'npm-package-lock' ? COMMAND_INLINE_JSON_BYTES : COMMAND_INLINE_BYTES;
}

/** Bytes of a lockfile and of all that came with it. */
export function sizeOf({ content, companions }: CompleteRequest): number {
  return companions.reduce((sum, one) => sum + (one.content?.length ?? 0), content.length);
}
