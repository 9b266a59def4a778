import type { Queue } from 'bullmq';
import type { Logger } from 'pino';
import type { FollowUp } from '../jobs/follow-up.ts';
import { messageOf } from '../model/errors.ts';
import type { OpenJob } from '../model/queue/open-job.ts';
import { ensureOpenJob, type FlowOptions, openJobOf } from './flow.ts';
import { restart, wake } from './wake.ts';

export interface ReconcileOptions {
  readonly flow: FlowOptions;
  /** Work that is recorded as under way outside of the open jobs, where these do not hold it. */
  readonly leftovers?: (() => AsyncIterable<FollowUp>) | undefined;
  readonly log: Logger;
}

/** A pass ends early when so many jobs could not be looked after: then it is Redis, not the jobs. */
const MAX_FAULTS = 20;
const COMPLETED_LOOKED_AT = 100;

/**
 * Compares what was decided with what the queues hold, and makes again what is missing. Each step of a job is atomic in
 * Redis, but a worker that goes on after Redis has lost acknowledged writes takes steps whose predecessors are lost. Costs
 * in proportion to what is open. Gives a function that runs one pass; it may run at any time, beside workers and others.
 */
export function createReconciler(options: ReconcileOptions): () => Promise<void> {
  const { flow, leftovers, log } = options;
  const seen = new Map<string, ReadonlySet<string>>();
  return async () => {
    let faults = 0;
    const attempt = async (job: string, work: () => Promise<void>): Promise<void> => {
      try {
        await work();
      } catch (error) {
        faults += 1;
        if (faults > MAX_FAULTS) throw error;
        log.warn({ job, error: messageOf(error) }, 'an open job could not be looked after');
      }
    };
    const lanes = new Set<string>();
    for await (const open of flow.openJobs.list()) {
      await attempt(open.job, () => tend(options, open));
      if (open.lane === undefined || lanes.has(open.lane)) continue;
      lanes.add(open.lane);
      await attempt(open.job, () => tendHead(options, open, open.lane ?? ''));
    }
    for await (const followUp of leftovers?.() ?? []) {
      await attempt(followUp.job, () => reopen(options, followUp));
    }
    for (const [name, queue] of flow.queues) {
      await attempt(name, () => tendCompleted(options, name, queue, seen));
    }
  };
}

/** An open job that its queue does not hold, or takes for done or failed. */
async function tend({ flow, log }: ReconcileOptions, open: OpenJob<FollowUp>): Promise<void> {
  const { job, id, lane, data } = open;
  if (!flow.queues.has(job)) {
    log.warn({ job, key: data.key }, 'a job is open that this release does not know');
    return;
  }
  const how = await ensureOpenJob(flow, open);
  if (how !== 'queued-already')
    log.warn({ job, jobId: id, key: data.key, lane, how }, 'a lost job is made again');
}

/** Whoever should have woken the first one of a lane may have died; or nothing but the lane knows of it. */
async function tendHead(
  { flow, log }: ReconcileOptions,
  open: OpenJob<FollowUp>,
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
      'a place in a lane is skipped: nothing is known of its job',
    );
    const closing = await openJobs.close({ id: first, lane });
    if (closing.kind === 'closed' && closing.next !== undefined) await wake(queue, closing.next);
  } else if (job.finishedOn !== undefined) {
    if (!isOpen && (await isStillFirst(flow, lane, first))) await restart(job);
  } else if (job.attemptsMade === 0) {
    // One that failed before waits for its next attempt, not for its turn.
    await wake(queue, first);
  }
}

async function isStillFirst({ openJobs }: FlowOptions, lane: string, id: string): Promise<boolean> {
  return (await openJobs.turn({ lane, id })).kind === 'first';
}

async function reopen({ flow, log }: ReconcileOptions, followUp: FollowUp): Promise<void> {
  const open = openJobOf(flow.jobs, followUp);
  log.warn({ job: open.job, jobId: open.id, key: open.data.key }, 'a job that was lost is opened again');
  await flow.openJobs.open(open);
  await ensureOpenJob(flow, open);
}

/**
 * Jobs that follow from nothing are not among the open ones: those that their queue takes for done have an outcome. Each
 * is looked at once. Children of a flow are left out: what they did not find is a gap already.
 */
async function tendCompleted(
  { flow, log }: ReconcileOptions,
  name: string,
  queue: Queue,
  seen: Map<string, ReadonlySet<string>>,
): Promise<void> {
  const ids = await queue.getRanges(['completed'], 0, COMPLETED_LOOKED_AT - 1);
  const known = seen.get(name);
  for (const id of ids) {
    if (known?.has(id) === true) continue;
    const job = await queue.getJob(id);
    const key: unknown = job?.data?.key;
    if (job === undefined || job.parentKey !== undefined || typeof key !== 'string') continue;
    if (await flow.outcomes.has(name, key)) continue;
    log.warn({ job: name, jobId: id, key }, 'the outcome of a job was lost; it runs again');
    await restart(job);
  }
  seen.set(name, new Set(ids));
}
