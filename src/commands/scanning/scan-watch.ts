import type { Store } from '../../compose/store.ts';
import { FIND_BASE_IMAGE } from '../../jobs/payloads/find-base-image.ts';
import { INGEST_LOCKFILES } from '../../jobs/payloads/ingest-lockfiles.ts';
import { JUDGE_SCAN } from '../../jobs/payloads/judge-scan.ts';
import { imageScanOf } from '../../model/image/image-scan.ts';
import type { Inventory } from '../../model/scan/inventory.ts';
import type { ScanReport, Verdict } from '../../model/scan/verdict.ts';
import { INVENTORY, VERDICT } from '../../model/stored/catalog.ts';
import { openFindings } from '../../scan/counts.ts';
import { withImage } from '../../scan/with-image.ts';
import type { WorkerEvent } from '../../workers/events.ts';
import { ScanError } from '../errors.ts';
import { isOfScan, type OnProgress, scanFailure, scanProgress } from './scan-progress.ts';

/** Follows one scan through the jobs of this process. */
export type ScanWatch = ReturnType<typeof watchScans>;

interface WatchOptions {
  readonly onProgress?: OnProgress;
  readonly signal?: AbortSignal;
}

interface Watcher {
  readonly scan: string;
  readonly onEvent: (event: WorkerEvent) => void;
}

export function watchScans(store: Store) {
  const watchers = new Set<Watcher>();
  return {
    /** Receives every event of the workers. */
    onEvent(event: WorkerEvent): void {
      for (const watcher of watchers) if (isOfScan(event, watcher.scan)) watcher.onEvent(event);
    },
    /** The report of a scan, when it is judged. Throws `ScanError` when one of its jobs failed permanently. */
    async report(scan: string, { onProgress = () => {}, signal }: WatchOptions): Promise<ScanReport> {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      // It may reject before it is awaited, which must not be an unhandled rejection.
      promise.catch(() => {});
      const progress = scanProgress(onProgress);
      const watcher: Watcher = {
        scan,
        onEvent(event) {
          progress(event);
          const failure = scanFailure(event);
          if (failure !== undefined) reject(failure);
          else if (event.kind === 'finished' && event.job === JUDGE_SCAN.name) resolve();
          else if (event.kind === 'finished' && event.job === INGEST_LOCKFILES.name) {
            // A scan of unchanged lockfiles ends here.
            readInventory(store, scan).then((inventory) => inventory?.unchanged && resolve(), reject);
          }
        },
      };
      const onAbort = () => reject(signal?.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      watchers.add(watcher);
      try {
        signal?.throwIfAborted();
        if ((await store.outcomes.read(JUDGE_SCAN.name, scan)) === undefined) await promise;
        const { inventory, verdict } = await readReport(store, scan);
        if (inventory !== undefined && verdict !== undefined) return { inventory, verdict };
        if (verdict !== undefined) throw reportGone(scan);
        throw new ScanError('scan-failed', `the outcome of scan ${scan} is not in the store`);
      } finally {
        watchers.delete(watcher);
        signal?.removeEventListener('abort', onAbort);
      }
    },
  };
}

/** The record of a concluded scan stays; its report expires. */
function reportGone(scan: string): ScanError {
  return new ScanError(
    'no-report',
    `scan ${scan} was concluded more than 15 minutes ago and its report has expired; \`lockhound scans show ${scan}\` shows its record, and \`lockhound report --target\` what is stored of its target`,
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

/** What is stored of a scan's report; the verdict is there once it is concluded. Throws `ScanError` when it has expired. */
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

function readInventory({ outcomes }: Store, scan: string): Promise<Inventory | null | undefined> {
  return outcomes.readResult(INVENTORY, INGEST_LOCKFILES.name, scan);
}
