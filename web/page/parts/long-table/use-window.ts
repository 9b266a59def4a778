import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** The rows of a long table that are visible, with some around them. */
export interface RowWindow {
  readonly rows: readonly VirtualItem[];
  /** Heights of what is left out before and after the rows, in pixels. */
  readonly before: number;
  readonly after: number;
  scrollTo(index: number): void;
}

/** Follows the scrolling of an element with `count` rows. `sizes`: changes with the heights of rows. */
export function useWindow(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  heightOf: (index: number) => number,
  sizes: string,
): RowWindow {
  const [, setVersion] = useState(0);
  const [virtualizer] = useState(
    () => new Virtualizer<HTMLElement, HTMLElement>(optionsOf(scroller, count, heightOf, () => {})),
  );
  virtualizer.setOptions(optionsOf(scroller, count, heightOf, () => setVersion((version) => version + 1)));
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => virtualizer.measure(), [sizes]);
  const rows = virtualizer.getVirtualItems();
  return {
    rows,
    before: rows[0]?.start ?? 0,
    after: virtualizer.getTotalSize() - (rows.at(-1)?.end ?? 0),
    scrollTo: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
  };
}

function optionsOf(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  heightOf: (index: number) => number,
  onChange: () => void,
) {
  return {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: heightOf,
    overscan: 12,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange,
  };
}
