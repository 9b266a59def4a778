import { useState } from 'preact/hooks';
import type { Issue } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { counted, formatNumber } from '../../parts/format.ts';
import { findingAddress } from '../../parts/links.ts';
import { LongTable } from '../../parts/long-table/long-table.tsx';
import { SeverityBadge } from '../../parts/severity.tsx';
import { IssueTargets } from './issue-targets.tsx';
import type { IssueFilters } from './issues.tsx';

interface IssueTableProps {
  readonly filters: IssueFilters;
  /** The list is loaded again when it changes. */
  readonly version: number;
  readonly selected: ReadonlyMap<string, Issue>;
  readonly onSelect: (issue: Issue, isSelected: boolean) => void;
  readonly onSort: (order: string, isReversed: boolean) => void;
  readonly onTotal: (total: number) => void;
}

const COLUMNS = [
  { name: 'Select' },
  { name: 'Severity', order: ['severity', 'descending'] },
  { name: 'Issue', order: ['advisory', 'ascending'] },
  { name: 'Package', order: ['package', 'ascending'] },
  { name: 'Fixed in' },
  { name: 'CVSS', isNumber: true, order: ['score', 'descending'] },
  { name: 'Targets', isNumber: true, order: ['targets', 'descending'] },
] as const;

/** Issues whose visible rows exist. A row opens to its targets. */
export function IssueTable({ filters, version, selected, onSelect, onSort, onTotal }: IssueTableProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string): void => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
  };
  return (
    <LongTable
      label="Issues"
      class="issue-table"
      heights={[60, 78, 146]}
      columns={COLUMNS}
      listKey={`${version} ${JSON.stringify(filters)}`}
      load={async ({ skip, pageSize }, signal) => {
        const params = { ...filters, by: 'package', skip, limit: pageSize } as const;
        const { issues, different } = await call('lockhound.findings.issues', params, { signal });
        return { items: issues, total: different };
      }}
      cells={(issue) => (
        <Cells
          issue={issue}
          isSelected={selected.has(issue.id)}
          onSelect={onSelect}
          isOpen={open.has(issue.id)}
          onToggle={() => toggle(issue.id)}
        />
      )}
      more={{
        height: ({ findings }, isNarrow) => Math.min(240, 18 + findings * (isNarrow ? 66 : 36)),
        isOpen: ({ id }) => open.has(id),
        content: (issue) => <IssueTargets issue={issue} filters={filters} />,
      }}
      sort={{ order: filters.orderBy ?? 'severity', isReversed: filters.reverse === true, onSort }}
      nothing="No issue fits these filters."
      onTotal={onTotal}
    />
  );
}

interface CellsProps {
  readonly issue: Issue;
  readonly isSelected: boolean;
  readonly onSelect: (issue: Issue, isSelected: boolean) => void;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function Cells({ issue, isSelected, onSelect, isOpen, onToggle }: CellsProps) {
  const { first, severity, targets, versions, fixedIn } = issue;
  const { finding } = first;
  const { package: locked, advisory } = finding;
  return (
    <>
      <td>
        <input
          type="checkbox"
          aria-label={`Select ${finding.title}`}
          checked={isSelected}
          onChange={({ currentTarget }) => onSelect(issue, currentTarget.checked)}
        />
      </td>
      <td>
        <SeverityBadge severity={severity} />
      </td>
      <td>
        <a class="row-link two-lines" href={findingAddress(first.target, finding.fingerprint)}>
          {finding.title}
        </a>
        <div class="faint cut">
          {advisory === undefined ? finding.rule : [advisory.id, ...advisory.aliases].join(', ')}
          {finding.kev?.['listed'] === true ? <span class="mark hot">exploited</span> : null}
          {first.assigned === undefined ? null : <span class="mark">{first.assigned.to}</span>}
          {finding.suppressed === undefined ? null : <span class="mark">suppressed</span>}
          {first.status === 'resolved' ? <span class="mark">resolved</span> : null}
        </div>
      </td>
      <td class="cut">
        {locked.name}
        <div class="faint">{versions > 1 ? counted(versions, 'version') : locked.version}</div>
      </td>
      <td class="cut">{fixedIn.length === 0 ? <span class="faint">not known</span> : fixedIn.join(', ')}</td>
      <td class="number">{advisory?.score?.toFixed(1) ?? <span class="faint">–</span>}</td>
      <td class="number">
        <button
          type="button"
          class="quiet"
          aria-expanded={isOpen}
          aria-label={`${counted(targets, 'target')} of ${finding.title}`}
          onClick={onToggle}
        >
          {formatNumber(targets)} {isOpen ? '▴' : '▾'}
        </button>
      </td>
    </>
  );
}
