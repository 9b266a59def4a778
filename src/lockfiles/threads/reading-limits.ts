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

/** Bytes of a lockfile and of all that came with it. */
export function sizeOf({ content, companions }: CompleteRequest): number {
  return companions.reduce((sum, one) => sum + (one.content?.length ?? 0), content.length);
}
