import { printable } from '../model/printable.ts';
import {
  countedSeverity,
  type Finding,
  type Location,
  SEVERITIES,
  type Severity,
} from '../model/scan/finding.ts';
import type { ResolvedLockfile } from '../model/scan/inventory.ts';
import { isReadWhole } from '../model/scan/lockfile.ts';
import { OUTCOMES, type Outcome } from '../model/scan/resolution.ts';
import type { Gap, ScanReport, Verdict } from '../model/scan/verdict.ts';
import { counted, fitLines, hang, type TextOptions } from './layout.ts';
import { type Palette, palette } from './palette.ts';

const SUPERSEDED =
  'Superseded: a scan of the target that was requested later was judged first. This scan changes nothing and sends no alerts.';

const SHOWN_GAPS = 10;
const SHOWN_LOCATIONS = 3;
/** Columns of severity and score. */
const LEAD_WIDTH = 14;
/** Below this width the lines of a finding are indented less. */
const NARROW = 60;

/** A scan as text: findings with their locations, the worst first, then lockfiles, gaps and a summary. */
export function renderText(report: ScanReport, options: TextOptions): string {
  const paint = palette(options.colour);
  const { inventory, verdict } = report;
  const lines = [
    ...coverageLines(verdict, paint),
    ...verdict.findings.flatMap((finding) => findingLines(finding, paint, options.width)),
    ...(verdict.findings.length > 0 ? [''] : []),
    ...inventory.lockfiles.map((file) => lockfileLine(file, paint)),
    ...inventory.unread.map(
      ({ path, error }) =>
        `${paint.strong(printable(path))}  ${paint.bad('not read')}: ${printable(without(path, error.message))}`,
    ),
    ...gapLines(
      verdict.gaps.filter(({ kind }) => kind !== 'lockfile'),
      paint,
    ),
    ...scopeLines(report.verdict, paint),
    summaryLine(report, paint),
  ];
  return fitLines(lines, options);
}

/** A warning when most packages are not covered. */
function coverageLines({ counts: { outcomes, packages } }: Verdict, paint: Palette): readonly string[] {
  if (2 * outcomes.uncovered <= packages) return [];
  const share = `${outcomes.uncovered} of ${counted(packages, 'package')}`;
  return [
    `${paint.bad(`Most of this scan is unknown: ${share} ${outcomes.uncovered === 1 ? 'is' : 'are'} not in the local data set.`)}`,
    'Scan without --local to look them up.',
    '',
  ];
}

function findingLines(finding: Finding, paint: Palette, width: number): readonly string[] {
  const { severity, advisory, locations, title } = finding;
  const name = `${finding.package.name}@${finding.package.version}`;
  const score = advisory?.score === undefined ? '' : ` ${advisory.score.toFixed(1)}`;
  const weight = `${finding.level === 'note' ? 'note' : severity}${score}`.padEnd(LEAD_WIDTH - 1);
  const names = advisory === undefined ? finding.rule : [advisory.id, ...advisory.aliases].join(' ');
  const lead = `${finding.level === 'note' ? paint.faint(weight) : paint.severity(severity, weight)} `;
  const indent = ' '.repeat(width < NARROW ? 4 : LEAD_WIDTH);
  const shown = locations.slice(0, SHOWN_LOCATIONS);
  const rest = locations.length - shown.length;
  return [
    ...hang(lead, `${paint.strong(printable(name))}  ${paint.faint(printable(names))}`, width),
    ...hang(indent, printable(title), width),
    ...shown.flatMap((location) => hang(indent, paint.faint(locationText(location)), width)),
    ...(rest > 0 ? [paint.faint(`${indent}… and ${rest} more places`)] : []),
    ...(finding.advice === undefined ? [] : hang(indent, printable(finding.advice), width)),
  ];
}

function locationText({ path, line, dependencyPath }: Location): string {
  const where = line === undefined ? path : `${path}:${line}`;
  const way = dependencyPath.length > 1 ? `  ${dependencyPath.join(' › ')}` : '';
  return printable(where + way);
}

function lockfileLine({ path, packages, problems }: ResolvedLockfile, paint: Palette): string {
  const counts = new Map<Outcome, number>();
  for (const { resolution } of packages) {
    counts.set(resolution.outcome, (counts.get(resolution.outcome) ?? 0) + 1);
  }
  const outcomes = OUTCOMES.filter((outcome) => counts.has(outcome)).map(
    (outcome) => `${counts.get(outcome)} ${outcome}`,
  );
  const unread = isReadWhole({ problems }) ? [] : [paint.bad('not read completely')];
  return `${paint.strong(printable(path))}  ${counted(packages.length, 'package')}: ${[...outcomes, ...unread].join(', ')}`;
}

function gapLines(gaps: readonly Gap[], paint: Palette): readonly string[] {
  if (gaps.length === 0) return [];
  const listed = gaps.filter(({ kind }) => kind !== 'coverage');
  const uncovered = gaps.length - listed.length;
  const shown = listed.slice(0, SHOWN_GAPS);
  const rest = listed.length - shown.length;
  return [
    '',
    paint.bad(`${counted(gaps.length, 'gap')}: what could not be found out`),
    ...shown.map(
      ({ kind, subject, reason }) =>
        `  ${kind} ${printable(subject)}: ${printable(without(subject, reason))}`,
    ),
    ...(rest > 0 ? [`  … and ${rest} more (--json lists all)`] : []),
    ...(uncovered > 0
      ? [`  ${counted(uncovered, 'package')} not in the local data set (--json lists all)`]
      : []),
  ];
}

/** What the scan did not include. */
function scopeLines({ complete, partial, kept, superseded }: Verdict, paint: Palette): readonly string[] {
  const lines: string[] = [];
  if (superseded) lines.push(paint.bad(SUPERSEDED));
  if (!complete) lines.push(paint.bad('Incomplete: only findings that are provably gone are resolved.'));
  if (partial) lines.push('Partial: other lockfiles of the target were not part of this scan.');
  if (kept > 0) {
    const stay = kept === 1 ? 'stays' : 'stay';
    lines.push(
      `${counted(kept, 'finding')} of earlier scans ${stay} open: this scan could not look for them.`,
    );
  }
  return lines;
}

function summaryLine({ verdict }: ScanReport, paint: Palette): string {
  const { counts, findings } = verdict;
  const packages = counted(counts.packages, 'package');
  const alerts = findings.length - counts.notes;
  const notes = counts.notes === 0 ? '' : `; ${counted(counts.notes, 'note')}`;
  if (alerts === 0) {
    return verdict.gaps.length === 0
      ? `${paint.good('No findings')} in ${packages}${notes}.`
      : `${paint.bad('No findings, but the scan is incomplete')}: ${packages} read${notes}.`;
  }
  const severities = SEVERITIES.filter((severity) => counts.severities[severity] > 0).map((severity) =>
    paint.severity(severity, `${counts.severities[severity]} ${severity}${countedAs(severity, findings)}`),
  );
  return `${paint.strong(counted(alerts, 'finding'))} in ${packages}: ${severities.join(', ')}${notes}`;
}

/** What unrated findings count as for exit codes and routes. */
function countedAs(severity: Severity, findings: readonly Finding[]): string {
  const unrated = findings.find((finding) => severity === 'unrated' && finding.severity === 'unrated');
  return unrated === undefined ? '' : ` (counted as ${countedSeverity(unrated)})`;
}

/** The message without the place at its beginning, which is printed before it. */
function without(place: string, message: string): string {
  return message.startsWith(`${place}:`) ? message.slice(place.length + 1).trimStart() : message;
}
