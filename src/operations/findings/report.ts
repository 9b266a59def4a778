import { type Gap, isComplete } from '../../model/scan/gap.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { REPORTS } from '../../report/catalog.ts';
import type { TextOptions } from '../../report/layout.ts';
import { type OperationContext, requireSeen } from '../context.ts';
import { type Operation, RawAnswer } from '../operation.ts';
import { Refusal } from '../refusal.ts';
import { selectFindings } from './select.ts';
import { withKnownFixes, withTerm } from './shown.ts';
import { type ReportedTargets, storedReport } from './stored-report.ts';

/** Findings of a report; the worst ones. */
const MAX_FINDINGS = 50_000;

const TYPES: Readonly<Record<string, string>> = {
  json: 'application/json; charset=utf-8',
  sarif: 'application/sarif+json; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  cyclonedx: 'application/vnd.cyclonedx+json; charset=utf-8',
};

/** Writes the stored findings in every format of a scan. */
export const report: Operation<'lockhound.findings.report'> = async (
  { params: { format, ...filters }, principal, signal, layout },
  context,
) => {
  if (filters.target !== undefined) await requireSeen(context, principal, filters.target);
  const all = await selectFindings(context, filters, principal);
  const findings = all.slice(0, MAX_FINDINGS);
  const { target } = filters;
  const targets = target === undefined ? [...new Set(findings.map((one) => one.target))].sort() : [target];
  const name = targets.length === 1 ? (targets[0] ?? '') : 'fleet';
  const found = await reportOf(context, { name, targets, findings, signal });
  return await rendered(withGaps(found, cutGaps(all.length - findings.length)), format, layout);
};

/** That a report does not have all findings. */
function cutGaps(leftOut: number): readonly Gap[] {
  if (leftOut === 0) return [];
  const reason = `${leftOut} more, the least severe ones, are left out: choose fewer with filters such as --target and --severity, or page through \`findings list\``;
  return [{ kind: 'cut', subject: `findings after the first ${MAX_FINDINGS}`, reason }];
}

/** `first`: gaps that come before all others, because lists of gaps are cut, too. */
function withGaps(report: ScanReport, first: readonly Gap[], last: readonly Gap[] = []): ScanReport {
  const { verdict } = report;
  const complete = verdict.complete && isComplete([...first, ...last]);
  return { ...report, verdict: { ...verdict, gaps: [...first, ...verdict.gaps, ...last], complete } };
}

/** Findings of targets with all their places, fixes and ages, as a report of a scan. Throws `Refusal`. */
export async function reportOf(context: OperationContext, reported: ReportedTargets): Promise<ScanReport> {
  const { loaded, fleet } = context;
  const advised = await withKnownFixes(fleet, reported.findings);
  const findings = advised.map((one) => ({ ...one, finding: withTerm(one, fleet.policy.dueIn) }));
  const report = await storedReport(loaded, fleet, { ...reported, findings });
  return withGaps(report, [], await staleGaps(context, reported));
}

/** That the service has not answered about packages of the targets for long, which hides new advisories. */
async function staleGaps({ staleness }: OperationContext, { targets }: ReportedTargets): Promise<Gap[]> {
  const isStale = await staleness();
  const [first, ...others] = targets.filter((target) => isStale({ target }));
  if (first === undefined) return [];
  const where = others.length === 0 ? first : `${first} and ${others.length} other targets`;
  const reason = `some facts about packages of ${where} are older than \`watch.staleAfter\`: later advisories are not known`;
  return [{ kind: 'service', subject: 'package insights', reason }];
}

/** A report as the text of one of its formats. Throws `Refusal` for a format that does not exist. */
export async function rendered(
  found: ScanReport,
  format = 'json',
  layout: TextOptions = { colour: false, width: 100 },
): Promise<RawAnswer> {
  const report = REPORTS.find(({ name }) => name === format);
  if (report === undefined) {
    const names = REPORTS.map(({ name }) => name).join(', ');
    throw new Refusal(400, 'invalid-parameter', `there is no report format ${format}: ${names}`);
  }
  const parts = await report.render(found, layout);
  return new RawAnswer([...parts].join(''), {
    type: TYPES[report.name.replace(/-\d.*$/s, '')] ?? 'text/plain; charset=utf-8',
  });
}
