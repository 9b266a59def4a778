import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError } from '../../api/call.ts';
import { changes } from '../../api/live.ts';
import { session } from '../../api/session.ts';

const PAGE_SIZE = 100;
/** Pages that are kept; those that are visible or were visible last. */
const MAX_PAGES = 30;

/** A part of a list, and the number of all its entries. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** Loads the entries of a list from a place on. */
export type LoadPage<Item> = (
  place: { readonly skip: number; readonly pageSize: number },
  signal: AbortSignal,
) => Promise<Page<Item>>;

/** The part of a list that is loaded. */
export interface Pages<Item> {
  /** Number of all entries; `undefined` until the first page is there. */
  readonly total: number | undefined;
  /** Whether the entries are those of this key, and not of the one before. */
  readonly isCurrent: boolean;
  readonly fault: string | undefined;
  /** An entry by its place; `undefined` while it is loaded. */
  at(index: number): Item | undefined;
  /** The places of loaded entries that fit. */
  placesOf(fits: (item: Item) => boolean): readonly number[];
}

interface Loading<Item> {
  key: string;
  total?: number;
  fault?: string;
  pages: ReadonlyMap<number, LoadedPage<Item>>;
}

interface LoadedPage<Item> {
  readonly items: readonly Item[];
  /** The last event when it was requested: after a later one it is loaded again when it is visible. */
  readonly change: number;
}

/**
 * The pages between two places of a list. `key`: what the list depends on, as text. Visible pages are loaded again after every event, and
 * stay visible until then.
 */
export function usePages<Item>(
  key: string,
  load: LoadPage<Item>,
  [first, last]: readonly [first: number, last: number],
): Pages<Item> {
  const [state, setState] = useState<Loading<Item>>({ key, pages: new Map() });
  const newest = useRef(load);
  newest.current = load;
  const change = changes.value;
  const [from, to] = [Math.floor(first / PAGE_SIZE), Math.floor(Math.max(first, last) / PAGE_SIZE)];
  useEffect(() => {
    const stop = new AbortController();
    for (let page = from; page <= to; page += 1) {
      if (state.key === key && state.pages.get(page)?.change === change) continue;
      void loadPage(page, stop.signal);
    }
    return () => stop.abort();
    async function loadPage(page: number, signal: AbortSignal): Promise<void> {
      try {
        const found = await newest.current({ skip: page * PAGE_SIZE, pageSize: PAGE_SIZE }, signal);
        if (!signal.aborted) setState((before) => withPage(before, { key, page, change, ...found }));
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof CallError && error.status === 401) session.value = null;
        const fault = error instanceof Error ? error.message : String(error);
        setState((before) => (before.key === key ? { ...before, fault } : { key, fault, pages: new Map() }));
      }
    }
  }, [key, change, from, to]);
  const isCurrent = state.key === key;
  return {
    // Entries of the key before stay until others are there, so that the table does not flicker.
    total: state.total,
    isCurrent,
    fault: isCurrent ? state.fault : undefined,
    at: (index) => state.pages.get(Math.floor(index / PAGE_SIZE))?.items[index % PAGE_SIZE],
    placesOf: (fits) =>
      [...state.pages].flatMap(([page, { items }]) =>
        items.flatMap((item, index) => (fits(item) ? page * PAGE_SIZE + index : [])),
      ),
  };
}

interface NewPage<Item> extends LoadedPage<Item> {
  readonly key: string;
  readonly page: number;
  readonly total: number;
}

function withPage<Item>(
  before: Loading<Item>,
  { key, page, items, change, total }: NewPage<Item>,
): Loading<Item> {
  const pages = new Map(before.key === key ? before.pages : []);
  pages.delete(page);
  pages.set(page, { items, change });
  for (const oldest of pages.keys()) {
    if (pages.size <= MAX_PAGES) break;
    pages.delete(oldest);
  }
  return { key, total, pages };
}
