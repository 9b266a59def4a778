import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Fault, Nothing } from '../notice.tsx';
import type { Column } from '../table.tsx';
import { type LoadPage, usePages } from './use-pages.ts';
import { useWindow } from './use-window.ts';

/** Rows of narrow windows have several lines. */
const NARROW = '(max-width: 820px)';

interface LongTableProps<Item> {
  /** For screen readers. */
  readonly label: string;
  /** Class of the style sheet, which has the widths of the columns. */
  readonly class: string;
  /** Height of a row in wide and in narrow windows, in pixels. The style sheet has the same. */
  readonly heights: readonly [wide: number, narrow: number];
  readonly columns: readonly Column[];
  /** What the list depends on, as text. */
  readonly listKey: string;
  readonly load: LoadPage<Item>;
  /** The cells of a row. Its link has the class `row-link`. */
  readonly cells: (item: Item) => ComponentChildren;
  readonly nothing: string;
  /** Receives the number of all entries. */
  readonly onTotal?: (total: number) => void;
}

/** A long table whose visible rows exist and are loaded. Arrow keys move from row to row. */
export function LongTable<Item>(props: LongTableProps<Item>) {
  const { columns, heights, listKey, onTotal } = props;
  const scroller = useRef<HTMLElement>(null);
  const isNarrow = useMatches(NARROW);
  const [shown, setShown] = useState<readonly [first: number, last: number]>([0, 0]);
  const { total, isCurrent, fault, at } = usePages(listKey, props.load, shown);
  useEffect(() => {
    if (isCurrent && total !== undefined) onTotal?.(total);
  }, [isCurrent, total, onTotal]);
  const { rows, before, after, scrollTo } = useWindow(scroller, total ?? 0, heights[isNarrow ? 1 : 0]);
  const [first, last] = [rows[0]?.index ?? 0, rows.at(-1)?.index ?? 0];
  useEffect(() => setShown([first, last]), [first, last]);
  useEffect(() => scroller.current?.scrollTo(0, 0), [listKey]);
  const moveTo = useRowFocus(scroller, total ?? 0, scrollTo);
  if (fault !== undefined) return <Fault text={fault} />;
  if (total === 0) return <Nothing>{props.nothing}</Nothing>;
  return (
    <section
      ref={scroller}
      class={`scroll long-table ${props.class}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard
      tabIndex={0}
      aria-label={props.label}
      onKeyDown={(event) => {
        const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
        if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        moveTo(step);
      }}
    >
      <table aria-rowcount={(total ?? 0) + 1}>
        <thead>
          <tr>
            {columns.map(({ name, isNumber = false }) => (
              <th key={name} scope="col" class={isNumber ? 'number' : ''}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <Space height={before} />
        <tbody>
          {rows.map(({ index }) => {
            const item = at(index);
            return (
              <tr key={index} aria-rowindex={index + 2} data-index={index}>
                {item === undefined ? (
                  <td colSpan={columns.length} class="faint">
                    …
                  </td>
                ) : (
                  props.cells(item)
                )}
              </tr>
            );
          })}
        </tbody>
        <Space height={after} />
      </table>
    </section>
  );
}

/** In place of the rows that are not visible. */
function Space({ height }: { readonly height: number }) {
  return (
    <tbody aria-hidden="true">
      <tr class="space" style={{ height: `${height}px` }} />
    </tbody>
  );
}

/** Returns a function that moves the focus by rows. A row that does not exist yet is scrolled to first. */
function useRowFocus(
  scroller: { readonly current: HTMLElement | null },
  count: number,
  scrollTo: (index: number) => void,
): (step: number) => void {
  const wanted = useRef<number | undefined>(undefined);
  const linkOf = (index: number) =>
    scroller.current?.querySelector<HTMLElement>(`tr[data-index="${index}"] .row-link`) ?? undefined;
  useEffect(() => {
    if (wanted.current === undefined) return;
    const link = linkOf(wanted.current);
    if (link === undefined) return;
    wanted.current = undefined;
    link.focus({ preventScroll: true });
  });
  return (step) => {
    const row = document.activeElement?.closest<HTMLElement>('tr[data-index]');
    const from = wanted.current ?? (row === null || row === undefined ? -1 : Number(row.dataset['index']));
    const to = Math.min(count - 1, Math.max(0, from + step));
    scrollTo(to);
    const link = linkOf(to);
    if (link === undefined) wanted.current = to;
    else link.focus({ preventScroll: true });
  };
}

function useMatches(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const update = (): void => setMatches(list.matches);
    list.addEventListener('change', update);
    return () => list.removeEventListener('change', update);
  }, [query]);
  return matches;
}
