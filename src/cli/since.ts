import { InvalidArgumentError } from 'commander';
import { duration } from '../config/values.ts';

/** `2h` ago, or a time such as `2026-05-01T08:00Z`; in milliseconds since 1970. */
export function parseSince(text: string): number {
  const ago = duration.safeParse(text);
  if (ago.success) return Date.now() - ago.data;
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) {
    throw new InvalidArgumentError('a duration such as `2h` or `3d`, or a time such as 2026-05-01T08:00Z');
  }
  return time;
}
