/** Settles entries, in any order, each by the index of its item. */
export type Settled<Entry> = (entries: readonly (readonly [index: number, entry: Entry])[]) => void;

import { awaitedLater } from '../../model/time-limit.ts';

/** Works on a list of items and settles one entry for each, in any order. */
export type WindowWork<Item, Entry> = (
  items: readonly Item[],
  settled: Settled<Entry>,
  signal: AbortSignal,
) => Promise<void>;

/** Entries that are filled in any order and read in the order of their indexes. */
class OrderedSlots<Entry> {
  readonly #slots: (Entry | undefined)[];
  #changed = Promise.withResolvers<void>();
  #failure: { readonly error: unknown } | undefined;

  constructor(size: number) {
    this.#slots = new Array<Entry | undefined>(size);
  }

  fill(entries: Parameters<Settled<Entry>>[0]): void {
    for (const [index, entry] of entries) this.#slots[index] = entry;
    this.#changed.resolve();
  }

  /** Ends the reading with this error at the first entry that is not filled. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.#changed.resolve();
  }

  async *read(): AsyncGenerator<Entry, void, void> {
    for (let index = 0; index < this.#slots.length; ) {
      const entry = this.#slots[index];
      if (entry !== undefined) {
        // Frees the memory of what has been read.
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

/**
 * Reads items, works on them in windows and yields one entry for each, in order. While one window is read, the next one
 * is being worked on, and no more: a slow reader delays the work and does not fill the memory. Leaving the loop aborts
 * the work.
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
        // Starts only after the first answer of this window, which shows the page size.
        following ??= awaitedLater(startNext());
        yield entry;
      }
      current = await following;
    }
  } finally {
    left.abort();
    // Not awaited: a source that is waiting for its next item would block the caller that leaves.
    windows.return(undefined).catch(() => {});
  }
}

function start<Item, Entry>(
  items: readonly Item[],
  work: WindowWork<Item, Entry>,
  signal: AbortSignal,
): OrderedSlots<Entry> {
  const slots = new OrderedSlots<Entry>(items.length);
  work(items, (entries) => slots.fill(entries), signal).catch((error: unknown) => {
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
