import { bad, noneOf, type Refuted, type Search } from './proof.ts';

/** Items of which nothing is known that are passed over in one part of a search. */
const MAX_UNKNOWN = 12;
/** After so many of them in a row, the search goes on in larger steps. */
const NEAR = 3;

/** `skip`: the item cannot be taken, whatever others are. */
export type Look<Item, Found> = (item: Item) => Promise<Search<Found> | 'skip'>;

/**
 * Returns the smallest good item, with few looks: the search halves each list, as an item that is good is assumed to be followed by others that
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
  const high = await searchHigh(items, look);
  if (high.good === undefined) {
    const [first = bad('no version is good itself'), ...others] = [...high.refuted];
    return noneOf([first, ...others]);
  }
  const smaller = await halve(items.slice(0, high.good.at), look);
  return { state: 'good', found: smaller?.found ?? high.good.found };
}

/** A good item as high as possible: the last one that is known. Below a bad one, none is looked for. */
async function searchHigh<Item, Found>(items: readonly Item[], look: Look<Item, Found>) {
  const refuted: Refuted[] = [];
  let step = 1;
  for (let at = items.length - 1; at >= 0 && refuted.length < MAX_UNKNOWN; at -= step) {
    const looked = await look(items[at] as Item);
    if (looked === 'skip') continue;
    if (looked.state === 'good') return { good: { at, found: looked.found }, refuted };
    refuted.push(looked);
    if (looked.state === 'bad') {
      const between = await halve(items.slice(at + 1, at + step), look);
      const good = between && { at: at + 1 + between.at, found: between.found };
      return { good, refuted };
    }
    if (refuted.length >= NEAR) step *= 2;
  }
  return { good: undefined, refuted };
}

/** The smallest good item of a list that has the bad ones first. */
async function halve<Item, Found>(items: readonly Item[], look: Look<Item, Found>) {
  let found: { readonly at: number; readonly found: Found } | undefined;
  let open = items.map((item, at) => ({ item, at }));
  for (let passed = 0; open.length > 0 && passed < MAX_UNKNOWN; ) {
    const middle = open.length >> 1;
    const { item, at } = open[middle] as (typeof open)[number];
    const looked = await look(item);
    if (looked !== 'skip' && looked.state === 'good') {
      found = { at, found: looked.found };
      open = open.slice(0, middle);
    } else if (looked !== 'skip' && looked.state === 'bad') {
      open = open.slice(middle + 1);
    } else {
      passed += looked === 'skip' ? 0 : 1;
      open = open.toSpliced(middle, 1);
    }
  }
  return found;
}
