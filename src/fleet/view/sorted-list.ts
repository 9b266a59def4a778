import { setImmediate } from 'node:timers/promises';

/** Compares two entries of a list; never 0 for different ones. */
export type Compare<Item> = (left: Item, right: Item) => number;

/** Entries that a list loses and gets. */
export interface ListChange<Item> {
  readonly removed: readonly Item[];
  readonly added: readonly Item[];
}

/**
 * A sorted list after a change. Copies the list, and compares only where an entry is removed or inserted. Other work of the process
 * runs before. Removed entries that the list does not have are ignored.
 */
export async function changeList<Item>(
  list: readonly Item[],
  { removed, added }: ListChange<Item>,
  compare: Compare<Item>,
): Promise<readonly Item[]> {
  const sorted = added.toSorted(compare);
  await setImmediate();
  return insertInto(without(list, removed, compare), sorted, compare);
}

function without<Item>(
  list: readonly Item[],
  removed: readonly Item[],
  compare: Compare<Item>,
): readonly Item[] {
  const positions = new Set<number>();
  for (const item of removed) {
    const position = positionAfter(list, item, compare) - 1;
    if (position >= 0 && compare(list[position] as Item, item) === 0) positions.add(position);
  }
  return positions.size === 0 ? list : list.filter((_, position) => !positions.has(position));
}

function insertInto<Item>(
  list: readonly Item[],
  sorted: readonly Item[],
  compare: Compare<Item>,
): readonly Item[] {
  if (sorted.length === 0) return list;
  const changed: Item[] = [];
  let from = 0;
  for (const item of sorted) {
    const position = positionAfter(list, item, compare, from);
    for (; from < position; from += 1) changed.push(list[from] as Item);
    changed.push(item);
  }
  for (; from < list.length; from += 1) changed.push(list[from] as Item);
  return changed;
}

/** The position of the first entry after `place` in a sorted list, at `begin` or later. */
export function positionAfter<Item, Place>(
  list: readonly Item[],
  place: Place,
  compare: (item: Item, place: Place) => number,
  begin = 0,
): number {
  let [from, to] = [begin, list.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (compare(list[middle] as Item, place) <= 0) from = middle + 1;
    else to = middle;
  }
  return from;
}
