/** Sorted sequences as one sorted sequence. Of equal items those of the earlier sequence come first. */
export async function* mergeSorted<Item>(
  sequences: readonly AsyncGenerator<Item>[],
  compare: (left: Item, right: Item) => number,
): AsyncGenerator<Item> {
  const heads = await Promise.all(sequences.map(async (one) => ({ one, head: await one.next() })));
  for (;;) {
    let first: (typeof heads)[number] | undefined;
    for (const entry of heads) {
      if (entry.head.done === true) continue;
      if (first === undefined || first.head.done === true || compare(entry.head.value, first.head.value) < 0)
        first = entry;
    }
    if (first === undefined || first.head.done === true) return;
    yield first.head.value;
    first.head = await first.one.next();
  }
}
