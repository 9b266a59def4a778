import { useState } from 'preact/hooks';
import type { Inventory, InventoryPackage } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { type FiltersOf, filtersIn } from '../../api/filters.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { ViewHead } from '../../parts/card.tsx';
import { Choice } from '../../parts/choice.tsx';
import { Check, SearchField } from '../../parts/filter-fields.tsx';
import { FilterForm } from '../../parts/filter-form.tsx';
import { counted } from '../../parts/format.ts';
import { graphAddress, targetAddress } from '../../parts/links.ts';
import { LongTable } from '../../parts/long-table/long-table.tsx';
import { Unnamed } from '../../parts/notice.tsx';
import { addressOf, place } from '../../routing/location.ts';
import { findingsAddress } from '../findings/filters.ts';

type Filters = FiltersOf<'lockhound.targets.inventory'>;

function filtersOf(params: URLSearchParams): Filters {
  return { target: '', ...filtersIn('lockhound.targets.inventory', params) };
}

/** What is known of a lockfile from its first page. */
type Head = Pick<Inventory, 'total' | 'groups' | 'problems' | 'format'>;

const COLUMNS = [
  { name: 'Package' },
  { name: 'Version' },
  { name: 'Groups' },
  { name: 'Dependency path' },
  { name: 'Look-up' },
];

/** The packages of a lockfile of a target, in a table that loads what is visible. The address has the filters. */
export function InventoryView() {
  const filters = filtersOf(place.value.params);
  const { target } = filters;
  const [head, setHead] = useState<Head | undefined>(undefined);
  const details = useLoaded(target === '' ? '' : `target ${target}`, (signal) =>
    call('lockhound.targets.get', { target }, { signal }),
  );
  if (target === '') return <Unnamed title="Inventory">The address names no target.</Unnamed>;
  const paths = details.value?.lockfiles.map(({ path }) => path) ?? [];
  const lockfile = filters.lockfile ?? paths[0];
  return (
    <div class="table-view">
      <ViewHead
        title="Inventory"
        note={
          <>
            The packages of <a href={targetAddress(target)}>{target}</a>
            {head === undefined || head.format === '' ? '' : `, ${head.format}`}
          </>
        }
      />
      <InventoryFilters filters={filters} paths={paths} groups={head?.groups ?? []} />
      <p class="faint count" role="status">
        {head === undefined ? 'Counting …' : counted(head.total, 'package')}
      </p>
      {head?.problems.map(({ message, line }) => (
        <p key={`${line} ${message}`} class="notice">
          {line === undefined ? '' : `Line ${line}: `}
          {message}
        </p>
      ))}
      {lockfile === undefined ? null : (
        <LongTable
          label="Packages"
          class="inventory-table"
          heights={[45, 63, 92]}
          columns={COLUMNS}
          listKey={JSON.stringify({ ...filters, lockfile })}
          load={async (part, signal) => {
            const params = { ...filters, lockfile, ...part };
            const found = await call('lockhound.targets.inventory', params, { signal });
            if (part.skip === 0) setHead(found);
            return { items: found.packages, total: found.total };
          }}
          cells={(one) => <Cells one={one} target={target} lockfile={lockfile} />}
          nothing="No package fits these filters."
        />
      )}
    </div>
  );
}

interface InventoryFiltersProps {
  readonly filters: Filters;
  readonly paths: readonly string[];
  readonly groups: readonly string[];
}

function InventoryFilters({ filters, paths, groups }: InventoryFiltersProps) {
  const { target, lockfile, group } = filters;
  return (
    <FilterForm
      label="Filters of packages"
      addressOf={(values) => addressOf('/inventory', { ...filtersOf(values), target })}
    >
      <SearchField value={filters.search} placeholder="Name, version, purl" />
      <Choice
        name="lockfile"
        label="Lockfile"
        value={lockfile ?? paths[0]}
        options={optionsOf(paths, lockfile)}
      />
      <Choice name="group" label="Group" value={group} options={[['', 'Any'], ...optionsOf(groups, group)]} />
      <div class="checks">
        <Check name="direct" label="direct only" value={filters.direct} />
      </div>
      <a class="button quiet" href={addressOf('/inventory', { target, lockfile })}>
        Clear
      </a>
    </FilterForm>
  );
}

/** Names as options. The chosen one is always there. */
function optionsOf(names: readonly string[], chosen: string | undefined) {
  const all = new Set(chosen === undefined ? names : [chosen, ...names]);
  return [...all].sort().map((name) => [name, name] as const);
}

interface CellsProps {
  readonly one: InventoryPackage;
  readonly target: string;
  readonly lockfile: string;
}

function Cells({ one, target, lockfile }: CellsProps) {
  const path = one.dependencyPath.slice(0, -1).join(' › ');
  return (
    <>
      <td>
        <a
          class="row-link two-lines"
          href={findingsAddress({ target, package: one.purl, state: 'all', notes: true })}
        >
          {one.name}
        </a>
      </td>
      <td class="cut">{one.version}</td>
      <td class="cut faint">{one.groups.join(', ')}</td>
      <td title={path}>
        <a class="two-lines" href={graphAddress(target, lockfile, one.id)}>
          {one.direct === true ? 'direct' : path === '' ? 'not known' : path}
        </a>
      </td>
      <td class="cut faint" title={one.reason}>
        {one.outcome ?? 'looked up'}
      </td>
    </>
  );
}
