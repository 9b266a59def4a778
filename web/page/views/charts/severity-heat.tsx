import type { ComponentChildren } from 'preact';
import type { FindingGroup } from '../../../../src/model/api/lockhound-api.generated.ts';
import { formatNumber } from '../../parts/format.ts';
import { Nothing } from '../../parts/notice.tsx';
import { SEVERITIES, type Severity } from '../../parts/severity.tsx';
import { Time } from '../../parts/time.tsx';

/** Shades of a column: the most findings have the last one. */
const SHADES = 4;

interface SeverityHeatProps {
  /** For screen readers. */
  readonly label: string;
  readonly groups: readonly FindingGroup[];
  /** The lowest severity of the findings. */
  readonly least?: string | undefined;
  readonly nameOf: (name: string | undefined) => ComponentChildren;
}

/** Groups of findings by severity: a table whose cells are darker the more findings of its severity a group has. */
export function SeverityHeat({ label, groups, least, nameOf }: SeverityHeatProps) {
  if (groups.length === 0) return <Nothing>No finding is open.</Nothing>;
  const most = new Map(
    SEVERITIES.map((severity) => [severity, Math.max(...groups.map((one) => countOf(one, severity)))]),
  );
  const shown = SEVERITIES.filter((severity) => (most.get(severity) ?? 0) > 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard
    <section class="scroll" tabIndex={0} aria-label={label}>
      <table class="heat">
        <thead>
          <tr>
            <th scope="col">Name</th>
            {shown.map((severity) => (
              <th key={severity} scope="col" class="number">
                {severity}
              </th>
            ))}
            <th scope="col" class="number">
              Targets
            </th>
            <th scope="col" class="number">
              Overdue
            </th>
            <th scope="col">Oldest of {severitiesFrom(least)}</th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={group.name ?? ''}>
              <th scope="row">{nameOf(group.name)}</th>
              {shown.map((severity) => {
                const count = countOf(group, severity);
                const shade = Math.ceil((count / (most.get(severity) ?? 1)) * SHADES);
                return (
                  <td key={severity} class={`number heat-${shade} s-${severity}`}>
                    <span>{count === 0 ? '–' : formatNumber(count)}</span>
                  </td>
                );
              })}
              <td class="number">{formatNumber(group.targets)}</td>
              <td class="number">{formatNumber(group.overdue)}</td>
              <td>
                <Time at={group.oldest} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function severitiesFrom(least: string | undefined): string {
  if (least === undefined) return 'any severity';
  return least === 'critical' ? least : `${least} or worse`;
}

function countOf({ severities }: FindingGroup, severity: Severity): number {
  return severities[severity] ?? 0;
}
