import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import type { Store } from '../compose/store.ts';
import type { LoadedConfig } from '../config/load.ts';
import { jobIdOf } from '../jobs/job-id.ts';
import { raceAbort } from '../model/race-abort.ts';
import type { Inventory } from '../model/scan/inventory.ts';
import type { ScanReport } from '../model/scan/scan-report.ts';
import type { Verdict } from '../model/scan/verdict.ts';
import { INVENTORY, VERDICT } from '../model/stored/catalog.ts';
import { ScanError } from './errors.ts';
import type { OnProgress } from './scan-progress.ts';
import { reportGone } from './scan-watch.ts';
import { openSharedStore } from './shared-store.ts';

export interface FollowOptions {
  /** Time after which following ends with an error; the scan goes on. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
const PAUSE_GROWTH = 1.3;
/** Looks in a row that find neither a job nor an outcome, before the scan counts as lost. */
const LOST_AFTER = 10;

/**
 * Follows a scan of the workers to its end by what is stored: whoever works on it, and however often Redis is away in
 * between. Throws `ScanError`: `scan-failed` for one that was rejected, given up or lost, `timed-out`.
 */
export async function followScan(
  loaded: LoadedConfig,
  scan: string,
  { timeoutMs, signal, onProgress }: FollowOptions,
): Promise<ScanReport> {
  const { store, log } = await openSharedStore(loaded);
  const queues = ['ingest-lockfiles', 'judge-scan'].map((name) => {
    const queue = new Queue(name, { connection: store.redis, prefix: store.prefix });
    return queue.on('error', (error) => log.warn({ error: error.message }, 'queue connection'));
  });
  const timeout = AbortSignal.timeout(timeoutMs);
  const ended = AbortSignal.any([signal, timeout]);
  let step = 'Redis does not answer';
  const told: OnProgress = (name, done, total) => {
    step = name;
    onProgress(name, done, total);
  };
  try {
    return await raceAbort(follow(store, queues, scan, told, ended), ended);
  } catch (error) {
    if (!timeout.aborted || error instanceof ScanError) throw error;
    throw new ScanError(
      'timed-out',
      `scan ${scan} is not done within ${timeoutMs / 1_000} s (${step}); it goes on, and the same command with \`--scan ${scan}\` follows it further`,
    );
  } finally {
    await Promise.all(queues.map((queue) => queue.close()));
    await store.close();
  }
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
    // Read after the states: a job that is done has left its outcome by then.
    inventory ??= (await store.outcomes.readResult(INVENTORY, 'ingest-lockfiles', scan)) ?? undefined;
    const verdict = await store.outcomes.readResult(VERDICT, 'judge-scan', scan);
    if (verdict === null) throw reportGone(scan);
    if (verdict !== undefined) return { inventory: inventory ?? inventoryOf(verdict), verdict };
    const failed = queues.find((_queue, index) => states[index] === 'failed');
    if (failed !== undefined) throw await failure(store, failed, scan);
    unseen = inventory === undefined && states.every((state) => state === 'unknown') ? unseen + 1 : 0;
    if (unseen >= LOST_AFTER) {
      throw new ScanError('scan-failed', `scan ${scan} is neither queued nor judged: enqueue it again`);
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
    return judging === 'active' ? 'judge' : 'its advisories and dependencies are looked up';
  }
  if (ingesting === 'active') return 'its lockfiles are read and looked up';
  if (ingesting === 'delayed') return 'it waits for another attempt';
  const workers = (await ingest?.getWorkersCount()) ?? 0;
  return workers === 0 ? 'no worker is connected' : 'it waits for a worker';
}

/** Why there is no verdict, and what to do. */
async function failure({ redis, rejected }: Store, queue: Queue, scan: string): Promise<ScanError> {
  const id = jobIdOf(queue.name, scan);
  const [entry] = await rejected.find(id, [queue.name]);
  const reason = await redis.hget(queue.toKey(id), 'failedReason');
  const advice = entry === undefined ? '' : `; \`lockhound rejected show ${id}\` shows its payload`;
  return new ScanError('scan-failed', `${queue.name}: ${reason ?? 'failed'}${advice}`);
}

/** What the verdict tells of the lockfiles, once their packages are not stored any more. */
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
