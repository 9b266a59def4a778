/** Entries in one part: a few tens of kilobytes. */
const ENTRIES = 100;

/** The JSON of an object without its closing brace. */
export function openedObject(value: object): string {
  return JSON.stringify(value).slice(0, -1);
}

/** A list as JSON in parts, because that of a large lockfile takes several megabytes. */
export function* listParts<Item>(items: readonly Item[], entryOf: (item: Item) => object): Generator<string> {
  if (items.length === 0) yield '[';
  for (let from = 0; from < items.length; from += ENTRIES) {
    const entries = items.slice(from, from + ENTRIES).map(entryOf);
    yield `${from > 0 ? ',' : '['}${JSON.stringify(entries).slice(1, -1)}`;
  }
  yield ']';
}
