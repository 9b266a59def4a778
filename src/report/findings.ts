import type { Issue, IssueList } from '../model/api/lockhound-api.generated.ts';
import type { FleetFinding } from '../model/fleet/fleet-finding.ts';
import { printable } from '../model/printable.ts';
import type { TrackedFinding } from '../model/scan/change.ts';
import { disputeText } from '../model/scan/claim.ts';
import { isAlert } from '../model/scan/is-alert.ts';
import { SEVERITIES } from '../model/scan/severity.ts';
import { fixedVersion, priorityText, suppressionText } from './finding-parts.ts';
import { counted, fitLines, hang, type Palette, palette, type TextOptions } from './layout.ts';
import { type FindingRow, findingTable, groupedByPackage } from './table/finding-table.ts';
import { detailsOf } from './table/scan-findings.ts';

/** Columns of severity and score. */
const LEAD_WIDTH = 14;
/** Below this width the lines of a finding are indented less. */
const NARROW = 60;

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

/** One finding with its places. */
export function findingText(one: FleetFinding, options: TextOptions): string {
  const places = one.finding.locations.map(
    ({ path, line }) => `  ${printable(path)}${line === undefined ? '' : `:${line}`}`,
  );
  return fitLines(
    [printable(one.target), ...findingLines(one, palette(options.colour), options.width), ...places],
    options,
  );
}

/** An issue with the targets that have it. */
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

/** A tracked finding in two or three lines: severity, package and issue; title; first place and time. */
export function findingLines(
  { finding, status, openedAt }: Pick<TrackedFinding, 'finding' | 'status' | 'openedAt'>,
  paint: Palette,
  width: number,
): readonly string[] {
  const { severity, advisory, level, rule, title, suppressed, disputed } = finding;
  const score = advisory?.score === undefined ? '' : ` ${advisory.score.toFixed(1)}`;
  const stated = suppressed === undefined ? `${level === 'note' ? 'note' : severity}${score}` : 'suppressed';
  const weight = stated.padEnd(LEAD_WIDTH - 3);
  const lead = `  ${isAlert(finding) ? paint.severity(severity, weight) : paint.faint(weight)} `;
  const indent = ' '.repeat(width < NARROW ? 6 : LEAD_WIDTH);
  const name = paint.strong(printable(`${finding.package.name}@${finding.package.version}`));
  return [
    ...hang(lead, `${name}  ${paint.faint(printable(advisory?.id ?? rule))}`, width),
    ...hang(indent, printable(title), width),
    ...(finding.priority === undefined
      ? []
      : hang(indent, paint.faint(priorityText(finding.priority)), width)),
    ...(disputed === undefined ? [] : hang(indent, printable(disputeText(disputed)), width)),
    ...(suppressed === undefined ? [] : hang(indent, printable(suppressionText(suppressed)), width)),
    ...placeLines({ finding, status, openedAt }, paint, width),
  ];
}

/** The first place of a finding, and since when it is open. */
function placeLines(
  { finding: { locations }, status, openedAt }: Pick<TrackedFinding, 'finding' | 'status' | 'openedAt'>,
  paint: Palette,
  width: number,
): readonly string[] {
  const [first] = locations;
  const rest = locations.length > 1 ? ` and ${locations.length - 1} more` : '';
  const where =
    first === undefined ? '' : `${first.path}${first.line === undefined ? '' : `:${first.line}`}${rest}  `;
  const state = status === 'open' ? `open since ${openedAt}` : 'resolved';
  return hang(' '.repeat(width < NARROW ? 6 : LEAD_WIDTH), paint.faint(printable(`${where}${state}`)), width);
}
