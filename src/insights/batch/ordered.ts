/** Entries that are filled in any order and read in the first. */
export class OrderedSlots<Entry> {
  readonly #slots: (Entry | undefined)[];
  #changed = Promise.withResolvers<void>();
  #failure: { readonly error: unknown } | undefined;

  constructor(size: number) {
    this.#slots = new Array<Entry | undefined>(size);
  }

  fill(start: number, entries: readonly Entry[]): void {
    for (const [index, entry] of entries.entries()) this.#slots[start + index] = entry;
    this.#changed.resolve();
  }

  /** Ends the reading, at the first entry that is not there, with the error that kept it from being filled. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.#changed.resolve();
  }

  async *read(): AsyncGenerator<Entry, void, void> {
    for (let index = 0; index < this.#slots.length; ) {
      const entry = this.#slots[index];
      if (entry !== undefined) {
        // What has been read may go.
        this.#slots[index] = undefined;
        index += 1;
        yield entry;
      } else {
        if (this.#failure !== undefined) throw this.#failure.error;
        await this.#changed.promise;
        this.#changed = Promise.withResolvers<void>();
      }
    }
  }
}

/** Works on one window of items; tells each entry once, in any order, by the index of its item. */
export type WindowWork<Item, Entry> = (
  items: readonly Item[],
  settled: (start: number, entries: readonly Entry[]) => void,
  signal: AbortSignal,
) => Promise<void>;

/**
 * Reads items, works on them window by window and yields one entry for each, in order. The next window is under way while
 * one is read, and no more: a slow reader holds up the work, not the memory. Leaving the loop aborts what is under way.
 */
export async function* inOrder<Item, Entry>(
  items: Iterable<Item> | AsyncIterable<Item>,
  windowSize: number,
  work: WindowWork<Item, Entry>,
  signal: AbortSignal,
): AsyncGenerator<Entry, void, void> {
  const left = new AbortController();
  const either = AbortSignal.any([signal, left.signal]);
  const windows = windowsOf(items, windowSize);
  const startNext = async (): Promise<OrderedSlots<Entry> | undefined> => {
    const { value } = await windows.next();
    return value === undefined ? undefined : start(value, work, either);
  };
  try {
    for (let current = await startNext(); current !== undefined; ) {
      let following: ReturnType<typeof startNext> | undefined;
      for await (const entry of current.read()) {
        // Not before this one has an answer: the first one shows the page size, which the next one goes by.
        following ??= startNext();
        // Seen when it is awaited; until then the reader may be somewhere else.
        following.catch(() => {});
        yield entry;
      }
      current = await following;
    }
  } finally {
    left.abort();
    // Not waited for: a source that has nothing to give now would hold up the one who leaves.
    windows.return(undefined).catch(() => {});
  }
}

function start<Item, Entry>(
  items: readonly Item[],
  work: WindowWork<Item, Entry>,
  signal: AbortSignal,
): OrderedSlots<Entry> {
  const slots = new OrderedSlots<Entry>(items.length);
  work(items, (first, entries) => slots.fill(first, entries), signal).catch((error: unknown) => {
    slots.fail(error);
  });
  return slots;
}

async function* windowsOf<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  size: number,
): AsyncGenerator<readonly Item[], undefined, void> {
  let window: Item[] = [];
  for await (const item of items) {
    if (window.push(item) < size) continue;
    yield window;
    window = [];
  }
  if (window.length > 0) yield window;
}
