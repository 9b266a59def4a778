import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import type { Store } from '../../compose/store.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { jobIdOf } from '../../jobs/job-id.ts';
import { FIND_BASE_IMAGE } from '../../jobs/payloads/find-base-image.ts';
import { INGEST_LOCKFILES } from '../../jobs/payloads/ingest-lockfiles.ts';
import { JUDGE_SCAN } from '../../jobs/payloads/judge-scan.ts';
import { messageOf } from '../../model/errors.ts';
import { raceAbort } from '../../model/race-abort.ts';
import type { Inventory } from '../../model/scan/inventory.ts';
import type { ScanReport, Verdict } from '../../model/scan/verdict.ts';
import { openLocalContext } from '../../operations/local-context.ts';
import { LOCAL_OPERATOR } from '../../operations/principal.ts';
import { wholeReport } from '../../operations/scans/report.ts';
import { readReport } from '../../operations/scans/stored-scan.ts';
import { ScanError } from '../errors.ts';
import { openSharedStore, type SharedShard } from '../shared-store.ts';
import type { OnProgress } from './scan-progress.ts';

export interface FollowOptions {
  /** Time limit in milliseconds. The scan continues when it is exceeded. */
  readonly timeoutMs: number;
  /** The id of the verdict on the image, when the scan names one: the report has that too. */
  readonly image?: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
  /** Called with one line of text when the scan is not done after `slowMs`, and again when the reason changes. */
  readonly onSlow?: ((text: string) => void) | undefined;
  /** Milliseconds. Default: 5,000. */
  readonly slowMs?: number;
}

const SLOW_MS = 5_000;

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
  { timeoutMs, image, signal, onProgress, onSlow, slowMs = SLOW_MS }: FollowOptions,
): Promise<ScanReport> {
  const { shards, close } = await openSharedStore(loaded);
  const timeout = AbortSignal.timeout(timeoutMs);
  const ended = AbortSignal.any([signal, timeout]);
  let step = 'Redis does not answer';
  const track: OnProgress = (name, done, total) => {
    step = name;
    onProgress(name, done, total);
  };
  const explained = new Set<string>();
  const slow = setInterval(() => {
    if (onSlow === undefined || explained.has(step)) return;
    explained.add(step);
    const waiting = step;
    void explain(loaded).then((health) => onSlow(`Scan ${scan} is not done: ${waiting}. ${health}\n`));
  }, slowMs);
  try {
    const report = await raceAbort(
      shardWith(shards, scan, image).then(({ store, steps }) => follow(store, steps, scan, track, ended)),
      ended,
    );
    if (report.inventory.unchanged === undefined) return report;
    const context = await openLocalContext(loaded);
    try {
      return await wholeReport(context, LOCAL_OPERATOR, report, signal);
    } finally {
      await context.close();
    }
  } catch (error) {
    if (!timeout.aborted || error instanceof ScanError) throw error;
    throw new ScanError(
      'timed-out',
      `scan ${scan} is not done after ${timeoutMs / 1_000} s (${step}); it continues. Run the command again with \`--scan ${scan}\` to wait for it`,
    );
  } finally {
    clearInterval(slow);
    await close();
  }
}

/** What `lockhound health` says about what does not work. */
async function explain(loaded: LoadedConfig): Promise<string> {
  const { readHealth } = await import('../health.ts');
  try {
    const { parts } = await readHealth(loaded);
    const faults = parts.filter(({ grade }) => grade !== 'fine');
    return faults.map(({ says, remedy = '' }) => `${says}. ${remedy}`.trim()).join(' ');
  } catch (error) {
    return `\`lockhound health\` cannot be read: ${messageOf(error)}`;
  }
}

/** The shard that has a scan, or the first one when none does. */
async function shardWith(shards: readonly SharedShard[], scan: string, image: string | undefined) {
  const jobs: readonly (readonly [name: string, key: string])[] = [
    [INGEST_LOCKFILES.name, scan],
    [JUDGE_SCAN.name, scan],
    ...(image === undefined ? [] : [[FIND_BASE_IMAGE.name, image] as const]),
  ];
  const opened = shards.map(({ store, openQueue }) => ({
    store,
    steps: jobs.map(([name, key]): Step => ({ queue: openQueue(name), key })),
  }));
  for (const shard of opened) {
    for (const { queue, key } of shard.steps) {
      const isQueued = (await queue.getJobState(jobIdOf(queue.name, key))) !== 'unknown';
      if (isQueued || (await shard.store.outcomes.has(queue.name, key))) return shard;
    }
  }
  return opened[0] as (typeof opened)[number];
}

/** A job of the scan: ingest, judge, and find the base of its image. */
interface Step {
  readonly queue: Queue;
  readonly key: string;
}

async function follow(
  store: Store,
  steps: readonly Step[],
  scan: string,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<ScanReport> {
  let pause = FIRST_PAUSE_MS;
  let unseen = 0;
  let inventory: Inventory | undefined;
  for (;;) {
    signal.throwIfAborted();
    const states = await Promise.all(
      steps.map(({ queue, key }) => queue.getJobState(jobIdOf(queue.name, key))),
    );
    // Read after the states, so that a finished job has saved its outcome.
    const report = await readReport(store, scan, inventory);
    inventory = report.inventory;
    const hasImage = steps.length < 3 || report.verdict?.image !== undefined || states[2] === 'failed';
    if (report.verdict !== undefined && hasImage)
      return { inventory: inventoryOf(report.verdict), ...report, verdict: report.verdict };
    const failed = steps.find((_step, index) => states[index] === 'failed');
    if (failed !== undefined) throw await failure(store, failed);
    unseen = inventory === undefined && states.every((state) => state === 'unknown') ? unseen + 1 : 0;
    if (unseen >= LOST_AFTER) {
      throw new ScanError('scan-failed', `scan ${scan} is neither queued nor judged; enqueue it again`);
    }
    onProgress(await stepOf(steps, states, inventory), inventory === undefined ? 0 : 1, 2);
    await sleep(pause, undefined, { signal });
    pause = Math.min(LONGEST_PAUSE_MS, pause * PAUSE_GROWTH);
  }
}

type State = Awaited<ReturnType<Queue['getJobState']>>;

async function stepOf(
  [ingest]: readonly Step[],
  [ingesting, judging, finding]: readonly State[],
  inventory: Inventory | undefined,
): Promise<string> {
  if (inventory !== undefined) {
    if (finding !== undefined && finding !== 'unknown') return 'looking up the base of the image';
    return judging === 'active' ? 'judge' : 'looking up advisories and dependencies';
  }
  if (ingesting === 'active') return 'reading lockfiles and looking up packages';
  if (ingesting === 'delayed') return `waiting for another attempt${await lastFault(ingest)}`;
  const workers = (await ingest?.queue.getWorkersCount()) ?? 0;
  return workers === 0 ? 'no worker is connected' : 'waiting for a worker';
}

async function lastFault(step: Step | undefined): Promise<string> {
  const job = await step?.queue.getJob(jobIdOf(step.queue.name, step.key));
  return job?.failedReason === undefined ? '' : `: ${job.failedReason}`;
}

/** The error for a failed job of the scan. */
async function failure({ redis, rejected }: Store, { queue, key }: Step): Promise<ScanError> {
  const id = jobIdOf(queue.name, key);
  const [entry] = await rejected.find(id, [queue.name]);
  const reason = await redis.hget(queue.toKey(id), 'failedReason');
  const advice =
    entry === undefined ? '' : `; \`lockhound rejected get ${queue.name} ${id}\` shows its payload`;
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
