import type { LockfileInput } from '../format.ts';

/**
 * Thrown by one-pass readers for a text in a layout that they do not know. The general parser then reads the whole file and
 * reports its errors.
 */
export class UnknownLayout extends Error {}

/**
 * Runs the one-pass reader; falls back to the general parser where that throws `UnknownLayout`. Throws it where the input is to be
 * read in one pass only.
 */
export function inOnePassOr<T>(
  { onePassOnly = false }: Pick<LockfileInput, 'onePassOnly'>,
  onePass: () => T,
  general: () => T,
): T {
  try {
    return onePass();
  } catch (error) {
    if (error instanceof UnknownLayout && !onePassOnly) return general();
    throw error;
  }
}
