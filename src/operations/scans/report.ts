import type { Inventory } from '../../model/scan/inventory.ts';
import type { ScanReport, Verdict } from '../../model/scan/verdict.ts';
import type { OperationContext } from '../context.ts';
import { rendered } from '../findings/report.ts';
import type { Operation } from '../operation.ts';
import type { Principal } from '../principal.ts';
import { Refusal } from '../refusal.ts';
import { storedTarget } from '../targets/report.ts';
import { findScan } from './find.ts';
import { readReport } from './stored-scan.ts';

/** The report of a scan that was judged less than 15 minutes ago, in every format of a scan. */
export const report: Operation<'lockhound.scans.report'> = async (
  { params: { scan, format }, principal, signal, layout },
  context,
) => await rendered(await scanReport(context, principal, scan, signal), format, layout);

/** The report of a concluded scan. Throws `Refusal` (`no-report`). */
async function scanReport(
  context: OperationContext,
  principal: Principal,
  id: string,
  signal: AbortSignal,
): Promise<ScanReport> {
  const { scan: record, shard } = await findScan(context.fleet, principal, id);
  const { scan, state, target } = record;
  if (state === 'queued' || state === 'running') {
    const detail = `scan ${scan} is ${state}: its report is there when it is concluded`;
    throw new Refusal(404, 'no-report', detail);
  }
  const { inventory, verdict } = await readReport(shard, scan);
  if (verdict === undefined) {
    const stored = `\`lockhound targets report ${target}\` reports what is stored of its target`;
    throw new Refusal(404, 'no-report', `scan ${scan} (${state}) has no report that can be read; ${stored}`);
  }
  const report = { inventory: inventory ?? inventoryOf(verdict), verdict };
  return await wholeReport(context, principal, report, signal);
}

/** The lockfiles according to the verdict, when the packages are no longer stored. */
function inventoryOf({ gaps }: Verdict): Inventory {
  const unread = gaps.filter(({ kind }) => kind === 'lockfile');
  return {
    lockfiles: [],
    unread: unread.map(({ subject, reason }) => ({
      path: subject,
      error: { code: 'unread', message: reason },
    })),
  };
}

/** A scan of unchanged lockfiles stores no inventory: its report is made of what is stored of its target. */
async function wholeReport(
  context: OperationContext,
  principal: Principal,
  report: ScanReport,
  signal: AbortSignal,
): Promise<ScanReport> {
  const { unchanged } = report.inventory;
  if (unchanged === undefined) return report;
  const { report: stored } = await storedTarget(context, unchanged.target, { principal, signal });
  const { scan, requestedAt, image } = report.verdict;
  return {
    inventory: { ...stored.inventory, unchanged },
    verdict: { ...stored.verdict, scan, requestedAt, ...(image === undefined ? {} : { image }) },
  };
}
