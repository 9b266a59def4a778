import type { FleetFinding } from '../../model/fleet/fleet-finding.ts';
import type { PastScan } from '../../model/fleet/target-summary.ts';
import type { ScanComparison } from '../../model/review/scan-comparison.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { type OperationContext, requireSeen, unknownTarget } from '../context.ts';
import { rendered, reportOf } from '../findings/report.ts';
import { selectFindings } from '../findings/select.ts';
import type { Call, Operation } from '../operation.ts';
import { sinceOf } from '../parameters.ts';

const LAST_CHANGE = 'last-change';

/** Reports what is open in a target, as its last scan reported it; with `since` compared with what it was. */
export const report: Operation<'lockhound.targets.report'> = async (call, context) => {
  const { target, since, format } = call.params;
  await requireSeen(context, call.principal, target);
  const { report, findings } = await storedTarget(context, target, call);
  if (since === undefined) return await rendered(report, format, call.layout);
  const state = await context.fleet.of(target).targets.read(target);
  const from =
    since === LAST_CHANGE ? lastChange(state?.history ?? [], report) : (sinceOf(since) ?? Date.now());
  return await rendered({ ...report, comparison: comparisonOf(findings, from, report) }, format, call.layout);
};

/** All findings of a target, and a report of the open ones: with notes and what is suppressed. Throws `Refusal`. */
export async function storedTarget(
  context: OperationContext,
  target: string,
  { principal, signal }: Pick<Call, 'principal' | 'signal'>,
): Promise<{ readonly report: ScanReport; readonly findings: readonly FleetFinding[] }> {
  const { targets } = await context.snapshot({ target });
  if (!targets.has(target)) throw await unknownTarget(context, principal, target);
  const findings = await selectFindings(context, { target, state: 'all', notes: true }, principal);
  const open = findings.filter(({ status }) => status === 'open');
  const report = await reportOf(context, { name: target, targets: [target], findings: open, signal });
  return { report, findings };
}

/** New is what opened, reopened or worsened since a time, gone what was open then and is resolved. */
function comparisonOf(
  findings: readonly FleetFinding[],
  from: number,
  { verdict }: ScanReport,
): ScanComparison {
  const isSince = (time: string): boolean => Date.parse(time) >= from;
  const introduced = findings.filter(
    ({ status, openedAt, changedAt, finding }) =>
      status === 'open' && (isSince(openedAt) || (isSince(changedAt) && finding.suppressed === undefined)),
  );
  const gone = findings.filter(
    ({ status, openedAt, changedAt }) => status === 'resolved' && isSince(changedAt) && !isSince(openedAt),
  );
  return {
    base: { kind: 'time', name: new Date(from).toISOString() },
    introduced: introduced.map(({ finding }) => finding.fingerprint),
    refused: [],
    gone: gone.map(({ finding }) => finding),
    newGaps: verdict.gaps,
    baseGaps: 0,
  };
}

/** When the newest scan that changed something was requested; where none did, when the last scan was. */
function lastChange(history: readonly PastScan[], { verdict }: ScanReport): number {
  return Date.parse(history.find(({ changes }) => changes !== undefined)?.requestedAt ?? verdict.requestedAt);
}
