import { z } from 'zod';

/** When a statement was made, by RFC 3339, if it is known; or why its time is not valid. */
export type StatementTime = { readonly at: string | undefined } | string;

/** Clocks of authors may be ahead by this. */
const TOLERANCE_MS = 10 * 60_000;

const TIME = z.iso.datetime({ offset: true });

/** The first time that is stated, most specific first. `now`: in ms since 1970. */
export function statementTime(texts: readonly (string | undefined)[], now: number): StatementTime {
  const at = texts.find((text) => text !== undefined);
  if (at === undefined) return { at };
  if (!TIME.safeParse(at).success)
    return `has the time ${JSON.stringify(at.slice(0, 100))}, which is not one by RFC 3339`;
  return Date.parse(at) > now + TOLERANCE_MS ? `is of ${at}, which is in the future` : { at };
}
