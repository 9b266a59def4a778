/**
 * Thrown by one-pass readers for a text in a layout that they do not know. The general parser then reads the whole file and
 * reports its errors.
 */
export class UnknownLayout extends Error {}

/** Runs the one-pass reader; falls back to the general parser where that throws `UnknownLayout`. */
export function inOnePassOr<T>(onePass: () => T, general: () => T): T {
  try {
    return onePass();
  } catch (error) {
    if (error instanceof UnknownLayout) return general();
    throw error;
  }
}
