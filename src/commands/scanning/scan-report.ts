import type { Store } from '../../compose/store.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { ScanRecord } from '../../model/scan/scan-record.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { readReport } from '../../operations/scans/stored-scan.ts';
import { ScanError } from '../errors.ts';
import { openFindingReports } from '../fleet/finding-reports.ts';
import { administerScans } from '../scans.ts';
import { openSharedStore } from '../shared-store.ts';

/** Reports of scans that workers did. */
export type ScanReports = Awaited<ReturnType<typeof openScanReports>>;

/** Throws `ConfigError` when `redis.url` is not set and `StoreError` when Redis does not answer. */
export async function openScanReports(loaded: LoadedConfig) {
  const shared = await openSharedStore(loaded);
  const { show, close } = administerScans(shared);
  return {
    /** The report of a scan, or `undefined` when there is no such scan. Throws `ScanError` (`no-report`). */
    async find(id: string, signal: AbortSignal): Promise<ScanReport | undefined> {
      const found = await show(id);
      if (found === undefined) return undefined;
      return await wholeReport(
        loaded,
        await concludedReport(shared.of(found.scan.target), found.scan),
        signal,
      );
    },
    close,
  };
}

/** The report of a scan that was judged less than 15 minutes ago. Throws `ScanError` (`no-report`). */
export async function concludedReport(
  store: Store,
  { scan, state, target }: ScanRecord,
): Promise<ScanReport> {
  if (state === 'queued' || state === 'running') {
    throw new ScanError('no-report', `scan ${scan} is ${state}: its report is there when it is concluded`);
  }
  const { inventory, verdict } = await readReport(store, scan);
  if (inventory !== undefined && verdict !== undefined) return { inventory, verdict };
  const stored = `\`lockhound report --target ${target}\` reports what is stored of its target`;
  throw new ScanError('no-report', `scan ${scan} (${state}) has no report that can be read; ${stored}`);
}

/** A scan of unchanged lockfiles stores no inventory: its report is made of what is stored of its target. */
export async function wholeReport(
  loaded: LoadedConfig,
  report: ScanReport,
  signal: AbortSignal,
): Promise<ScanReport> {
  const { unchanged } = report.inventory;
  if (unchanged === undefined) return report;
  const reports = await openFindingReports(loaded);
  try {
    const stored = await reports.open(unchanged.target, signal);
    const { scan, requestedAt, image } = report.verdict;
    return {
      inventory: { ...stored.inventory, unchanged },
      verdict: { ...stored.verdict, scan, requestedAt, ...(image === undefined ? {} : { image }) },
    };
  } finally {
    await reports.close();
  }
}
