/**
 * Thrown where a text is not laid out as a reader in one pass knows it: the whole file is then left to the general parser,
 * which says what it is, or what is wrong with it.
 */
export class UnknownLayout extends Error {}

/** What reading in one pass gives, or the general parser where that gives up. */
export function inOnePassOr<T>(onePass: () => T, general: () => T): T {
  try {
    return onePass();
  } catch (error) {
    if (error instanceof UnknownLayout) return general();
    throw error;
  }
}
