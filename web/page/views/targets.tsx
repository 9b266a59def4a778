import type { Target } from '../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../api/call.ts';
import { type FiltersOf, filtersIn } from '../api/filters.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { ViewHead } from '../parts/card.tsx';
import { Choice } from '../parts/choice.tsx';
import { SearchField } from '../parts/filter-fields.tsx';
import { FilterForm } from '../parts/filter-form.tsx';
import { counted, formatNumber } from '../parts/format.ts';
import { LabelFields, LabelList } from '../parts/labels.tsx';
import { targetAddress } from '../parts/links.ts';
import { OpenCounts } from '../parts/open-counts.tsx';
import { RATED } from '../parts/severity.tsx';
import { Support } from '../parts/support.tsx';
import { ListTable } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useList } from '../parts/use-list.ts';
import { addressOf, place } from '../routing/location.ts';

type Filters = Partial<FiltersOf<'lockhound.targets.list'>>;

const ORDERS = [
  ['worst', 'Worst first'],
  ['target', 'Name'],
  ['requestedAt', 'Newest scan'],
] as const;

/** All targets. The address has the filters. */
export function TargetsView() {
  const filters = filtersIn('lockhound.targets.list', place.value.params);
  const key = `targets ${JSON.stringify(filters)}`;
  const list = useList(key, async (page, signal) => {
    const { targets, nextPageToken } = await call(
      'lockhound.targets.list',
      { ...filters, ...page },
      { signal },
    );
    return { items: targets, nextPageToken };
  });
  const count = useLoaded(`count ${key}`, (signal) =>
    call('lockhound.targets.list', { ...filters, pageSize: 1 }, { signal }),
  );
  return (
    <>
      <ViewHead title="Targets" />
      <TargetFilters filters={filters} />
      <p class="faint count" role="status">
        {count.value === undefined ? 'Counting …' : counted(count.value.total, 'target')}
      </p>
      <ListTable
        label="Targets"
        columns={['Target', 'Open findings', { name: 'Packages', isNumber: true }, 'Last scan', 'State']}
        list={list}
        nothing="No target fits these filters."
        row={targetRow}
      />
    </>
  );
}

function targetRow(one: Target) {
  return (
    <tr key={one.target}>
      <td data-label="Target">
        <a href={targetAddress(one.target)}>{one.target}</a> <LabelList labels={one.labels} />
      </td>
      <td data-label="Open findings">
        <OpenCounts open={one.open} />
      </td>
      <td data-label="Packages" class="number">
        {formatNumber(one.packages)}
      </td>
      <td data-label="Last scan">
        <Time at={one.requestedAt} />
      </td>
      <td data-label="State">
        {one.stale ? <span class="mark warn">stale</span> : null}
        {one.incomplete ? <span class="mark warn">incomplete</span> : null}
        {one.stale || one.incomplete ? null : <span class="faint">complete</span>}{' '}
        <Support release={one.release} />
      </td>
    </tr>
  );
}

function TargetFilters({ filters }: { readonly filters: Filters }) {
  return (
    <FilterForm
      label="Filters of targets"
      addressOf={(values) => addressOf('/targets', Object.fromEntries(values))}
    >
      <SearchField value={filters.search} placeholder="Id of a target" />
      <Choice
        name="worst"
        label="Worst finding"
        value={filters.worst}
        options={[
          ['', 'Any'],
          ...RATED.map((one) => [one, one === 'critical' ? one : `${one} or worse`] as const),
        ]}
      />
      <LabelFields chosen={filters.label} />
      <Choice name="orderBy" label="Sort by" value={filters.orderBy ?? 'worst'} options={ORDERS} />
      <div class="checks">
        <label>
          <input type="checkbox" name="stale" value="true" defaultChecked={filters.stale === true} /> stale
        </label>
        <label>
          <input
            type="checkbox"
            name="incomplete"
            value="true"
            defaultChecked={filters.incomplete === true}
          />{' '}
          incomplete
        </label>
      </div>
    </FilterForm>
  );
}
