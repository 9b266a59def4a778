import { useEffect, useRef, useState } from 'preact/hooks';
import type { FleetFinding } from '../../../../src/model/api/lockhound-api.generated.ts';
import { findingAddress, targetAddress } from '../../parts/links.ts';
import { Fault, Nothing } from '../../parts/notice.tsx';
import { SeverityBadge } from '../../parts/severity.tsx';
import { Time } from '../../parts/time.tsx';
import type { Filters } from './filters.ts';
import { usePages } from './use-pages.ts';
import { useWindow } from './use-window.ts';

/** Rows of narrow windows have several lines. The style sheet has the same heights. */
const NARROW = '(max-width: 820px)';
const [HEIGHT, NARROW_HEIGHT] = [45, 92];

interface FindingTableProps {
  readonly filters: Filters;
  /** Receives the number of all findings that fit. */
  readonly onTotal: (total: number) => void;
}

/** A long table whose visible rows exist and are loaded. Arrow keys move from row to row. */
export function FindingTable({ filters, onTotal }: FindingTableProps) {
  const scroller = useRef<HTMLElement>(null);
  const isNarrow = useMatches(NARROW);
  const [shown, setShown] = useState({ first: 0, last: 0 });
  const { total, isCurrent, fault, at } = usePages(filters, shown.first, shown.last);
  useEffect(() => {
    if (isCurrent && total !== undefined) onTotal(total);
  }, [isCurrent, total, onTotal]);
  const { rows, before, after, scrollTo } = useWindow(
    scroller,
    total ?? 0,
    isNarrow ? NARROW_HEIGHT : HEIGHT,
  );
  const [first, last] = [rows[0]?.index ?? 0, rows.at(-1)?.index ?? 0];
  useEffect(() => setShown({ first, last }), [first, last]);
  const key = JSON.stringify(filters);
  useEffect(() => scroller.current?.scrollTo(0, 0), [key]);
  const moveTo = useRowFocus(scroller, total ?? 0, scrollTo);
  if (fault !== undefined) return <Fault text={fault} />;
  if (total === 0) return <Nothing>No finding fits these filters.</Nothing>;
  return (
    <section
      ref={scroller}
      class="scroll finding-table"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard
      tabIndex={0}
      aria-label="Findings"
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
            <th scope="col">Severity</th>
            <th scope="col" class="number">
              Priority
            </th>
            <th scope="col">Finding</th>
            <th scope="col">Package</th>
            <th scope="col">Target</th>
            <th scope="col">Changed</th>
          </tr>
        </thead>
        <Space height={before} />
        <tbody>
          {rows.map(({ index }) => (
            <Row key={index} index={index} finding={at(index)} />
          ))}
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

function Row({
  index,
  finding: one,
}: {
  readonly index: number;
  readonly finding: FleetFinding | undefined;
}) {
  if (one === undefined) {
    return (
      <tr aria-rowindex={index + 2} data-index={index}>
        <td colSpan={6} class="faint">
          …
        </td>
      </tr>
    );
  }
  const { finding, target } = one;
  const { package: locked } = finding;
  return (
    <tr aria-rowindex={index + 2} data-index={index}>
      <td>
        <SeverityBadge severity={finding.severity} />
      </td>
      <td class="number priority">{finding.priority?.score ?? '–'}</td>
      <td class="cut">
        <a class="row-link" href={findingAddress(target, finding.fingerprint)}>
          {finding.title}
        </a>
        <span class="marks">
          {finding.level === 'note' ? <span class="mark">note</span> : null}
          {finding.suppressed === undefined ? null : <span class="mark">suppressed</span>}
          {one.status === 'resolved' ? <span class="mark">resolved</span> : null}
          {finding.kev?.['listed'] === true ? <span class="mark hot">exploited</span> : null}
        </span>
      </td>
      <td class="cut">
        {locked.name} <span class="faint">{locked.version}</span>
        {locked.direct === true ? <span class="mark">direct</span> : null}
      </td>
      <td class="cut">
        <a href={targetAddress(target)}>{target}</a>
      </td>
      <td class="faint when">
        <Time at={one.changedAt} />
      </td>
    </tr>
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
