import { duration } from '../../config/values.ts';
import { Refusal } from '../../server/api/problem.ts';

/** A duration before now (`2h`), or a time, in ms since 1970. Throws `Refusal`. */
export function sinceOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ago = duration.safeParse(text);
  if (ago.success) return Date.now() - ago.data;
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  const expected = 'a time such as 2026-05-01T08:00:00Z, or a duration such as `2h` or `3d`';
  throw new Refusal(400, 'invalid-parameter', `since: expected ${expected}`);
}
