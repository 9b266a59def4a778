import { bad, noneOf, type Refuted, type Search } from './proof.ts';

/** Versions about which nothing is known that are passed over in one search. */
const MAX_UNKNOWN = 12;

/** `skip`: the version cannot be taken, whatever others are. */
export type Look<Item, Found> = (item: Item) => Promise<Search<Found> | 'skip'>;

/**
 * The smallest good item, with few looks: the search halves each list, as an item that is good is assumed to be followed by others that
 * are. What is found was looked at itself. Items of which nothing is known are passed over, and leave open whether there is a good one.
 * `lists`: in the order in which they are preferred, each in the order of its items.
 */
export async function searchSmallest<Item, Found>(
  lists: readonly (readonly Item[])[],
  look: Look<Item, Found>,
): Promise<Search<Found>> {
  const refuted: Refuted[] = [];
  for (const items of lists) {
    const search = await searchIn(items, look);
    if (search.state === 'good') return search;
    refuted.push(search);
  }
  const [first = bad('there is nothing to search'), ...others] = refuted;
  return noneOf([first, ...others]);
}

async function searchIn<Item, Found>(
  items: readonly Item[],
  look: Look<Item, Found>,
): Promise<Search<Found>> {
  const highest = await searchHighest(items, look);
  if (highest.state !== 'good') return highest;
  let { found } = highest.found;
  let open = items.slice(0, highest.found.at);
  for (let passed = 0; open.length > 0 && passed < MAX_UNKNOWN; ) {
    const middle = open.length >> 1;
    const looked = await look(open[middle] as Item);
    if (looked !== 'skip' && looked.state === 'good') {
      found = looked.found;
      open = open.slice(0, middle);
    } else if (looked !== 'skip' && looked.state === 'bad') {
      open = open.slice(middle + 1);
    } else {
      passed += looked === 'skip' ? 0 : 1;
      open = open.toSpliced(middle, 1);
    }
  }
  return { state: 'good', found };
}

/** The last item that is known, if it is good. Nothing is known when a later one is not. */
async function searchHighest<Item, Found>(
  items: readonly Item[],
  look: Look<Item, Found>,
): Promise<Search<{ readonly at: number; readonly found: Found }>> {
  const unknown: Refuted[] = [];
  for (let at = items.length - 1; at >= 0 && unknown.length < MAX_UNKNOWN; at -= 1) {
    const looked = await look(items[at] as Item);
    if (looked === 'skip') continue;
    if (looked.state === 'good') return { state: 'good', found: { at, found: looked.found } };
    if (looked.state === 'bad') return noneOf([looked, ...unknown]);
    unknown.push(looked);
  }
  const [first, ...others] = unknown;
  return first === undefined ? bad('no version is good itself') : noneOf([first, ...others]);
}
