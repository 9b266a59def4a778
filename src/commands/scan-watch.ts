import type { Store } from '../compose/store.ts';
import type { Inventory } from '../model/scan/inventory.ts';
import type { ScanReport } from '../model/scan/scan-report.ts';
import type { Verdict } from '../model/scan/verdict.ts';
import type { WorkerEvent } from '../workers/events.ts';
import { ScanError } from './errors.ts';

export type OnProgress = (step: string, done: number, total: number) => void;

/** Follows one scan through the jobs of this process. */
export interface ScanWatch {
  /** To be told of every event of the workers. */
  readonly onEvent: (event: WorkerEvent) => void;
  /** The report of a scan, once it is judged. Throws `ScanError` when one of its jobs was given up. */
  report(
    scan: string,
    options: { readonly onProgress?: OnProgress; readonly signal?: AbortSignal },
  ): Promise<ScanReport>;
}

interface Watcher {
  readonly scan: string;
  readonly onProgress: OnProgress;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  /** Keys of the jobs that fetch advisories and graphs. */
  readonly started: Set<string>;
  readonly ended: Set<string>;
}

export function watchScans(store: Store): ScanWatch {
  const watchers = new Set<Watcher>();
  return {
    onEvent(event) {
      for (const watcher of watchers) if (belongsTo(event, watcher.scan)) notify(watcher, event);
    },
    async report(scan, { onProgress = () => {}, signal }) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const watcher = {
        scan,
        onProgress,
        resolve,
        reject,
        started: new Set<string>(),
        ended: new Set<string>(),
      };
      const onAbort = () => reject(signal?.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      watchers.add(watcher);
      try {
        signal?.throwIfAborted();
        if ((await store.outcomes.read('judge-scan', scan)) === undefined) await promise;
        return await readReport(store, scan);
      } finally {
        watchers.delete(watcher);
        signal?.removeEventListener('abort', onAbort);
      }
    },
  };
}

/** Keys of a scan's jobs are its id, alone or followed by a part. */
function belongsTo({ key }: WorkerEvent, scan: string): boolean {
  return key === scan || key.startsWith(`${scan}.`);
}

const PART_JOBS: ReadonlySet<string> = new Set(['collect-advisories', 'expand-dependencies']);

function notify(watcher: Watcher, event: WorkerEvent): void {
  const { onProgress, resolve, reject, started, ended } = watcher;
  if (PART_JOBS.has(event.job)) {
    const part = `${event.job} ${event.key}`;
    started.add(part);
    if (event.kind === 'finished' || event.kind === 'failed') ended.add(part);
    if (event.kind !== 'retrying') onProgress('advisories', ended.size, started.size);
  }
  switch (event.kind) {
    case 'progress':
      onProgress(event.progress.step, event.progress.done, event.progress.total);
      return;
    case 'retrying':
      onProgress(`waiting ${Math.ceil(event.delayMs / 1_000)} s (${event.reason})`, 0, 1);
      return;
    case 'finished':
      if (event.job === 'judge-scan') resolve();
      return;
    case 'failed':
      // A child given up is a gap in the verdict; without these two there is no verdict.
      if (event.job === 'judge-scan' || event.job === 'ingest-lockfiles') {
        reject(new ScanError('scan-failed', `${event.job}: ${event.reason}`));
      }
      return;
    case 'started':
      if (event.job === 'judge-scan') onProgress('judge', 0, 1);
  }
}

/** A concluded scan leaves its record; everything else of it goes after a while. */
export function reportGone(scan: string): ScanError {
  return new ScanError(
    'scan-failed',
    `scan ${scan} was concluded more than 15 minutes ago and its report is not kept; \`lockhound scans show ${scan}\` says how it ended`,
  );
}

async function readReport(store: Store, scan: string): Promise<ScanReport> {
  const [inventory, verdict] = await Promise.all([
    store.outcomes.read('ingest-lockfiles', scan),
    store.outcomes.read('judge-scan', scan),
  ]);
  if (inventory === undefined || verdict === undefined) {
    throw new ScanError('scan-failed', `the outcome of scan ${scan} is not in the store`);
  }
  if (inventory.result === null || verdict.result === null) {
    throw reportGone(scan);
  }
  return { inventory: inventory.result as Inventory, verdict: verdict.result as Verdict };
}
