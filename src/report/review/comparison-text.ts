import { printable } from '../../model/printable.ts';
import type { ComparisonBase, ScanComparison } from '../../model/review/scan-comparison.ts';
import { splitFindings } from '../../model/review/scan-comparison.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { isAlert, isNote } from '../../model/scan/is-alert.ts';
import type { Verdict } from '../../model/scan/verdict.ts';
import { counted, hang, type Palette } from '../layout.ts';

const SHOWN_GONE = 20;
const COMMIT_CHARACTERS = 12;

/** `main... (1a2b3c4d5e6f)`, the file of a report, or a time. */
export function baseText(base: ComparisonBase): string {
  if (base.kind !== 'git') return printable(base.name);
  return `${printable(base.name)} (${base.commit.slice(0, COMMIT_CHARACTERS)})`;
}

/** The lines that a comparison adds to the findings that count: the ones that are gone, and how many both sides have. */
export function comparisonLines(
  comparison: ScanComparison,
  findings: readonly Finding[],
  paint: Palette,
  width: number,
): readonly string[] {
  const { gone } = comparison;
  const { known } = splitFindings(findings, comparison);
  const rest = gone.length - SHOWN_GONE;
  return [
    ...gone
      .slice(0, SHOWN_GONE)
      .flatMap((finding) => hang(`${paint.good('gone')}  `, printable(subjectOf(finding)), width)),
    ...(rest > 0 ? [`… and ${rest} more (--json lists all)`] : []),
    ...comparisonWarnings(comparison).map(paint.bad),
    ...(known.length === 0
      ? []
      : [
          paint.faint(
            `${counted(known.length, 'finding')} unchanged since ${baseText(comparison.base)} (--json lists all)`,
          ),
        ]),
  ];
}

/** The warnings about a comparison: malware that the baseline has, and what the base could not see. */
export function comparisonWarnings({ base, refused, baseGaps }: ScanComparison): readonly string[] {
  return [
    ...(refused.length === 0
      ? []
      : [`${counted(refused.length, 'finding')} of malware in the baseline: malware always fails.`]),
    ...(baseGaps === 0
      ? []
      : [
          `${baseText(base)} has ${counted(baseGaps, 'gap')}: a finding may be listed as new because it could not be seen there.`,
        ]),
  ];
}

/** The result of a comparison in one line. */
export function comparisonSummary(
  { findings }: Pick<Verdict, 'findings'>,
  comparison: ScanComparison,
): string {
  const { counting, known } = splitFindings(findings, comparison);
  const alerts = counting.filter(isAlert).length;
  const notes = counting.filter(isNote).length;
  const parts = [
    alerts === 0 ? 'no new findings' : counted(alerts, 'new finding'),
    ...(notes === 0 ? [] : [counted(notes, 'new note')]),
    `${comparison.gone.length} gone`,
    `${known.length} unchanged`,
  ];
  const gaps = comparison.newGaps.length === 0 ? '' : `; ${counted(comparison.newGaps.length, 'new gap')}`;
  return `Since ${baseText(comparison.base)}: ${parts.join(', ')}${gaps}.`;
}

/** `lodash@4.17.20 GHSA-35jh-r3h4-6jhm Command Injection in lodash`. */
export function subjectOf({ package: { name, version }, advisory, rule, title }: Finding): string {
  return `${name}@${version}  ${advisory?.id ?? rule}  ${title}`;
}
