import { contentUuid } from '../../model/content-uuid.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';

/**
 * The report with another time, and an id that depends on the lockfiles: nothing in it then varies with the run. Findings stay those of
 * the time of the scan. `at`: RFC 3339.
 */
export function withReportTime(report: ScanReport, at: string): ScanReport {
  const { inventory, verdict } = report;
  const { lockfiles, unread } = inventory;
  const files = [...lockfiles, ...unread].map(({ path, sha256 }) => [path, sha256]);
  const scan = contentUuid([verdict.target, at, files]);
  return { ...report, verdict: { ...verdict, scan, requestedAt: at } };
}
