import { createHash } from 'node:crypto';
import { type ConnectionOptions, DelayedError, type Job, Queue, Worker } from 'bullmq';
import type { Logger } from 'pino';
import type { FollowUp } from '../jobs/job.ts';
import { messageOf } from '../model/errors.ts';
import { loadPackage } from '../model/lazily.ts';
import { enqueueFollowUps, type FlowOptions } from './flow.ts';
import { MAX_STALLS } from './queued-jobs.ts';

/** When a schedule starts its jobs. */
type StartTimes =
  | {
      /** Milliseconds between two starts of all workers together. */
      readonly everyMs: number;
      /** Starts at multiples of `everyMs` since 1 January 1970, 00:00 UTC. Default: starts immediately and counts from then. */
      readonly aligned?: boolean;
    }
  | { readonly cron: string; readonly timeZone: string };

/** Starts jobs periodically. */
export type Schedule = StartTimes & {
  readonly name: string;
  /** Each start is delayed by up to this, in milliseconds; differently each time, and equally in all workers. */
  readonly jitterMs?: number;
  /** The jobs of the start that was due. The same schedule and time give the same job keys. */
  start(due: Date): readonly FollowUp[] | Promise<readonly FollowUp[]>;
};

/** Schedules that are added and removed while workers run. */
export interface StoredSchedules {
  /** All that have starts. */
  list(): Promise<readonly Schedule[]>;
  find(name: string): Promise<Schedule | undefined>;
  /** Whether a name can be that of a stored schedule. */
  isStored(name: string): boolean;
}

interface SchedulesOptions {
  /** All of this deployment: others that are not stored ones are removed. */
  readonly schedules: readonly Schedule[];
  readonly stored?: StoredSchedules | undefined;
  readonly connection: ConnectionOptions;
  readonly prefix: string;
  /** Another worker claims a start whose lock was not renewed for this long. */
  readonly lockDurationMs: number;
  readonly flow: FlowOptions;
  readonly log: Logger;
  readonly onError: (error: Error) => void;
}

/** BullMQ writes an event for each step of a job; Lockhound reads none of them. */
export const FEW_EVENTS = { events: { maxLen: 100 } } as const;

/**
 * An idle worker asks each queue for jobs after so many seconds, although none was announced: BullMQ's 5 made two thirds of its commands. An
 * announcement is lost with the worker that has read it. Connections end after 30 s without an answer.
 */
export const DRAIN_DELAY_S = 25;

/** BullMQ asks the queues and the workers of schedules for the next start of a cron expression. */
export const CRON_SETTINGS = {
  settings: {
    repeatStrategy: (after: number, { pattern = '', tz = 'UTC' }: { pattern?: string; tz?: string }) =>
      nextCronTime(after, pattern, tz),
  },
} as const;

/** The queue of all schedules. No job has this name. */
export const SCHEDULES_QUEUE = 'schedules';
const ATTEMPTS = { attempts: 10, backoff: { type: 'exponential', delay: 1_000 } } as const;

/**
 * Stores the schedules in BullMQ and starts the jobs that are due. Each start happens once, for any number of workers:
 * the due time determines the job's key, so a crash repeats nothing. A start that was missed while no worker ran happens once,
 * late. Resolves to `undefined` when there are no schedules.
 */
export async function startSchedules(options: SchedulesOptions) {
  const { schedules, stored, connection, prefix, lockDurationMs, flow, log, onError } = options;
  const byName = new Map(schedules.map((schedule) => [schedule.name, schedule]));
  const queue = new Queue(SCHEDULES_QUEUE, {
    connection,
    prefix,
    streams: FEW_EVENTS,
    skipVersionCheck: true,
    ...CRON_SETTINGS,
  });
  queue.on('error', onError);
  await reconcileSchedules(queue, options, () => true);
  if (schedules.length === 0 && stored === undefined) {
    await queue.close();
    return undefined;
  }
  const worker = new Worker(
    SCHEDULES_QUEUE,
    async (job, token) => {
      const schedule = byName.get(job.name) ?? (await stored?.find(job.name));
      if (schedule === undefined) {
        if (stored?.isStored(job.name) === true) return;
        // BullMQ retries it: during a deployment another worker may know the schedule.
        throw new RangeError(`this worker has no schedule named "${job.name}"`);
      }
      const due = dueTime(job.id);
      const jitterMs = jitterOf(schedule, due);
      if (jitterMs > 0) await requireTime(job, token, due.getTime() + jitterMs);
      log.debug({ schedule: job.name, due }, 'schedule is due');
      await enqueueFollowUps(flow, await schedule.start(due));
    },
    {
      connection,
      prefix,
      ...CRON_SETTINGS,
      drainDelay: DRAIN_DELAY_S,
      lockDuration: lockDurationMs,
      stalledInterval: lockDurationMs,
      // The reconciler restores a schedule whose start has failed.
      maxStalledCount: MAX_STALLS,
    },
  );
  worker.on('error', onError);
  return {
    queue,
    worker,
    /**
     * Restores schedules whose next start Redis has lost, because BullMQ derives each start from the previous one; and removes
     * starts of stored schedules that no longer exist.
     */
    restore: async () => {
      // Another worker may have other schedules of its own for some time, during a deployment.
      const isStored = (name: string) => stored?.isStored(name) === true;
      for (const name of await reconcileSchedules(queue, options, isStored)) {
        log.warn({ schedule: name }, 'the next start of a schedule was missing; the schedule is restored');
      }
    },
  };
}

/**
 * Writes a schedule, unless BullMQ has its next start at the same times. What it has and cannot be read is removed first. Resolves to what
 * was done, if anything.
 */
export async function putSchedule(
  queue: Queue,
  schedule: Schedule,
): Promise<'written' | 'repaired' | undefined> {
  const { name } = schedule;
  const opts = { ...ATTEMPTS, removeOnComplete: true, removeOnFail: { count: 100 } };
  const write = () => queue.upsertJobScheduler(name, repeatOptions(schedule), { name, data: {}, opts });
  const found = await orDamaged(queue.getJobScheduler(name).then((known) => hasNext(queue, schedule, known)));
  if (found === true) return undefined;
  if (found === false && (await orDamaged(write())) !== 'damaged') return 'written';
  await queue.removeJobScheduler(name);
  // BullMQ leaves what its list of schedules does not name.
  await (await queue.getBackend().client).del(queue.toKey(`repeat:${name}`));
  await write();
  return 'repaired';
}

/** When a schedule starts next, in milliseconds since 1970; `undefined` when BullMQ has no start that can be read. */
export async function nextStart(queue: Queue, name: string): Promise<number | undefined> {
  const known = await orDamaged(queue.getJobScheduler(name));
  return known === 'damaged' ? undefined : known?.next;
}

/** `damaged` when the value in Redis is of another kind or has no valid JSON. Other errors, such as those of the connection, remain. */
async function orDamaged<T>(reading: Promise<T>): Promise<T | 'damaged'> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof SyntaxError || messageOf(error).startsWith('WRONGTYPE')) return 'damaged';
    throw error;
  }
}

/** Returns the names of the schedules that were written. */
async function reconcileSchedules(
  queue: Queue,
  { schedules, stored, log }: SchedulesOptions,
  mayRemove: (name: string) => boolean,
): Promise<readonly string[]> {
  const wanted = [...schedules, ...((await stored?.list()) ?? [])];
  const names = new Set(wanted.map(({ name }) => name));
  const listed = await orDamaged(queue.getJobSchedulers());
  const known = listed === 'damaged' ? await listedNames(queue) : listed.map(({ key }) => key);
  const byName = new Map(listed === 'damaged' ? [] : listed.map((one) => [one.key, one]));
  // At once: what was listed is soon out of date.
  const read = await orDamaged(
    Promise.all(wanted.map((schedule) => hasNext(queue, schedule, byName.get(schedule.name)))),
  );
  for (const key of known) if (!names.has(key) && mayRemove(key)) await queue.removeJobScheduler(key);
  const haveNext = read === 'damaged' ? [] : read;
  const written: string[] = [];
  for (const [index, schedule] of wanted.entries()) {
    const done = haveNext[index] === true ? undefined : await putSchedule(queue, schedule);
    if (done === 'repaired')
      log.error({ schedule: schedule.name }, 'a schedule could not be read in Redis; it was written again');
    if (done !== undefined) written.push(schedule.name);
  }
  return written;
}

/** The names of all schedules, which are not read: one that is damaged would hide all of them. */
async function listedNames(queue: Queue): Promise<readonly string[]> {
  const namesAndTimes = await queue.getBackend().getJobSchedulersRange(0, -1, true);
  return namesAndTimes.filter((_, at) => at % 2 === 0);
}

function repeatOptions(schedule: Schedule) {
  if ('cron' in schedule) return { pattern: schedule.cron, tz: schedule.timeZone };
  const { everyMs: every, aligned } = schedule;
  return aligned === true ? { every, startDate: (Math.floor(Date.now() / every) + 1) * every } : { every };
}

const DAY_MS = 86_400_000;

/**
 * Returns the first time of a cron expression after `after`, both in milliseconds since 1970. A local time that summer time skips
 * starts later by the length of the gap (02:30 at 03:30), and one that exists twice starts once. Throws `Error` when the
 * expression has no further time.
 */
export function nextCronTime(after: number, cron: string, timeZone: string): number {
  const { CronDate, CronExpressionParser }: typeof import('cron-parser') = loadPackage('cron-parser');
  const inZone = CronExpressionParser.parse(cron, { tz: timeZone, currentDate: new Date(after) });
  // What starts each hour also starts in an hour that exists twice.
  if (inZone.fields.hour.values.length === 24) return inZone.next().getTime();
  const offsetAt = (time: number) => new CronDate(new Date(time), timeZone).getUTCOffset() * 60_000;
  // `cron-parser` leaves out some local times that do not exist. In UTC, which is read as local time here, all exist.
  const offset = Math.min(offsetAt(after - DAY_MS), offsetAt(after));
  const local = CronExpressionParser.parse(cron, { tz: 'UTC', currentDate: new Date(after + offset) });
  for (;;) {
    const time = local.next().getTime();
    const before = offsetAt(time - DAY_MS);
    const later = offsetAt(time + DAY_MS);
    const isLater = offsetAt(time - before) !== before && offsetAt(time - later) === later;
    const start = time - (isLater ? later : before);
    if (start > after) return start;
  }
}

/** Whether the job of the next start exists, is not finished, and belongs to the same times. */
async function hasNext(queue: Queue, schedule: Schedule, known: Known | undefined): Promise<boolean> {
  if (known?.next === undefined || !hasTimes(known, schedule)) return false;
  const job = await queue.getJob(`repeat:${schedule.name}:${known.next}`);
  return job !== undefined && job.finishedOn === undefined;
}

/** A schedule as BullMQ stores it. */
interface Known {
  readonly next?: number | undefined;
  readonly every?: number;
  readonly pattern?: string;
  readonly tz?: string;
  readonly startDate?: number;
}

function hasTimes(known: Known, schedule: Schedule): boolean {
  if ('cron' in schedule) return known.pattern === schedule.cron && known.tz === schedule.timeZone;
  const isAligned = known.startDate !== undefined;
  return known.every === schedule.everyMs && isAligned === (schedule.aligned === true);
}

/** Ends the attempt until it is time. */
async function requireTime(job: Job, token: string | undefined, at: number): Promise<void> {
  if (Date.now() >= at) return;
  await job.moveToDelayed(at, token);
  throw new DelayedError();
}

function jitterOf({ name, jitterMs = 0 }: Schedule, due: Date): number {
  if (jitterMs === 0) return 0;
  const hash = createHash('sha256').update(`${name} ${due.getTime()}`).digest();
  return Math.floor((hash.readUInt32BE(0) / 2 ** 32) * jitterMs);
}

/** From BullMQ's id `repeat:<name>:<milliseconds>`: the sum of a job's timestamp and delay is inexact. */
function dueTime(id = ''): Date {
  const milliseconds = /:(\d+)$/.exec(id)?.[1];
  if (milliseconds === undefined)
    throw new RangeError(`the id of the scheduled job ${id} does not contain its due time`);
  return new Date(Number(milliseconds));
}
