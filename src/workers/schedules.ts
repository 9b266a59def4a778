import { type ConnectionOptions, Queue, Worker } from 'bullmq';
import type { Logger } from 'pino';
import type { FollowUp } from '../jobs/follow-up.ts';
import { enqueueFollowUps, type FlowOptions } from './flow.ts';

/** Starts jobs periodically. */
export interface Schedule {
  readonly name: string;
  /** Milliseconds between two starts of all workers together. */
  readonly everyMs: number;
  /** Starts at multiples of `everyMs` since 1 January 1970, 00:00 UTC. Default: starts immediately and counts from then. */
  readonly aligned?: boolean;
  /** The jobs of the start that was due. The same schedule and time give the same job keys. */
  start(due: Date): readonly FollowUp[] | Promise<readonly FollowUp[]>;
}

interface SchedulesOptions {
  /** All of them: schedules of an earlier configuration that are not listed are removed. */
  readonly schedules: readonly Schedule[];
  readonly connection: ConnectionOptions;
  readonly prefix: string;
  readonly flow: FlowOptions;
  readonly log: Logger;
  readonly onError: (error: Error) => void;
}

interface Schedules {
  readonly queue: Queue;
  readonly worker: Worker;
  /** Restores schedules whose next start Redis has lost: BullMQ derives each start from the previous one. */
  restore(): Promise<void>;
}

/** BullMQ writes an event for each step of a job; Lockhound reads none of them. */
export const FEW_EVENTS = { events: { maxLen: 100 } } as const;

/** No job has this name. */
const QUEUE = 'schedules';
const ATTEMPTS = { attempts: 10, backoff: { type: 'exponential', delay: 1_000 } } as const;

/**
 * Stores the schedules in BullMQ and starts the jobs that are due. Each start happens once, for any number of workers:
 * the due time determines the job's key, so a crash repeats nothing. Resolves to `undefined` when there are no
 * schedules.
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
  for (const schedule of schedules) await upsert(queue, schedule);
  const worker = new Worker(
    QUEUE,
    async ({ name, id }) => {
      const schedule = byName.get(name);
      // BullMQ retries it: during a deployment another worker may know the schedule.
      if (schedule === undefined) throw new RangeError(`this worker has no schedule named "${name}"`);
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
      log.warn(
        { schedule: schedule.name },
        'the next start of a schedule was lost; the schedule is restored',
      );
      await upsert(queue, schedule);
    }
  };
  return { queue, worker, restore };
}

async function upsert(queue: Queue, { name, everyMs: every, aligned }: Schedule): Promise<void> {
  const opts = { ...ATTEMPTS, removeOnComplete: true, removeOnFail: { count: 100 } };
  const times =
    aligned === true ? { every, startDate: (Math.floor(Date.now() / every) + 1) * every } : { every };
  await queue.upsertJobScheduler(name, times, { name, data: {}, opts });
}

/** Whether the job of the next start exists and is not finished. */
async function hasNext(queue: Queue, { name }: Schedule): Promise<boolean> {
  const next = (await queue.getJobScheduler(name))?.next;
  if (next === undefined) return false;
  const job = await queue.getJob(`repeat:${name}:${next}`);
  return job !== undefined && job.finishedOn === undefined;
}

/** From BullMQ's id `repeat:<name>:<milliseconds>`: the sum of a job's timestamp and delay is inexact. */
function dueTime(id = ''): Date {
  const milliseconds = /:(\d+)$/.exec(id)?.[1];
  if (milliseconds === undefined)
    throw new RangeError(`the id of the scheduled job ${id} does not contain its due time`);
  return new Date(Number(milliseconds));
}
