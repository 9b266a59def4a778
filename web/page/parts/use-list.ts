import { useState } from 'preact/hooks';
import { type Loaded, useLoaded } from '../api/use-loaded.ts';

interface Part<Item> {
  readonly items: readonly Item[];
  readonly nextPageToken?: string | undefined;
  /** Number of parts that cannot be read. */
  readonly notKnown?: number | undefined;
}

/** A list that grows on request. */
export interface LongList<Item> extends Loaded<Part<Item>> {
  /** Loads further entries; absent at the end. */
  readonly more?: () => void;
}

const PAGE_SIZE = 50;

/** A list of pages. After an event everything that is shown is loaded again. */
export function useList<Item>(
  key: string,
  loadPage: (
    page: { readonly pageSize: number; readonly pageToken?: string | undefined },
    signal: AbortSignal,
  ) => Promise<Part<Item>>,
): LongList<Item> {
  const [shown, setShown] = useState({ key, pages: 1 });
  const pages = shown.key === key ? shown.pages : 1;
  const loaded = useLoaded(`${key} ${pages}`, async (signal) => {
    const items: Item[] = [];
    let [pageToken, notKnown]: [string?, number?] = [];
    for (let page = 0; page < pages; page += 1) {
      const part = await loadPage({ pageSize: PAGE_SIZE, pageToken }, signal);
      items.push(...part.items);
      ({ nextPageToken: pageToken, notKnown } = part);
      if (pageToken === undefined) break;
    }
    return { items, nextPageToken: pageToken, notKnown };
  });
  const hasMore = loaded.value?.nextPageToken !== undefined;
  return { ...loaded, ...(hasMore ? { more: () => setShown({ key, pages: pages + 1 }) } : {}) };
}
