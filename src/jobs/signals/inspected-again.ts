import type { Inspection } from '../../model/signal/inspection.ts';

const HOUR_MS = 3_600_000;
/** Facts that could not be had for this long are not asked for again. */
const GIVEN_UP_MS = 14 * 24 * HOUR_MS;
const MAX_WAIT_MS = 6 * HOUR_MS;

/**
 * When a version is inspected again, in ms since 1970: a young one each time, and one of which facts are not known after waits that
 * grow with the time since they are not. `undefined`: never.
 */
export function inspectedAgainAt(
  { publishedAt, incompleteSince }: Pick<Inspection, 'publishedAt' | 'incompleteSince'>,
  { minimumAge, now }: { readonly minimumAge: number; readonly now: number },
): number | undefined {
  if (publishedAt !== undefined && now - Date.parse(publishedAt) < minimumAge) return now;
  if (incompleteSince === undefined) return undefined;
  const waited = now - Date.parse(incompleteSince);
  return waited < GIVEN_UP_MS ? now + Math.min(waited, MAX_WAIT_MS) : undefined;
}
