import type { Store } from '../compose/store.ts';
import { INGEST_LOCKFILES } from '../jobs/payloads/ingest-lockfiles.ts';
import { JUDGE_SCAN } from '../jobs/payloads/judge-scan.ts';
import type { ScanReport } from '../model/scan/verdict.ts';
import { INVENTORY, VERDICT } from '../model/stored/catalog.ts';
import type { WorkerEvent } from '../workers/events.ts';
import { ScanError } from './errors.ts';
import { isOfScan, type OnProgress, scanFailure, scanProgress } from './scan-progress.ts';

/** Follows one scan through the jobs of this process. */
export interface ScanWatch {
  /** Receives every event of the workers. */
  readonly onEvent: (event: WorkerEvent) => void;
  /** The report of a scan, when it is judged. Throws `ScanError` when one of its jobs failed permanently. */
  report(
    scan: string,
    options: { readonly onProgress?: OnProgress; readonly signal?: AbortSignal },
  ): Promise<ScanReport>;
}

interface Watcher {
  readonly scan: string;
  readonly onEvent: (event: WorkerEvent) => void;
}

export function watchScans(store: Store): ScanWatch {
  const watchers = new Set<Watcher>();
  return {
    onEvent(event) {
      for (const watcher of watchers) if (isOfScan(event, watcher.scan)) watcher.onEvent(event);
    },
    async report(scan, { onProgress = () => {}, signal }) {
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
        },
      };
      const onAbort = () => reject(signal?.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      watchers.add(watcher);
      try {
        signal?.throwIfAborted();
        if ((await store.outcomes.read(JUDGE_SCAN.name, scan)) === undefined) await promise;
        return await readReport(store, scan);
      } finally {
        watchers.delete(watcher);
        signal?.removeEventListener('abort', onAbort);
      }
    },
  };
}

/** The record of a concluded scan stays; its report expires. */
export function reportGone(scan: string): ScanError {
  return new ScanError(
    'scan-failed',
    `scan ${scan} was concluded more than 15 minutes ago and its report has expired; \`lockhound scans show ${scan}\` shows its record`,
  );
}

async function readReport(store: Store, scan: string): Promise<ScanReport> {
  const [inventory, verdict] = await Promise.all([
    store.outcomes.readResult(INVENTORY, INGEST_LOCKFILES.name, scan),
    store.outcomes.readResult(VERDICT, JUDGE_SCAN.name, scan),
  ]);
  if (inventory === undefined || verdict === undefined) {
    throw new ScanError('scan-failed', `the outcome of scan ${scan} is not in the store`);
  }
  if (inventory === null || verdict === null) {
    throw reportGone(scan);
  }
  return { inventory, verdict };
}
