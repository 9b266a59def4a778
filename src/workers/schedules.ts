import { type ConnectionOptions, Queue, Worker } from 'bullmq';
import type { Logger } from 'pino';
import { enqueueFollowUps, type FlowOptions } from './flow.ts';

/** Starts a job again and again. */
export interface Schedule {
  /** Name of the job. */
  readonly job: string;
  /** Milliseconds from one start to the next, counted by one clock for all workers. */
  readonly everyMs: number;
  /** The job's payload for the start that was due at that time; the same time gives the same work. */
  payload(due: Date): unknown;
}

export interface SchedulesOptions {
  /** All there are: one that an earlier configuration had and this one has not is taken out. */
  readonly schedules: readonly Schedule[];
  readonly connection: ConnectionOptions;
  readonly prefix: string;
  readonly flow: FlowOptions;
  readonly log: Logger;
}

/** What runs, to be closed with everything else. */
export interface Schedules {
  readonly queue: Queue;
  readonly worker: Worker;
}

/** No job has this name. */
const QUEUE = 'schedules';
const ATTEMPTS = { attempts: 10, backoff: { type: 'exponential', delay: 1_000 } } as const;

/**
 * Keeps the schedules in BullMQ and starts what is due. However many workers run, each start happens once: what is due
 * gives the job's key, and a crash between the two repeats nothing. Gives nothing to close when there is no schedule.
 */
export async function startSchedules(options: SchedulesOptions): Promise<Schedules | undefined> {
  const { schedules, connection, prefix, flow, log } = options;
  const byJob = new Map(schedules.map((schedule) => [schedule.job, schedule]));
  const queue = new Queue(QUEUE, { connection, prefix });
  for (const { key } of await queue.getJobSchedulers()) {
    if (!byJob.has(key)) await queue.removeJobScheduler(key);
  }
  if (schedules.length === 0) {
    await queue.close();
    return undefined;
  }
  for (const { job, everyMs } of schedules) {
    const opts = { ...ATTEMPTS, removeOnComplete: true, removeOnFail: { count: 100 } };
    await queue.upsertJobScheduler(job, { every: everyMs }, { name: job, data: {}, opts });
  }
  const worker = new Worker(
    QUEUE,
    async ({ name, timestamp, opts }) => {
      const schedule = byJob.get(name);
      if (schedule === undefined) return;
      const due = new Date(timestamp + (opts.delay ?? 0));
      log.debug({ job: name, due }, 'scheduled job is due');
      await enqueueFollowUps(flow, [{ job: name, payload: schedule.payload(due) }]);
    },
    { connection, prefix },
  );
  return { queue, worker };
}
