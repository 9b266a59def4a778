/** The numbers of a version such as `1.2.3`, exact whatever their size. */
export function numbersOf(text: string): readonly bigint[] {
  return text.split('.').map(BigInt);
}

/** Compares lists of numbers from the left; a missing number is 0. */
export function compareNumbers(left: readonly bigint[], right: readonly bigint[]): number {
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const [one, other] = [left[at] ?? 0n, right[at] ?? 0n];
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

/** 2^53 has 16 digits. Smaller numbers stay below the replacements. */
const LARGE = /\d{16,}/g;
const SMALLEST_LARGE = 10n ** 15n;
const FIRST_REPLACEMENT = 9_000_000_000_000_000n;

/**
 * Returns a function that replaces digits of the texts so that a library that reads numbers as doubles compares them exactly: numbers of
 * 16 digits and more become smaller ones in the same order, with gaps, so that the successor of one is still below the next.
 * `undefined` when no text has such a number.
 */
export function smallerNumbers(texts: readonly string[]): ((digits: string) => string) | undefined {
  const found = texts.flatMap((text) => text.match(LARGE) ?? []).map(BigInt);
  if (found.length === 0) return undefined;
  const sorted = [...new Set(found)].sort((left, right) => (left < right ? -1 : 1));
  const ranks = new Map(sorted.map((number, at) => [number, FIRST_REPLACEMENT + 2n * BigInt(at)]));
  return (digits) => {
    const number = BigInt(digits);
    return String(number < SMALLEST_LARGE ? number : (ranks.get(number) ?? number));
  };
}
