import type { Store } from '../../compose/store.ts';
import { INGEST_LOCKFILES } from '../../jobs/payloads/ingest-lockfiles.ts';
import { JUDGE_SCAN } from '../../jobs/payloads/judge-scan.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { awaitedLater } from '../../model/time-limit.ts';
import { readInventory, readReport, reportGone } from '../../operations/scans/stored-scan.ts';
import type { WorkerEvent } from '../../workers/events.ts';
import { ScanError } from '../errors.ts';
import { isOfScan, type ScanProgress, scanFailure, scanProgress } from './scan-progress.ts';

/** Follows one scan through the jobs of this process. */
export type ScanWatch = ReturnType<typeof watchScans>;

interface WatchOptions {
  /** Default: it is not shown. */
  readonly progress?: ScanProgress | undefined;
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
    async report(scan: string, { progress, signal }: WatchOptions): Promise<ScanReport> {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      awaitedLater(promise);
      const onEvent = progress && scanProgress(progress);
      const watcher: Watcher = {
        scan,
        onEvent(event) {
          onEvent?.(event);
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
