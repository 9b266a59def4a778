/** Durations and numbers in sentences. */

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** `3 minutes`: in the largest unit of which there are at least two. */
export function span(ms: number): string {
  const [unit, size] = UNITS.find(([, one]) => ms >= 2 * one) ?? (['second', 1_000] as const);
  return count(Math.round(ms / size), unit);
}

/** `1 job`, `2 jobs`. */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${value.toLocaleString('en')} ${value === 1 ? one : many}`;
}

export function percent(part: number): string {
  return `${Math.round(part * 100)} %`;
}
