/** Units of time in ms as the configuration writes them, the largest first. */
export const UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;

export type Unit = keyof typeof UNITS;

export const SIZES = Object.entries(UNITS) as readonly (readonly [Unit, number])[];

/** `90m`: a duration as the configuration has it, in the largest unit that it is a multiple of. */
export function durationText(ms: number): string {
  if (ms === 0) return '0s';
  const [unit, size] = SIZES.find(([, one]) => ms >= one && ms % one === 0) ?? (['ms', 1] as const);
  return `${ms / size}${unit}`;
}
