import type { Store } from '../../compose/store.ts';
import { collectAdvisories } from '../../jobs/collect-advisories.ts';
import { expandDependencies } from '../../jobs/expand-dependencies.ts';
import { INGEST_LOCKFILES } from '../../jobs/payloads/ingest-lockfiles.ts';
import { JUDGE_SCAN } from '../../jobs/payloads/judge-scan.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { awaitedLater, raceAbort } from '../../model/time-limit.ts';
import { readInventory, readReport, reportGone } from '../../operations/scans/stored-scan.ts';
import type { WorkerEvent } from '../../workers/events.ts';
import { ScanError } from '../errors.ts';

/** Shows how far a scan is. */
export interface ScanProgress {
  /** `done` of `total` units of a step. */
  update(step: string, done: number, total: number): void;
  /** The scan goes on after `delayMs`; `reason` says what it waits for. */
  wait(delayMs: number, reason: string): void;
}

/** Follows scans through the jobs of this process. */
export type ScanWatch = ReturnType<typeof watchScans>;

interface WatchOptions {
  /** Default: it is not shown. */
  readonly progress?: ScanProgress;
  readonly signal: AbortSignal;
}

const PART_JOBS: ReadonlySet<string> = new Set([collectAdvisories.name, expandDependencies.name]);

export function watchScans(store: Store) {
  const watchers = new Set<(event: WorkerEvent) => void>();
  return {
    /** Receives every event of the workers. */
    onEvent(event: WorkerEvent): void {
      for (const watch of watchers) watch(event);
    },
    /** The report of a scan, when it is judged. Throws `ScanError` when one of its jobs failed permanently. */
    async report(scan: string, { progress, signal }: WatchOptions): Promise<ScanReport> {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      awaitedLater(promise);
      const show = progress && showEvents(progress);
      const watch = (event: WorkerEvent): void => {
        const { job, key } = event;
        // Keys of the jobs of a scan are its id, alone or followed by a part.
        if (key !== scan && !key.startsWith(`${scan}.`)) return;
        show?.(event);
        // A failed job that only fetches facts is a gap in the verdict.
        if (job !== JUDGE_SCAN.name && job !== INGEST_LOCKFILES.name) return;
        if (event.kind === 'failed') reject(new ScanError('scan-failed', `${job}: ${event.reason}`));
        if (event.kind !== 'finished') return;
        if (job === JUDGE_SCAN.name) resolve();
        // A scan of unchanged lockfiles ends here.
        else readInventory(store, scan).then((inventory) => inventory?.unchanged && resolve(), reject);
      };
      watchers.add(watch);
      try {
        signal.throwIfAborted();
        if ((await store.outcomes.read(JUDGE_SCAN.name, scan)) === undefined)
          await raceAbort(promise, signal);
        const { inventory, verdict } = await readReport(store, scan);
        if (inventory !== undefined && verdict !== undefined) return { inventory, verdict };
        if (verdict !== undefined) throw reportGone(scan);
        throw new ScanError('scan-failed', `the outcome of scan ${scan} is not in the store`);
      } finally {
        watchers.delete(watch);
      }
    },
  };
}

/** Turns the events of one scan's jobs into its progress. */
function showEvents(progress: ScanProgress): (event: WorkerEvent) => void {
  /** Whether each of the jobs that fetch advisories and graphs has ended. */
  const parts = new Map<string, boolean>();
  return (event) => {
    if (PART_JOBS.has(event.job)) {
      const part = `${event.job} ${event.key}`;
      parts.set(part, parts.get(part) === true || event.kind === 'finished' || event.kind === 'failed');
      const ended = [...parts.values()].filter(Boolean).length;
      if (event.kind !== 'retrying') progress.update('advisories', ended, parts.size);
    }
    if (event.kind === 'progress')
      progress.update(event.progress.step, event.progress.done, event.progress.total);
    else if (event.kind === 'retrying') progress.wait(event.delayMs, event.reason);
    else if (event.kind === 'started' && event.job === JUDGE_SCAN.name) progress.update('judge', 0, 1);
  };
}
