/** `all`: every package version and advisory of the fleet. `young`: versions that were published or first seen lately. */
export const CADENCES = ['all', 'young'] as const;

export type Cadence = (typeof CADENCES)[number];
