import { useCallback, useState } from 'preact/hooks';
import type { Issue } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { type FiltersOf, filtersIn } from '../../api/filters.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { ViewHead } from '../../parts/card.tsx';
import { counted } from '../../parts/format.ts';
import { addressOf, goTo, place } from '../../routing/location.ts';
import { findingsAddress } from '../findings/filters.ts';
import { FindingFilters } from '../findings/finding-filters.tsx';
import { IssueActions } from './issue-actions.tsx';
import { IssueTable } from './issue-table.tsx';

export type IssueFilters = Omit<Partial<FiltersOf<'lockhound.findings.issues'>>, 'by' | 'limit'>;

/** Issues that can be selected: each is a parameter of an address, and a suppression. */
const MAX_SELECTED = 100;

const ORDERS = [
  ['severity', 'Priority'],
  ['score', 'CVSS score'],
  ['targets', 'Number of targets'],
  ['package', 'Package'],
  ['advisory', 'Advisory'],
  ['changedAt', 'Newest change'],
  ['target', 'Target'],
] as const;

/** Findings by advisory or rule and package: a row for each, whatever number of targets has it. The address has the filters. */
export function IssuesView() {
  const { by: _by, ...filters } = filtersIn('lockhound.findings.issues', place.value.params);
  const { orderBy: _order, reverse: _reverse, ...selecting } = filters;
  const { severity: _severity, rule: _rule, ecosystem: _ecosystem, ...others } = selecting;
  const [total, setTotal] = useState<number | undefined>(undefined);
  const [selected, setSelected] = useState<ReadonlyMap<string, Issue>>(new Map());
  const [version, setVersion] = useState(0);
  const onTotal = useCallback(setTotal, []);
  // The choices of the selection lists are those of the other filters. They are counted when the table is there.
  const choices = useLoaded(total === undefined ? '' : `choices ${JSON.stringify(others)}`, (signal) =>
    call('lockhound.findings.count', others, { signal }),
  );
  const select = (issue: Issue, isSelected: boolean): void => {
    const next = new Map(selected);
    if (!isSelected) next.delete(issue.id);
    else if (next.size < MAX_SELECTED) next.set(issue.id, issue);
    setSelected(next);
  };
  const address = (changed: IssueFilters): string => addressOf('/issues', changed);
  return (
    <div class="table-view">
      <ViewHead title="Issues" note="What is wrong, once for all targets that have it.">
        <IssueActions
          filters={selecting}
          selected={selected}
          onClear={() => setSelected(new Map())}
          onAssigned={() => {
            setSelected(new Map());
            setVersion((before) => before + 1);
          }}
          onRemove={(id) => setSelected((before) => new Map([...before].filter(([one]) => one !== id)))}
        />
      </ViewHead>
      <FindingFilters
        method="lockhound.findings.issues"
        filters={filters}
        choices={choices.value}
        orders={ORDERS}
        addressOf={(values) => address(filtersIn('lockhound.findings.issues', values))}
        clear="/issues"
      />
      <p class="faint count">
        <span role="status">{total === undefined ? 'Counting …' : counted(total, 'issue')}</span>
        {' · '}
        <a href={findingsAddress(selecting)}>finding by finding</a>
      </p>
      <IssueTable
        filters={filters}
        version={version}
        selected={selected}
        onSelect={select}
        onSort={(orderBy, reverse) =>
          goTo(address({ ...filters, orderBy: orderBy as IssueFilters['orderBy'], reverse }), {
            replace: true,
          })
        }
        onTotal={onTotal}
      />
    </div>
  );
}
