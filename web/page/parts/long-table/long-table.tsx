import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Fault, Nothing } from '../notice.tsx';
import type { Column } from '../table.tsx';
import { type LoadPage, usePages } from './use-pages.ts';
import { useWindow } from './use-window.ts';

/** Rows of narrow windows have several lines. */
const NARROW = '(max-width: 820px)';
/** Texts of rows may have three lines. */
const MEDIUM = '(max-width: 1200px)';

interface LongTableProps<Item> {
  /** For screen readers. */
  readonly label: string;
  /** Class of the style sheet, which has the widths of the columns. */
  readonly class: string;
  /** Height of a row in wide, medium and narrow windows, in pixels. The style sheet has the same. */
  readonly heights: readonly [wide: number, medium: number, narrow: number];
  readonly columns: readonly Column[];
  /** What the list depends on, as text. */
  readonly listKey: string;
  readonly load: LoadPage<Item>;
  /** The cells of a row. Its link has the class `row-link`. */
  readonly cells: (item: Item) => ComponentChildren;
  readonly nothing: string;
  /** What is shown below a row that is open, and its height in pixels. */
  readonly more?: {
    readonly height: (item: Item, isNarrow: boolean) => number;
    readonly isOpen: (item: Item) => boolean;
    readonly content: (item: Item) => ComponentChildren;
  };
  /** The order of the list, for columns that have one. */
  readonly sort?: {
    readonly order: string;
    readonly isReversed: boolean;
    readonly onSort: (order: string, isReversed: boolean) => void;
  };
  /** Receives the number of all entries. */
  readonly onTotal?: (total: number) => void;
}

/** A long table whose visible rows exist and are loaded. Arrow keys move from row to row. */
export function LongTable<Item>(props: LongTableProps<Item>) {
  const { columns, heights, listKey, onTotal, more } = props;
  const scroller = useRef<HTMLElement>(null);
  const isNarrow = useMatches(NARROW);
  const isMedium = useMatches(MEDIUM);
  const [shown, setShown] = useState<readonly [first: number, last: number]>([0, 0]);
  const { total, isCurrent, fault, at, placesOf } = usePages(listKey, props.load, shown);
  useEffect(() => {
    if (isCurrent && total !== undefined) onTotal?.(total);
  }, [isCurrent, total, onTotal]);
  const open = new Set(more === undefined ? [] : placesOf(more.isOpen));
  const height = heights[isNarrow ? 2 : isMedium ? 1 : 0];
  const heightOf = (index: number): number => {
    const item = open.has(index) ? at(index) : undefined;
    return height + (item === undefined ? 0 : (more?.height(item, isNarrow) ?? 0));
  };
  const sizes = [height, ...open].join(' ');
  const { rows, before, after, scrollTo } = useWindow(scroller, total ?? 0, heightOf, sizes);
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
        const isInside = event.target instanceof Element && event.target.closest('.more-row') !== null;
        if (step === undefined || isInside || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        moveTo(step);
      }}
    >
      <table aria-rowcount={(total ?? 0) + 1}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.name} column={column} sort={isNarrow ? undefined : props.sort} />
            ))}
          </tr>
        </thead>
        <Space height={before} />
        <tbody>
          {rows.map(({ index }) => {
            const item = at(index);
            return (
              <Fragment key={index}>
                <tr aria-rowindex={index + 2} data-index={index}>
                  {item === undefined ? (
                    <td colSpan={columns.length} class="faint">
                      …
                    </td>
                  ) : (
                    props.cells(item)
                  )}
                </tr>
                {item === undefined || more?.isOpen(item) !== true ? null : (
                  <tr class="more-row" style={{ height: `${more.height(item, isNarrow)}px` }}>
                    <td colSpan={columns.length}>{more.content(item)}</td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
        <Space height={after} />
      </table>
    </section>
  );
}

interface HeadingProps {
  readonly column: Column;
  readonly sort: LongTableProps<unknown>['sort'];
}

/** The heading of a column. One with an order sorts by it, and the opposite way when it is chosen again. */
function Heading({ column: { name, isNumber = false, order }, sort }: HeadingProps) {
  const kind = isNumber ? 'number' : '';
  if (order === undefined || sort === undefined) {
    return (
      <th scope="col" class={kind}>
        {name}
      </th>
    );
  }
  const [own, direction] = order;
  const isCurrent = sort.order === own;
  const opposite = direction === 'ascending' ? 'descending' : 'ascending';
  const shown = sort.isReversed ? opposite : direction;
  return (
    <th scope="col" class={kind} {...(isCurrent ? { 'aria-sort': shown } : {})}>
      <button type="button" class="sort" onClick={() => sort.onSort(own, isCurrent && !sort.isReversed)}>
        {name}
        <span aria-hidden="true">{isCurrent ? (shown === 'ascending' ? ' ▲' : ' ▼') : ''}</span>
      </button>
    </th>
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
