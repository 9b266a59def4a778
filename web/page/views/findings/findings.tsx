import { call } from '../../api/call.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { ViewHead } from '../../parts/card.tsx';
import { counted } from '../../parts/format.ts';
import { place } from '../../routing/location.ts';
import { filtersOf } from './filters.ts';
import { FindingFilters } from './finding-filters.tsx';
import { FindingTable } from './finding-table.tsx';

/** Findings of all targets in a table that loads what is visible. The address has the filters. */
export function FindingsView() {
  const filters = filtersOf(place.value.params);
  // The choices of the selection lists are those of the other filters.
  const { orderBy: _order, severity: _severity, rule: _rule, ecosystem: _ecosystem, ...others } = filters;
  const choices = useLoaded(`choices ${JSON.stringify(others)}`, (signal) =>
    call('lockhound.findings.count', others, { signal }),
  );
  const counts = useLoaded(`counts ${JSON.stringify(filters)}`, (signal) => {
    const { orderBy: _ignored, ...fitting } = filters;
    return call('lockhound.findings.count', fitting, { signal });
  });
  const total = counts.value?.total;
  return (
    <div class="findings-view">
      <ViewHead title="Findings" />
      <FindingFilters filters={filters} choices={choices.value} />
      <p class="faint count" role="status">
        {total === undefined ? 'Counting …' : counted(total, 'finding')}
      </p>
      <FindingTable filters={filters} />
    </div>
  );
}
