import type { Issue, IssueList } from '../model/api/lockhound-api.generated.ts';
import type { FleetFinding } from '../model/fleet/fleet-finding.ts';
import { SEVERITIES } from '../model/scan/severity.ts';
import { fixedVersion } from './finding-parts.ts';
import { counted, fitLines, palette, type TextOptions } from './layout.ts';
import { type FindingRow, findingTable, groupedByPackage } from './table/finding-table.ts';
import { detailsOf } from './table/scan-findings.ts';

/** Findings of many targets by issue: a version or package and its advisory or rule, with the targets that have it. */
export function issueListText(list: IssueList, options: TextOptions): string {
  const { issues, total, different, targets, severities } = list;
  if (total === 0) return fitLines(['No findings fit.'], options);
  const paint = palette(options.colour);
  const rest = different - issues.length;
  const rows = groupedByPackage(
    issues.map((issue) => issueRow(issue, options.verbose === true)),
    (row) => row.finding,
  );
  const counts = SEVERITIES.flatMap((severity) => {
    const count = severities[severity] ?? 0;
    return count === 0 ? [] : [paint.severity(severity, `${count} ${severity}`)];
  });
  return fitLines(
    [
      ...findingTable(rows, options),
      '',
      ...(rest > 0 ? [paint.faint(`… and ${counted(rest, 'more issue')}: --limit shows them`)] : []),
      `${paint.strong(counted(total, 'finding'))} of ${counted(different, 'issue')} in ${counted(targets, 'target')}: ${counts.join(', ')}`,
    ],
    options,
  );
}

function issueRow({ first, targets, named, versions, fixedIn }: Issue, verbose: boolean): FindingRow {
  const { finding, status, openedAt } = first as unknown as FleetFinding;
  const rest = targets - named.length;
  const names = `${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  const several = versions > 1 ? ` in ${counted(versions, 'version')}` : '';
  const count = `${counted(targets, 'target')}${several}`;
  const state = status === 'open' ? `open since ${openedAt}` : 'resolved';
  // The age is that of one target.
  const { age: _age, due: _due, ...shared } = finding;
  const details = detailsOf(targets === 1 ? finding : shared, verbose);
  return {
    finding,
    fixed: versions > 1 ? fixedIn.join(', ') : fixedVersion(finding),
    why: targets === 1 ? [names] : [`${count}: ${names}`, `${count}: ${named[0]} …`, count],
    details: verbose && targets === 1 ? [...details, state] : details,
  };
}
