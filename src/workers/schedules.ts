import { type ConnectionOptions, Queue, Worker } from 'bullmq';
import type { Logger } from 'pino';
import type { FollowUp } from '../jobs/follow-up.ts';
import { enqueueFollowUps, type FlowOptions } from './flow.ts';

/** Starts jobs again and again. */
export interface Schedule {
  readonly name: string;
  /** Milliseconds from one start to the next, counted by one clock for all workers. */
  readonly everyMs: number;
  /** Starts at multiples of `everyMs` since midnight UTC, 1 January 1970; otherwise at once, and counted from there. */
  readonly aligned?: boolean;
  /** The jobs to start at the time that was due; a job of the same time and kind has the same key. */
  start(due: Date): readonly FollowUp[] | Promise<readonly FollowUp[]>;
}

export interface SchedulesOptions {
  /** All there are: one that an earlier configuration had and this one has not is taken out. */
  readonly schedules: readonly Schedule[];
  readonly connection: ConnectionOptions;
  readonly prefix: string;
  readonly flow: FlowOptions;
  readonly log: Logger;
  readonly onError: (error: Error) => void;
}

/** What runs, to be closed with everything else. */
export interface Schedules {
  readonly queue: Queue;
  readonly worker: Worker;
  /** Puts back schedules whose next start Redis has lost: BullMQ makes each start from the one before. */
  restore(): Promise<void>;
}

/** BullMQ writes an event for each step of a job, and nothing reads them. */
export const FEW_EVENTS = { events: { maxLen: 100 } } as const;

/** No job has this name. */
const QUEUE = 'schedules';
const ATTEMPTS = { attempts: 10, backoff: { type: 'exponential', delay: 1_000 } } as const;

/**
 * Keeps the schedules in BullMQ and starts what is due. However many workers run, each start happens once: what is due
 * gives the job's key, and a crash between the two repeats nothing. Gives nothing to close when there is no schedule.
 */
export async function startSchedules(options: SchedulesOptions): Promise<Schedules | undefined> {
  const { schedules, connection, prefix, flow, log, onError } = options;
  const byName = new Map(schedules.map((schedule) => [schedule.name, schedule]));
  const queue = new Queue(QUEUE, { connection, prefix, streams: FEW_EVENTS, skipVersionCheck: true });
  queue.on('error', onError);
  for (const { key } of await queue.getJobSchedulers()) {
    if (!byName.has(key)) await queue.removeJobScheduler(key);
  }
  if (schedules.length === 0) {
    await queue.close();
    return undefined;
  }
  for (const schedule of schedules) await keep(queue, schedule);
  const worker = new Worker(
    QUEUE,
    async ({ name, id }) => {
      const schedule = byName.get(name);
      // While a deployment changes, another worker may know it: tried again, as all that fails here is.
      if (schedule === undefined) throw new RangeError(`this worker has no schedule ${name}`);
      const due = dueTime(id);
      log.debug({ schedule: name, due }, 'schedule is due');
      await enqueueFollowUps(flow, await schedule.start(due));
    },
    { connection, prefix },
  );
  worker.on('error', onError);
  const restore = async (): Promise<void> => {
    for (const schedule of schedules) {
      if (await hasNext(queue, schedule)) continue;
      log.warn({ schedule: schedule.name }, 'the next start of a schedule was lost; it is put back');
      await keep(queue, schedule);
    }
  };
  return { queue, worker, restore };
}

async function keep(queue: Queue, { name, everyMs: every, aligned }: Schedule): Promise<void> {
  const opts = { ...ATTEMPTS, removeOnComplete: true, removeOnFail: { count: 100 } };
  const times =
    aligned === true ? { every, startDate: (Math.floor(Date.now() / every) + 1) * every } : { every };
  await queue.upsertJobScheduler(name, times, { name, data: {}, opts });
}

/** Whether the job of the next start is there, and not done already. */
async function hasNext(queue: Queue, { name }: Schedule): Promise<boolean> {
  const next = (await queue.getJobScheduler(name))?.next;
  if (next === undefined) return false;
  const job = await queue.getJob(`repeat:${name}:${next}`);
  return job !== undefined && job.finishedOn === undefined;
}

/** BullMQ's own time of a start, `repeat:<name>:<milliseconds>`: the sum of its time stamp and delay is off by a few. */
function dueTime(id = ''): Date {
  const milliseconds = /:(\d+)$/.exec(id)?.[1];
  if (milliseconds === undefined)
    throw new RangeError(`the schedule's job ${id} does not say when it was due`);
  return new Date(Number(milliseconds));
}
