import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { messageOf } from '../model/errors.ts';
import type { OpenJob, StoredFollowUp } from '../model/queue/open-job.ts';
import type { RejectedPayload } from '../model/queue/rejected-payload.ts';
import { ensureOpenJob, type FlowOptions, openJobOf } from './flow.ts';
import { promoteJob, retryFinished } from './queued-jobs.ts';

export interface ReconcilerOptions {
  /** Time between two passes of all workers together. */
  readonly everyMs: number;
  /** Resolves to true when this worker, and no other one, makes the pass of this period. */
  readonly claim: (ms: number) => Promise<boolean>;
  /** Work that is recorded as in progress although no open job exists for it. */
  readonly orphans?: (() => AsyncIterable<StoredFollowUp>) | undefined;
  /** Refused payloads whose reason is not stored, although their jobs have failed. */
  readonly unexplained?: (() => AsyncIterable<RejectedPayload>) | undefined;
}

interface Context {
  readonly flow: FlowOptions;
  readonly log: Logger;
  readonly reject: (rejected: RejectedPayload) => Promise<void>;
  /** Restores schedules that lost their next start. */
  readonly restoreSchedules: (() => Promise<void>) | undefined;
}

/** After so many errors a pass ends: Redis is failing, not single jobs. */
const MAX_ERRORS = 20;
/** How long an open job may be in no queue: until it is queued, or while it runs directly after another. */
const UNQUEUED_MS = 5_000;
/** Workers start at different times, and the one that made the last pass may have ended: each claims the next pass so often in a period. */
const CLAIMS_A_PERIOD = 4;

/**
 * Makes a pass immediately and in each period. The timer runs in the process: a schedule in Redis can be lost like the
 * jobs that the reconciler restores.
 */
export function startReconciler(options: ReconcilerOptions, context: Context): { stop(): Promise<void> } {
  const { everyMs, claim } = options;
  const { log, restoreSchedules } = context;
  const stop = new AbortController();
  const unqueuedMs = Math.min(UNQUEUED_MS, everyMs);
  const wait = () => sleep(unqueuedMs, undefined, { signal: stop.signal });
  const pass = createPass({ ...options, wait }, context);
  const running = (async () => {
    while (!stop.signal.aborted) {
      try {
        if (await claim(everyMs)) {
          await restoreSchedules?.();
          await pass();
        }
      } catch (error) {
        if (stop.signal.aborted) return;
        log.warn({ error: messageOf(error) }, 'the search for lost jobs failed; it is repeated later');
      }
      await sleep(everyMs / CLAIMS_A_PERIOD, undefined, { signal: stop.signal }).catch(() => {});
    }
  })();
  return {
    async stop() {
      stop.abort();
      await running;
    },
  };
}

/**
 * Returns a function that compares open jobs with the queues and restores what is missing. Each step of a job is atomic
 * in Redis, but when Redis loses acknowledged writes, earlier steps of a job may be missing. The cost is proportional
 * to the number of open jobs. A pass may run at any time, also in several workers. `wait`: after it, an open job that no queue holds is
 * lost; needed while workers run.
 */
export function createPass(
  {
    orphans,
    unexplained,
    wait = async () => {},
  }: Pick<ReconcilerOptions, 'orphans' | 'unexplained'> & { readonly wait?: () => Promise<void> },
  context: Omit<Context, 'restoreSchedules'>,
): () => Promise<void> {
  const { flow, log, reject } = context;
  return async () => {
    let errors = 0;
    const attempt = async (job: string, work: () => Promise<void>): Promise<void> => {
      try {
        await work();
      } catch (error) {
        errors += 1;
        if (errors > MAX_ERRORS) throw error;
        log.warn({ job, error: messageOf(error) }, 'an open job could not be checked');
      }
    };
    const lanes = new Set<string>();
    const unqueued: string[] = [];
    for await (const open of flow.openJobs.list()) {
      await attempt(open.job, async () => {
        const queue = flow.queues.get(open.job);
        const job = await queue?.getJob(open.id);
        if (queue !== undefined && job === undefined) unqueued.push(open.id);
        else if (job === undefined || job.finishedOn !== undefined) await restoreJob(context, open);
      });
      const { lane } = open;
      if (lane === undefined || lanes.has(lane)) continue;
      lanes.add(lane);
      await attempt(open.job, () => restoreLane(context, open, lane));
    }
    if (unqueued.length > 0) await wait();
    for (const id of unqueued) {
      await attempt(id, async () => {
        const open = await flow.openJobs.find(id);
        if (open !== undefined) await restoreJob(context, open);
      });
    }
    for await (const followUp of orphans?.() ?? []) {
      await attempt(followUp.job, () => reopen(context, followUp));
    }
    for await (const rejected of unexplained?.() ?? []) {
      const { job, id } = rejected;
      log.warn({ job, jobId: id }, 'the reason of a rejected payload was lost; it is stored again');
      await attempt(job, () => reject(rejected));
    }
  };
}

/** Queues an open job again that its queue has lost, or holds as completed or failed. */
async function restoreJob({ flow, log }: Pick<Context, 'flow' | 'log'>, open: OpenJob): Promise<void> {
  const { job, id, lane, data } = open;
  if (!flow.queues.has(job)) {
    log.warn({ job, key: data.key }, 'an open job has a name that this release does not know');
    return;
  }
  const how = await ensureOpenJob(flow, open);
  if (how === 'added' || how === 'restarted') {
    log.warn({ job, jobId: id, key: data.key, lane, how }, 'a lost job is queued again');
  }
}

/** Starts the first job of a lane: the worker that should have released the turn may have died, or its job may be lost. */
async function restoreLane(
  { flow, log }: Pick<Context, 'flow' | 'log'>,
  open: OpenJob,
  lane: string,
): Promise<void> {
  const { openJobs } = flow;
  const queue = flow.queues.get(open.job);
  const turn = await openJobs.turn({ lane, id: open.id });
  const first = turn.kind === 'waiting' ? turn.first : open.id;
  const job = await queue?.getJob(first);
  const isOpen = (await openJobs.find(first)) !== undefined;
  if (turn.kind === 'absent') {
    if (isOpen) await openJobs.open(open);
  } else if (job === undefined) {
    if (isOpen || !(await isStillFirst(flow, lane, first))) return;
    log.error(
      { job: open.job, jobId: first, lane },
      'a place in a lane is skipped: its job no longer exists',
    );
    const closing = await openJobs.close({ id: first, lane });
    if (closing.kind === 'closed' && closing.next !== undefined) await promoteJob(queue, closing.next);
  } else if (job.finishedOn !== undefined) {
    if (!isOpen && (await isStillFirst(flow, lane, first))) await retryFinished(job);
  } else if (await job.isDelayed()) {
    // A job that failed before, or while this was found out, waits for its next attempt, not for its turn.
    await promoteJob(queue, first, ({ attemptsMade }) => attemptsMade === 0);
  }
}

async function isStillFirst({ openJobs }: FlowOptions, lane: string, id: string): Promise<boolean> {
  return (await openJobs.turn({ lane, id })).kind === 'first';
}

async function reopen({ flow, log }: Pick<Context, 'flow' | 'log'>, followUp: StoredFollowUp): Promise<void> {
  const open = openJobOf(flow.jobs, followUp);
  log.warn({ job: open.job, jobId: open.id, key: open.data.key }, 'a lost job is opened again');
  await flow.openJobs.open(open);
  await ensureOpenJob(flow, open);
}
