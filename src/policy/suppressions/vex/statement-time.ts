import { z } from 'zod';
import type { Issue } from './document.ts';

/** When a statement was made, by RFC 3339, if it is known; or why its time is not valid. */
export type StatementTime = { readonly at: string | undefined } | string;

/** Clocks of authors may be ahead by this. */
const TOLERANCE_MS = 10 * 60_000;

/** When a version of a document was issued. A time of the future would make every later version an older one. */
export function issueOf(texts: readonly (string | undefined)[], version: unknown, now: number): Issue {
  const time = statementTime(texts, now);
  const number = Number.parseInt(String(version), 10);
  return {
    ...(typeof time === 'string' || time.at === undefined ? {} : { at: time.at }),
    ...(Number.isNaN(number) ? {} : { version: number }),
  };
}

const TIME = z.iso.datetime({ offset: true });

/** The first time that is stated, most specific first. `now`: in ms since 1970. */
export function statementTime(texts: readonly (string | undefined)[], now: number): StatementTime {
  const at = texts.find((text) => text !== undefined);
  if (at === undefined) return { at };
  if (!TIME.safeParse(at).success)
    return `has the time ${JSON.stringify(at.slice(0, 100))}, which is not one by RFC 3339`;
  return Date.parse(at) > now + TOLERANCE_MS ? `is of ${at}, which is in the future` : { at };
}
