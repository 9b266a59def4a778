import { z } from 'zod';

/** When a version of a document was issued. A later version has a later time, or the same time and a higher number. */
export interface Issue {
  /** RFC 3339; absent when the document states none that is valid. */
  readonly at?: string;
  readonly version?: number;
}

/** Whether a version of a document was issued before another one. Without times and numbers, this is not known. */
export function isOlder(one: Issue, other: Issue): boolean {
  const [at, from] = [Date.parse(one.at ?? ''), Date.parse(other.at ?? '')];
  if (at !== from && !Number.isNaN(at - from)) return at < from;
  return one.version !== undefined && other.version !== undefined && one.version < other.version;
}

/** Reads when a version of a document was issued. A time of the future would make every later version an older one. */
export function issueOf(texts: readonly (string | undefined)[], version: unknown, now: number): Issue {
  const time = statementTime(texts, now);
  const number = Number.parseInt(String(version), 10);
  return {
    ...(typeof time === 'string' || time.at === undefined ? {} : { at: time.at }),
    ...(Number.isNaN(number) ? {} : { version: number }),
  };
}

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
