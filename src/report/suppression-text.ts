import type { Suppressed } from '../model/scan/suppression.ts';

/** `suppressed by web until 2027-01-31T00:00:00.000Z: not reachable (suppressions[0])`, for people. */
export function suppressionText({ by, author, expires, reason }: Suppressed): string {
  const who = author === undefined ? '' : ` by ${author}`;
  const until = expires === undefined ? '' : ` until ${expires}`;
  return `suppressed${who}${until}: ${reason} (${by})`;
}
