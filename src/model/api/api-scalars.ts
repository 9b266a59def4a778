/*
 * Scalars that JSON numbers cannot represent are text in an API's answers (proto3's JSON mapping). These functions
 * parse them.
 */

/** An `int64` or `uint64`, which is text in JSON; numbers are accepted too. `undefined` for anything else. */
export function int64Of(value: string | number | undefined): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return value !== undefined && /^-?\d{1,20}$/.test(value) ? BigInt(value) : undefined;
}

/** A `google-datetime`: RFC 3339 with `Z` or an offset. `undefined` when absent, empty or not a time. */
export function instantOf(text: string | undefined): Date | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text)) {
    return undefined;
  }
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}
