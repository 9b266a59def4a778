/**
 * A text within `limit` UTF-16 units, the end replaced by `mark` where it is longer. Cut between code points. `written`
 * is what the receiver's format makes of a code point: its length counts, and it is never cut through.
 */
export function truncateText(
  text: string,
  limit: number,
  mark = '…',
  written: (codePoint: string) => string = (codePoint) => codePoint,
): string {
  let whole = '';
  let cut = '';
  for (const codePoint of text) {
    whole += written(codePoint);
    if (whole.length + mark.length <= limit) cut = whole;
    if (whole.length > limit) return cut + mark;
  }
  return whole;
}
