import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import type { Store } from '../../compose/store.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { jobIdOf } from '../../jobs/job-id.ts';

import { INGEST_LOCKFILES } from '../../jobs/payloads/ingest-lockfiles.ts';
import { JUDGE_SCAN } from '../../jobs/payloads/judge-scan.ts';

import { raceAbort } from '../../model/race-abort.ts';
import type { Inventory } from '../../model/scan/inventory.ts';
import type { ScanReport, Verdict } from '../../model/scan/verdict.ts';
import { ScanError } from '../errors.ts';
import { openSharedStore, type SharedShard } from '../shared-store.ts';
import type { OnProgress } from './scan-progress.ts';
import { readReport } from './scan-watch.ts';

export interface FollowOptions {
  /** Time limit in milliseconds. The scan continues when it is exceeded. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
const PAUSE_GROWTH = 1.3;
/** Consecutive checks without a job or an outcome after which the scan counts as lost. */
const LOST_AFTER = 10;

/**
 * Waits for the verdict of a scan that workers process. Reads only what is stored, so it survives restarts of workers and
 * Redis. Throws `ScanError`: `scan-failed` for a scan that was rejected, failed or was lost, or `timed-out`.
 */
export async function followScan(
  loaded: LoadedConfig,
  scan: string,
  { timeoutMs, signal, onProgress }: FollowOptions,
): Promise<ScanReport> {
  const { shards, close } = await openSharedStore(loaded);
  const timeout = AbortSignal.timeout(timeoutMs);
  const ended = AbortSignal.any([signal, timeout]);
  let step = 'Redis does not answer';
  const track: OnProgress = (name, done, total) => {
    step = name;
    onProgress(name, done, total);
  };
  try {
    return await raceAbort(
      shardWith(shards, scan).then(({ store, queues }) => follow(store, queues, scan, track, ended)),
      ended,
    );
  } catch (error) {
    if (!timeout.aborted || error instanceof ScanError) throw error;
    throw new ScanError(
      'timed-out',
      `scan ${scan} is not done after ${timeoutMs / 1_000} s (${step}); it continues. Run the command again with \`--scan ${scan}\` to wait for it`,
    );
  } finally {
    await close();
  }
}

/** The shard that has a scan, or the first one when none does. */
async function shardWith(shards: readonly SharedShard[], scan: string) {
  const opened = shards.map(({ store, openQueue }) => ({
    store,
    queues: [INGEST_LOCKFILES.name, JUDGE_SCAN.name].map(openQueue),
  }));
  for (const shard of opened) {
    for (const queue of shard.queues) {
      const isQueued = (await queue.getJobState(jobIdOf(queue.name, scan))) !== 'unknown';
      if (isQueued || (await shard.store.outcomes.has(queue.name, scan))) return shard;
    }
  }
  return opened[0] as (typeof opened)[number];
}

async function follow(
  store: Store,
  queues: readonly Queue[],
  scan: string,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<ScanReport> {
  let pause = FIRST_PAUSE_MS;
  let unseen = 0;
  let inventory: Inventory | undefined;
  for (;;) {
    signal.throwIfAborted();
    const states = await Promise.all(queues.map((queue) => queue.getJobState(jobIdOf(queue.name, scan))));
    // Read after the states, so that a finished job has saved its outcome.
    const report = await readReport(store, scan, inventory);
    inventory = report.inventory;
    if (report.verdict !== undefined)
      return { inventory: inventoryOf(report.verdict), ...report, verdict: report.verdict };
    const failed = queues.find((_queue, index) => states[index] === 'failed');
    if (failed !== undefined) throw await failure(store, failed, scan);
    unseen = inventory === undefined && states.every((state) => state === 'unknown') ? unseen + 1 : 0;
    if (unseen >= LOST_AFTER) {
      throw new ScanError('scan-failed', `scan ${scan} is neither queued nor judged; enqueue it again`);
    }
    onProgress(await stepOf(queues, states, inventory), inventory === undefined ? 0 : 1, 2);
    await sleep(pause, undefined, { signal });
    pause = Math.min(LONGEST_PAUSE_MS, pause * PAUSE_GROWTH);
  }
}

type State = Awaited<ReturnType<Queue['getJobState']>>;

async function stepOf(
  [ingest]: readonly Queue[],
  [ingesting, judging]: readonly State[],
  inventory: Inventory | undefined,
): Promise<string> {
  if (inventory !== undefined) {
    return judging === 'active' ? 'judge' : 'looking up advisories and dependencies';
  }
  if (ingesting === 'active') return 'reading lockfiles and looking up packages';
  if (ingesting === 'delayed') return 'waiting for another attempt';
  const workers = (await ingest?.getWorkersCount()) ?? 0;
  return workers === 0 ? 'no worker is connected' : 'waiting for a worker';
}

/** The error for a failed job of the scan. */
async function failure({ redis, rejected }: Store, queue: Queue, scan: string): Promise<ScanError> {
  const id = jobIdOf(queue.name, scan);
  const [entry] = await rejected.find(id, [queue.name]);
  const reason = await redis.hget(queue.toKey(id), 'failedReason');
  const advice = entry === undefined ? '' : `; \`lockhound rejected show ${id}\` shows its payload`;
  return new ScanError('scan-failed', `${queue.name}: ${reason ?? 'failed'}${advice}`);
}

/** The lockfiles according to the verdict, used when the packages are no longer stored. */
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
