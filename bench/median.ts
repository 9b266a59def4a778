/** The median; of an even number of values the lower of the two in the middle. */
export function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;
}
