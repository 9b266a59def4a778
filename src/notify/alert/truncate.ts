import type { NotifiedChange } from '../../model/alert/notification.ts';
import type { Alert } from './alert.ts';

/** For one line of text about one change, in UTF-16 units. */
export const MAX_LINE = 1_000;

/**
 * The text within `limit` UTF-16 units: a longer one is cut between code points and ends with `mark`. `encode` returns
 * a code point as the receiver's format writes it: its length counts, and an escape is never cut in two.
 */
export function truncateText(
  text: string,
  limit: number,
  mark = '…',
  encode: (codePoint: string) => string = (codePoint) => codePoint,
): string {
  let whole = '';
  let cut = '';
  for (const codePoint of text) {
    whole += encode(codePoint);
    if (whole.length + mark.length <= limit) cut = whole;
    if (whole.length > limit) return cut + mark;
  }
  return whole;
}

/** The items made from the changes that fit. */
export interface FittedChanges<Item> {
  readonly kept: readonly Item[];
  /** Number of changes of the notification that are not among them. */
  readonly leftOut: number;
}

/** Makes an item of each change, worst first, until the sum of their sizes exceeds `budget` (in the unit of `sizeOf`). */
export function fitChanges<Item>(
  alert: Alert,
  make: (change: NotifiedChange) => Item,
  budget: number,
  sizeOf: (item: Item) => number,
): FittedChanges<Item> {
  const kept: Item[] = [];
  let used = 0;
  for (const change of alert.ranked()) {
    const item = make(change);
    used += sizeOf(item);
    if (used > budget) break;
    kept.push(item);
  }
  return { kept, leftOut: alert.totals.changes - kept.length };
}

/** Bytes of a value as JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value), 'utf8');
}
