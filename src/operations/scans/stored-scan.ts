import type { Store } from '../../compose/store.ts';
import { INGEST_LOCKFILES } from '../../jobs/payloads/ingest-lockfiles.ts';
import { FIND_BASE_IMAGE, JUDGE_SCAN } from '../../jobs/payloads/judge-scan.ts';
import type { Inventory } from '../../model/scan/inventory.ts';
import { imageScanOf } from '../../model/scan/scan-id.ts';
import type { ScanReport, Verdict } from '../../model/scan/verdict.ts';
import { INVENTORY, VERDICT } from '../../model/stored/catalog.ts';
import { withImage } from '../../scan/base-image.ts';
import { openFindings } from '../../scan/counts.ts';
import { Refusal } from '../refusal.ts';

/** The record of a concluded scan stays; its report expires. */
export function reportGone(scan: string): Refusal {
  return new Refusal(
    404,
    'no-report',
    `scan ${scan} was concluded more than 15 minutes ago and its report has expired; \`lockhound scans get ${scan}\` shows its record, and \`lockhound findings --target\` what is stored of its target`,
  );
}

/** The report of a scan that repeated the result of the last one: the open findings of its target, and no change. */
async function repeatedReport(
  { targets, scans }: Store,
  scan: string,
  inventory: Inventory,
): Promise<ScanReport> {
  const { target = '', counts } = inventory.unchanged ?? {};
  const state = await targets.read(target);
  const record = await scans.find(scan);
  if (state === undefined || counts === undefined || record === undefined) throw reportGone(scan);
  const open = state.findings.filter(({ status }) => status === 'open');
  const verdict: Verdict = {
    scan,
    target: { id: target, labels: {} },
    requestedAt: record.requestedAt,
    findings: open.map(({ finding }) => finding),
    changes: [],
    gaps: [],
    complete: true,
    partial: false,
    open: openFindings(open),
    kept: 0,
    counts,
    superseded: false,
  };
  return { inventory, verdict };
}

/** Reads the stored parts of a scan's report; the verdict is there once it is concluded. Throws `Refusal` when it has expired. */
export async function readReport(
  store: Store,
  scan: string,
  known?: Inventory,
): Promise<Partial<ScanReport>> {
  const inventory = known ?? (await readInventory(store, scan)) ?? undefined;
  const imageVerdict = async (key: string) =>
    (await store.outcomes.readResult(VERDICT, FIND_BASE_IMAGE.name, key)) ?? undefined;
  if (inventory?.unchanged !== undefined) {
    const report = await repeatedReport(store, scan, inventory);
    return { ...report, verdict: withImage(report.verdict, await imageVerdict(imageScanOf(scan))) };
  }
  const judged = await store.outcomes.readResult(VERDICT, JUDGE_SCAN.name, scan);
  if (judged === null) throw reportGone(scan);
  const verdict =
    judged === undefined
      ? await imageVerdict(scan)
      : withImage(judged, await imageVerdict(imageScanOf(scan)));
  return { ...(inventory && { inventory }), ...(verdict && { verdict }) };
}

export function readInventory({ outcomes }: Store, scan: string): Promise<Inventory | null | undefined> {
  return outcomes.readResult(INVENTORY, INGEST_LOCKFILES.name, scan);
}
