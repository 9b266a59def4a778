import { collectAdvisories } from '../../jobs/collect-advisories.ts';
import { expandDependencies } from '../../jobs/expand-dependencies.ts';
import { INGEST_LOCKFILES } from '../../jobs/payloads/ingest-lockfiles.ts';
import { JUDGE_SCAN } from '../../jobs/payloads/judge-scan.ts';
import type { WorkerEvent } from '../../workers/events.ts';
import { ScanError } from '../errors.ts';

/** Shows how far a scan is. */
export interface ScanProgress {
  /** `done` of `total` units of a step. */
  update(step: string, done: number, total: number): void;
  /** The scan goes on after `delayMs`; `reason` says what it waits for. */
  wait(delayMs: number, reason: string): void;
}

/** Whether an event is about a job of the scan: keys of its jobs are its id, alone or followed by a part. */
export function isOfScan({ key }: WorkerEvent, scan: string): boolean {
  return key === scan || key.startsWith(`${scan}.`);
}

const PART_JOBS: ReadonlySet<string> = new Set([collectAdvisories.name, expandDependencies.name]);

/** Turns the events of one scan's jobs into its progress. */
export function scanProgress(progress: ScanProgress): (event: WorkerEvent) => void {
  // Keys of the jobs that fetch advisories and graphs.
  const started = new Set<string>();
  const ended = new Set<string>();
  return (event) => {
    if (PART_JOBS.has(event.job)) {
      const part = `${event.job} ${event.key}`;
      started.add(part);
      if (event.kind === 'finished' || event.kind === 'failed') ended.add(part);
      if (event.kind !== 'retrying') progress.update('advisories', ended.size, started.size);
    }
    if (event.kind === 'progress') {
      progress.update(event.progress.step, event.progress.done, event.progress.total);
    } else if (event.kind === 'retrying') {
      progress.wait(event.delayMs, event.reason);
    } else if (event.kind === 'started' && event.job === JUDGE_SCAN.name) {
      progress.update('judge', 0, 1);
    }
  };
}

/** The error of a scan that will have no verdict. A failed job that only fetches facts is a gap in the verdict. */
export function scanFailure(event: WorkerEvent): ScanError | undefined {
  if (event.kind !== 'failed') return undefined;
  if (event.job !== JUDGE_SCAN.name && event.job !== INGEST_LOCKFILES.name) return undefined;
  return new ScanError('scan-failed', `${event.job}: ${event.reason}`);
}
