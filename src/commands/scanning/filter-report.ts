import { isFixable } from '../../model/advice/fixable.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import { atLeast, countedSeverity, type RatedSeverity } from '../../model/scan/severity.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { isOnlyIn } from '../../policy/group-filter.ts';
import { countScan } from '../../scan/counts.ts';

export interface ReportFilter {
  /** Keeps findings in direct dependencies, and in packages of which that is not known. */
  readonly direct?: boolean | undefined;
  /** Keeps these purl types. */
  readonly ecosystems?: readonly string[] | undefined;
  /** Keeps findings that count as this or worse. */
  readonly severity?: RatedSeverity | undefined;
  /** Keeps findings that a known change of the lockfile clears. */
  readonly fixable?: boolean | undefined;
  /** Removes findings in packages that are installed under these conditions alone. */
  readonly withoutGroups?: readonly string[] | undefined;
}

/** The report with the findings and changes that fit. */
export function filterReport(report: ScanReport, filter: ReportFilter): ScanReport {
  if (Object.values(filter).every((value) => value === undefined)) return report;
  const { inventory, verdict } = report;
  const findings = verdict.findings.filter((finding) => fits(finding, filter));
  const changes = verdict.changes.filter(({ finding }) => fits(finding, filter));
  const { routed: _, ...rest } = verdict;
  const leftOut = verdict.findings.filter(isAlert).length - findings.filter(isAlert).length;
  const counts = countScan(inventory, findings);
  return { ...report, leftOut, verdict: { ...rest, findings, changes, counts } };
}

function fits(
  finding: Finding,
  { direct = false, ecosystems, severity, fixable = false, withoutGroups }: ReportFilter,
): boolean {
  const { ecosystem, groups } = finding.package;
  return (
    (!direct || finding.package.direct !== false) &&
    (ecosystems === undefined || ecosystems.includes(ecosystem)) &&
    (severity === undefined || atLeast(countedSeverity(finding), severity)) &&
    (!fixable || isFixable(finding)) &&
    (withoutGroups === undefined || !isOnlyIn(groups, new Set(withoutGroups)))
  );
}
