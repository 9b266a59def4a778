import type { ScanReport } from '../../model/scan/verdict.ts';
import { REPORTS } from '../../report/catalog.ts';
import type { TextOptions } from '../../report/layout.ts';
import type { OperationContext } from '../context.ts';
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
export const reportFindings: Operation<'lockhound.findings.report'> = async (
  { params: { format, ...filters }, principal, signal, layout },
  context,
) => {
  const findings = (await selectFindings(context, filters, principal)).slice(0, MAX_FINDINGS);
  const { target } = filters;
  const targets = target === undefined ? [...new Set(findings.map((one) => one.target))].sort() : [target];
  const name = targets.length === 1 ? (targets[0] ?? '') : 'fleet';
  return await rendered(await reportOf(context, { name, targets, findings, signal }), format, layout);
};

/** Findings of targets with all their places, fixes and ages, as a report of a scan. Throws `Refusal`. */
export async function reportOf(
  { loaded, fleet }: OperationContext,
  reported: ReportedTargets,
): Promise<ScanReport> {
  const advised = await withKnownFixes(fleet, reported.findings);
  const findings = advised.map((one) => ({ ...one, finding: withTerm(one, fleet.policy.dueIn) }));
  return await storedReport(loaded, fleet, { ...reported, findings });
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
