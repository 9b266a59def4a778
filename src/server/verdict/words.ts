/** Durations and numbers in sentences. */
import { SIZES, UNITS } from '../../model/duration.ts';

const NAMES = { d: 'day', h: 'hour', m: 'minute', s: 'second', ms: 'millisecond' } as const;

/** `3 minutes`: in the largest unit of which there are at least two. */
export function span(ms: number): string {
  const [unit, size] =
    SIZES.find(([, one]) => ms >= Math.max(2 * one, 2 * UNITS.s)) ?? (['s', UNITS.s] as const);
  return count(Math.round(ms / size), NAMES[unit]);
}

/** `1 job`, `2 jobs`. */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${value.toLocaleString('en')} ${value === 1 ? one : many}`;
}

export function percent(part: number): string {
  return `${Math.round(part * 100)} %`;
}
