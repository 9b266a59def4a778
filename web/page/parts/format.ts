/** Numbers, times and names as text. */
import { SIZES, UNITS } from '../../../src/model/duration.ts';

const NUMBER = new Intl.NumberFormat('en');
const DATE = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const YEARS = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const DAY = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });

export function formatNumber(value: number): string {
  return NUMBER.format(value);
}

/** `1 target`, `2 targets`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${NUMBER.format(value)} ${value === 1 ? one : many}`;
}

export function formatTime(text: string): string {
  const time = Date.parse(text);
  return Number.isNaN(time) ? text : DATE.format(time);
}

/** `Jan 31`. */
export function formatDay(day: string): string {
  return DAY.format(Date.parse(`${day}T12:00:00Z`));
}

/** `Jan 31`, and with its year where that is not the year of `now`. */
export function formatDate(text: string, now: number): string {
  const time = new Date(text);
  return time.getFullYear() === new Date(now).getFullYear() ? DAY.format(time) : YEARS.format(time);
}

/** `3 h`: in the largest unit of which there is at least one. */
export function formatSpan(ms: number): string {
  const [unit, size] = SIZES.find(([, one]) => ms >= Math.max(one, UNITS.s)) ?? (['s', UNITS.s] as const);
  return `${Math.round(ms / size)} ${unit === 'm' ? 'min' : unit}`;
}

/** `3 h ago`, `in 2 min`. */
export function formatDistance(text: string, now: number): string {
  const time = Date.parse(text);
  if (Number.isNaN(time)) return text;
  if (Math.abs(now - time) < 5_000) return 'now';
  return time > now ? `in ${formatSpan(time - now)}` : `${formatSpan(now - time)} ago`;
}

/** `last-run` → `Last run`. */
export function sentenceCase(name: string): string {
  const words = name.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
