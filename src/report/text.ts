import { isReadWhole } from '../model/lockfile/read-whole.ts';
import { printable } from '../model/printable.ts';
import { splitFindings } from '../model/review/scan-comparison.ts';
import type { Finding } from '../model/scan/finding.ts';
import type { Gap } from '../model/scan/gap.ts';
import type { ResolvedLockfile } from '../model/scan/inventory.ts';
import { isAlert } from '../model/scan/is-alert.ts';
import { OUTCOMES, type Outcome } from '../model/scan/outcome.ts';
import { countedSeverity, SEVERITIES, type Severity } from '../model/scan/severity.ts';
import type { ScanReport, Verdict } from '../model/scan/verdict.ts';
import { counted, fitLines, hang, type Palette, palette, type TextOptions } from './layout.ts';
import { comparisonLines, comparisonSummary } from './review/comparison-text.ts';
import { imageText, nextStep, noFindings, offlineText } from './scan-parts.ts';
import { scanFindings } from './table/scan-findings.ts';

const SUPERSEDED =
  'Superseded: a scan of the target that was requested later was judged first. This scan changes nothing and sends no alerts.';

const UNCHANGED = 'Nothing changed: these are the lockfiles of the last scan.';

const SHOWN_GAPS = 10;

/** A scan as text: findings by package, the worst first, then lockfiles, gaps, a summary and what to do. */
export function renderText(report: ScanReport, options: TextOptions): string {
  const paint = palette(options.colour);
  const { inventory, verdict, comparison, advice } = report;
  const { counting } = splitFindings(verdict.findings, comparison);
  const lines = [
    ...coverageLines(verdict, paint),
    ...scanFindings(counting, inventory.lockfiles.length > 1, options),
    ...(comparison === undefined ? [] : comparisonLines(comparison, verdict.findings, paint, options.width)),
    ...unadvisedLines(advice?.unadvised ?? [], paint),
    ...(verdict.findings.length > 0 ? [''] : []),
    ...inventory.lockfiles.map((file) => lockfileLine(file, paint)),
    ...inventory.unread.map(
      ({ path, error }) =>
        `${paint.strong(printable(path))}  ${paint.bad('not read')}: ${printable(without(path, error.message))}`,
    ),
    ...unusedLines(verdict.unusedSuppressions ?? [], options.width),
    ...gapLines(
      verdict.gaps.filter(({ kind }) => kind !== 'lockfile'),
      paint,
    ),
    ...imageLines(report.verdict),
    ...(inventory.unchanged === undefined ? [] : [UNCHANGED]),
    ...scopeLines(report.verdict, paint),
    ...(report.offline === undefined ? [] : [paint.bad(offlineText(report.offline))]),
    summaryLine(report, paint),
    ...(comparison === undefined ? [] : [paint.strong(comparisonSummary(verdict, comparison))]),
    ...nextLines(report, counting, options, paint),
  ];
  return fitLines(lines, options);
}

/** The lines about the base of the image. */
function imageLines(verdict: Verdict): readonly string[] {
  const text = imageText(verdict);
  return text === undefined ? [] : [printable(text)];
}

/** A warning when most packages are not covered. */
function coverageLines({ counts: { outcomes, packages } }: Verdict, paint: Palette): readonly string[] {
  if (2 * outcomes.uncovered <= packages) return [];
  const share = `${outcomes.uncovered} of ${counted(packages, 'package')}`;
  return [
    `${paint.bad(`Most of this scan is unknown: ${share} ${outcomes.uncovered === 1 ? 'is' : 'are'} not in the local data set.`)}`,
    'Scan without --local to look them up, or import their advisories with `lockhound data import osv`.',
    '',
  ];
}

/** Packages without advice, by reason. */
function unadvisedLines(
  unadvised: NonNullable<ScanReport['advice']>['unadvised'],
  paint: Palette,
): readonly string[] {
  const byReason = Map.groupBy(unadvised, ({ reason }) => reason);
  return Array.from(byReason, ([reason, own]) => {
    const packages = own.some(({ id }) => id !== '')
      ? `No advice on ${counted(own.length, 'package')}: `
      : '';
    return paint.faint(`${packages}${printable(reason)}; \`lockhound fix\` shows details.`);
  });
}

/** Suppressions without effect. */
function unusedLines(unused: NonNullable<Verdict['unusedSuppressions']>, width: number): readonly string[] {
  if (unused.length === 0) return [];
  const shown = unused.slice(0, SHOWN_GAPS);
  const rest = unused.length - shown.length;
  return [
    '',
    `${counted(unused.length, 'suppression')} without effect:`,
    ...shown.flatMap(({ id, reason }) => hang('  ', printable(`${id}: ${reason}`), width)),
    ...(rest > 0 ? [`  … and ${rest} more (--json lists all)`] : []),
  ];
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
  const parts = [...outcomes, ...unread];
  const count = counted(packages.length, 'package');
  return `${paint.strong(printable(path))}  ${count}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
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

/** The lines about what the scan did not include. */
function scopeLines(
  { complete, partial, kept, superseded, image, counts }: Verdict,
  paint: Palette,
): readonly string[] {
  const lines: string[] = [];
  if (superseded) lines.push(paint.bad(SUPERSEDED));
  if (!complete) lines.push(paint.bad('Incomplete: the gaps may hide findings.'));
  const isImageAlone = image !== undefined && counts.lockfiles === 0;
  if (partial && !isImageAlone)
    lines.push('Partial: other lockfiles of the target were not part of this scan.');
  if (kept > 0) {
    const stay = kept === 1 ? 'stays' : 'stay';
    lines.push(
      `${counted(kept, 'finding')} of earlier scans ${stay} open: this scan could not look for them.`,
    );
  }
  return lines;
}

function summaryLine(report: ScanReport, paint: Palette): string {
  const { counts, findings } = report.verdict;
  const packages = counted(counts.packages, 'package');
  const { suppressed = 0 } = counts;
  const alerts = findings.filter(isAlert).length;
  const notes = [
    ...(counts.notes === 0 ? [] : [`; ${counted(counts.notes, 'note')}`]),
    ...(suppressed === 0 ? [] : [`; ${suppressed} suppressed`]),
  ].join('');
  if (alerts === 0) {
    const { text, detail, isClean } = noFindings(report);
    return `${isClean ? paint.good(text) : paint.bad(text)}${detail}${notes}.`;
  }
  const severities = SEVERITIES.filter((severity) => counts.severities[severity] > 0).map((severity) =>
    paint.severity(severity, `${counts.severities[severity]} ${severity}${countedAs(severity, findings)}`),
  );
  return `${paint.strong(counted(alerts, 'finding'))} in ${packages}: ${severities.join(', ')}${notes}`;
}

function nextLines(
  report: ScanReport,
  counting: readonly Finding[],
  { verbose = false }: TextOptions,
  paint: Palette,
): readonly string[] {
  const step = nextStep(report, counting);
  const more =
    verbose || step === undefined || counting.length === 0
      ? ''
      : ' --verbose shows titles, places and paths.';
  return step === undefined ? [] : [`${paint.strong('Next:')} ${printable(step)}${more}`];
}

/** The text about the severity that unrated findings count as, for exit codes and routes. */
function countedAs(severity: Severity, findings: readonly Finding[]): string {
  const unrated = findings.find((finding) => severity === 'unrated' && finding.severity === 'unrated');
  return unrated === undefined ? '' : ` (counted as ${countedSeverity(unrated)})`;
}

/** The message without the place at its beginning, which is printed before it. */
function without(place: string, message: string): string {
  return message.startsWith(`${place}:`) ? message.slice(place.length + 1).trimStart() : message;
}
