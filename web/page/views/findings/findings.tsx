import { useCallback, useRef, useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { ViewHead } from '../../parts/card.tsx';
import { counted } from '../../parts/format.ts';
import { addressOf, place } from '../../routing/location.ts';
import { filtersOf, findingsAddress, ORDERS } from './filters.ts';
import { FindingFilters } from './finding-filters.tsx';
import { FindingTable } from './finding-table.tsx';

/** Findings of all targets in a table that loads what is visible. The address has the filters. */
export function FindingsView() {
  const filters = filtersOf(place.value.params);
  // The choices of the selection lists are those of the other filters. They are counted when the table is there.
  const { orderBy: _order, severity: _severity, rule: _rule, ecosystem: _ecosystem, ...others } = filters;
  const key = JSON.stringify(others);
  const [shown, setShown] = useState<{ readonly key: string; readonly total: number } | undefined>(undefined);
  const choices = useLoaded(shown === undefined ? '' : `choices ${shown.key}`, (signal) =>
    call('lockhound.findings.count', others, { signal }),
  );
  // Those of before stay while others are counted, so that the lists do not flicker.
  const known = useRef(choices.value);
  known.current = choices.value ?? known.current;
  const onTotal = useCallback((total: number) => setShown({ key, total }), [key]);
  return (
    <div class="table-view">
      <ViewHead title="Findings" />
      <FindingFilters
        method="lockhound.findings.list"
        filters={filters}
        choices={known.current}
        orders={ORDERS}
        addressOf={(values) => findingsAddress(filtersOf(values))}
        clear="/findings"
      />
      <p class="faint count">
        <span role="status">{shown === undefined ? 'Counting …' : counted(shown.total, 'finding')}</span>
        {' · '}
        <a href={addressOf('/issues', { ...filters, orderBy: undefined })}>by issue</a>
      </p>
      <FindingTable filters={filters} onTotal={onTotal} />
    </div>
  );
}
