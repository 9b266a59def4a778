import type { FleetFinding } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { findingAddress, targetAddress } from '../../parts/links.ts';
import { LongTable } from '../../parts/long-table/long-table.tsx';
import { Overdue } from '../../parts/overdue.tsx';
import { SeverityBadge } from '../../parts/severity.tsx';
import { Time } from '../../parts/time.tsx';
import type { Filters } from './filters.ts';

interface FindingTableProps {
  readonly filters: Filters;
  /** Receives the number of all findings that fit. */
  readonly onTotal?: (total: number) => void;
  /** For screen readers, where the page has more about findings. */
  readonly label?: string;
  /** Said where no finding fits. */
  readonly nothing?: string;
}

const COLUMNS = [
  { name: 'Severity' },
  { name: 'Priority', isNumber: true },
  { name: 'Finding' },
  { name: 'Package' },
  { name: 'Target' },
  { name: 'Changed' },
];

export function FindingTable({
  filters,
  onTotal = () => {},
  label = 'Findings',
  nothing = 'No finding fits these filters.',
}: FindingTableProps) {
  return (
    <LongTable
      label={label}
      class="finding-table"
      heights={[45, 63, 112]}
      columns={COLUMNS}
      listKey={JSON.stringify(filters)}
      load={async (place, signal) => {
        const { findings, total } = await call(
          'lockhound.findings.list',
          { ...filters, ...place },
          { signal },
        );
        return { items: findings, total };
      }}
      cells={(one) => <Cells one={one} />}
      nothing={nothing}
      onTotal={onTotal}
    />
  );
}

function Cells({ one }: { readonly one: FleetFinding }) {
  const { finding, target } = one;
  const { package: locked } = finding;
  return (
    <>
      <td>
        <SeverityBadge severity={finding.severity} />
      </td>
      <td class="number priority">{finding.priority?.score ?? '–'}</td>
      <td>
        <div class="titled">
          <a
            class="row-link two-lines"
            href={findingAddress(target, finding.fingerprint)}
            title={finding.title}
          >
            {finding.title}
          </a>
          <span class="marks">
            {finding.level === 'note' ? <span class="mark">note</span> : null}
            {finding.suppressed === undefined ? null : <span class="mark">suppressed</span>}
            {one.status === 'resolved' ? <span class="mark">resolved</span> : null}
            <Overdue finding={finding} />
            {finding.disputed === undefined ? null : <span class="mark">disputed</span>}
            {finding.kev?.['listed'] === true ? <span class="mark hot">exploited</span> : null}
          </span>
        </div>
      </td>
      <td>
        <div class="two-lines">
          {locked.name} <span class="faint">{locked.version}</span>{' '}
          {locked.direct === true ? <span class="mark">direct</span> : null}
        </div>
      </td>
      <td>
        <a class="two-lines" href={targetAddress(target)}>
          {target.split(/(?<=\/)/).map((part) => [part, <wbr key={part} />])}
        </a>
      </td>
      <td class="faint when">
        <Time at={one.changedAt} />
      </td>
    </>
  );
}
