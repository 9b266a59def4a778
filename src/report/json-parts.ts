/** Entries in one part: about as much as is written at once. */
const ENTRIES = 128;

/** The JSON of an object without its closing brace. */
export function openedObject(value: object): string {
  return JSON.stringify(value).slice(0, -1);
}

/** A list as JSON in parts, because that of a large lockfile takes several megabytes. */
export function* listParts<Item>(items: readonly Item[], entryOf: (item: Item) => object): Generator<string> {
  if (items.length === 0) yield '[';
  for (let from = 0; from < items.length; from += ENTRIES) {
    const entries: unknown[] = items.slice(from, from + ENTRIES).map(entryOf);
    // A first element that is cut off leaves the comma; to put one before a text copies the text.
    if (from > 0) entries.unshift(0);
    yield JSON.stringify(entries).slice(from > 0 ? 2 : 0, -1);
  }
  yield ']';
}
