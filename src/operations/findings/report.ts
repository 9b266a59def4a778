import type { FleetFinding } from '../../model/fleet/fleet-finding.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { REPORTS } from '../../report/catalog.ts';
import type { OperationContext } from '../context.ts';
import { type Operation, RawAnswer } from '../operation.ts';
import type { Principal } from '../principal.ts';
import { Refusal } from '../refusal.ts';
import type { FindingFilters } from './filter.ts';
import { withKnownFixes } from './known-fixes.ts';
import { selectFindings } from './select.ts';
import { withTerm } from './shown.ts';
import { storedReport } from './stored-report.ts';

/** Findings of a report; the worst ones. */
const MAX_FINDINGS = 50_000;

const TYPES: Readonly<Record<string, string>> = {
  json: 'application/json; charset=utf-8',
  sarif: 'application/sarif+json; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  cyclonedx: 'application/vnd.cyclonedx+json; charset=utf-8',
};

/** What is stored, in every format of a scan. */
export const reportFindings: Operation<'lockhound.findings.report'> = async (
  { params: { format, ...filters }, principal, signal },
  context,
) => await rendered(await findingReport(context, filters, principal, signal), format);

/** The findings that fit, with all their places, as a report of a scan. Throws `Refusal`. */
export async function findingReport(
  context: OperationContext,
  filters: FindingFilters,
  principal: Principal,
  signal: AbortSignal,
  isListed: (one: FleetFinding) => boolean = () => true,
): Promise<ScanReport> {
  const { loaded, fleet } = context;
  const list = (await selectFindings(context, filters, principal)).filter(isListed);
  const advised = await withKnownFixes(fleet, list.slice(0, MAX_FINDINGS));
  const findings = advised.map((one) => ({ ...one, finding: withTerm(one, fleet.policy.dueIn) }));
  const { target } = filters;
  const targets = target === undefined ? [...new Set(findings.map((one) => one.target))].sort() : [target];
  const name = targets.length === 1 ? (targets[0] ?? '') : 'fleet';
  return await storedReport(loaded, fleet, { name, targets, findings, signal });
}

/** A report as the text of one of its formats. Throws `Refusal` for a format that does not exist. */
export async function rendered(found: ScanReport, format = 'json'): Promise<RawAnswer> {
  const report = REPORTS.find(({ name }) => name === format);
  if (report === undefined) {
    const names = REPORTS.map(({ name }) => name).join(', ');
    throw new Refusal(400, 'invalid-parameter', `there is no report format ${format}: ${names}`);
  }
  const parts = await report.render(found, { colour: false, width: 100 });
  return new RawAnswer([...parts].join(''), {
    type: TYPES[report.name.replace(/-\d.*$/s, '')] ?? 'text/plain; charset=utf-8',
  });
}
