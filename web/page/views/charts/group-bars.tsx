import type { Counts, FindingGroup } from '../../../../src/model/api/lockhound-api.generated.ts';
import { Bar } from '../../parts/bar.tsx';
import { formatNumber } from '../../parts/format.ts';
import { Nothing } from '../../parts/notice.tsx';
import { SEVERITIES } from '../../parts/severity.tsx';

interface GroupBarsProps {
  /** For screen readers. */
  readonly label: string;
  /** Heading of the names. */
  readonly heading: string;
  readonly groups: readonly FindingGroup[];
}

/** Groups of findings as bars in a table. Each row has its numbers as text, so that nobody needs the picture. */
export function GroupBars({ label, heading, groups }: GroupBarsProps) {
  if (groups.length === 0) return <Nothing>No finding is open.</Nothing>;
  const most = Math.max(...groups.map(({ total }) => total));
  return (
    <table class="group-bars" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{heading}</th>
          <th scope="col">Severity</th>
          <th scope="col" class="number">
            Findings
          </th>
          <th scope="col" class="number">
            Overdue
          </th>
        </tr>
      </thead>
      <tbody>
        {groups.map(({ name = 'not known', severities, total, overdue }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td title={countsText(severities)}>
              <Bar counts={severities} most={most} />
              <span class="hidden">{countsText(severities)}</span>
            </td>
            <td class="number">{formatNumber(total)}</td>
            <td class="number">
              {overdue === 0 ? <span class="faint">0</span> : <strong>{formatNumber(overdue)}</strong>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function countsText(counts: Counts): string {
  return SEVERITIES.flatMap((severity) => {
    const count = counts[severity] ?? 0;
    return count === 0 ? [] : [`${formatNumber(count)} ${severity}`];
  }).join(', ');
}
