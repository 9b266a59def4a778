/** Groups what one command can read or write in a cluster: entries whose keys have the same hash tag. */
export function byTag<Entry>(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string,
): readonly (readonly Entry[])[] {
  return [...Map.groupBy(entries, (entry) => /\{([^{}]+)\}/.exec(keyOf(entry))?.[1]).values()];
}
