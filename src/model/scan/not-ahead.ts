/** Clocks of other programs may be so far ahead, in milliseconds. */
const MAX_AHEAD_MS = 60_000;

/** A time that another program states (RFC 3339): that of this clock (ms since 1970) when it lies in the future. */
export function notAhead(time: string, now: number): string {
  return Date.parse(time) <= now + MAX_AHEAD_MS ? time : new Date(now).toISOString();
}
