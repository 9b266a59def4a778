import { setTimeout as sleep } from 'node:timers/promises';
import { vi } from 'vitest';
import { JOBS } from '../../src/jobs/catalog.ts';
import { chunks } from '../../src/model/yielding.ts';
import { createKeys } from '../../src/store/keys.ts';
import { SCHEDULES_QUEUE } from '../../src/workers/schedules.ts';
import { LIMIT_MS } from '../until.ts';
import type { Room } from './world.ts';

/** Changes that scans learn of are applied within this time. */
const SELECTION_MS = 61_000;
const POLL_MS = 25;
/** BullMQ orders delayed jobs by their time in ms, shifted by the bits of a counter. */
const SCORES_A_MS = 0x1000;
const QUEUES = [...JOBS.map(({ name }) => name), SCHEDULES_QUEUE];

type Where = Pick<Room, 'store'>;

/** A queue at one moment. */
interface QueueState {
  readonly queue: string;
  /** Jobs that wait for a worker or run. */
  readonly running: number;
  /** When the first delayed job is due, in ms; infinite without one. */
  readonly delayedUntil: number;
}

/** Replaces `Date` by a clock that stands still until `runUntil` moves it. Timers and the time of Redis are real. */
export function stopClock(time: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: time });
}

/**
 * Moves the stopped clock to a time in ms, and further where retries and delays need it, until a worker of this process has nothing left
 * to do: schedules that are due have started, and what scans learned of is applied.
 */
export async function runUntil(where: Where, time: number): Promise<void> {
  for (const until of [time, Math.max(time, Date.now()) + SELECTION_MS]) {
    await moveTo(where, until);
    await settle(where);
  }
}

async function settle(where: Where): Promise<void> {
  const limit = performance.now() + LIMIT_MS;
  for (;;) {
    const { open, states } = await workOf(where);
    const schedules = states.find(({ queue }) => queue === SCHEDULES_QUEUE);
    const others = states.filter((one) => one !== schedules);
    const isRunning =
      states.some(({ running }) => running > 0) || (schedules?.delayedUntil ?? 0) <= Date.now();
    const delayedUntil = Math.min(...others.map((one) => one.delayedUntil));
    if (!isRunning && open === 0 && delayedUntil === Number.POSITIVE_INFINITY) return;
    if (performance.now() > limit) throw new Error(`the work of ${new Date().toISOString()} does not end`);
    if (!isRunning && Number.isFinite(delayedUntil)) await moveTo(where, delayedUntil);
    await sleep(POLL_MS);
  }
}

/** Moves the clock, and wakes the workers of queues with a delayed job that is due then: they wait in real time. */
async function moveTo(where: Where, time: number): Promise<void> {
  vi.setSystemTime(Math.max(Date.now(), time));
  const { redis, prefix } = where.store;
  const { states } = await workOf(where);
  for (const { queue, delayedUntil } of states) {
    if (delayedUntil <= Date.now()) await redis.zadd(`${prefix}:${queue}:marker`, 0, '0');
  }
}

/** Answers with the number of open jobs, and of each queue with the number of jobs that wait or run and the score of its first delayed job. */
const WORK = `local found = { redis.call('HLEN', KEYS[1]) }
for index = 2, #KEYS do
  local key = KEYS[index]
  local running = redis.call('LLEN', key .. ':wait') + redis.call('LLEN', key .. ':active') + redis.call('ZCARD', key .. ':prioritized')
  local first = redis.call('ZRANGE', key .. ':delayed', 0, 0, 'WITHSCORES')
  found[#found + 1] = running
  found[#found + 1] = first[2] or ''
end
return found`;

/** Number of open jobs, and all queues, read in one step so that no job is overlooked between two queues. */
async function workOf({ store: { redis, prefix } }: Where) {
  const keys = [createKeys(prefix).openJobs, ...QUEUES.map((queue) => `${prefix}:${queue}`)];
  const [open, ...found] = (await redis.eval(WORK, keys.length, ...keys)) as readonly (number | string)[];
  const states = chunks(found, 2).map(
    ([running, score], index): QueueState => ({
      queue: QUEUES[index] ?? '',
      running: Number(running),
      delayedUntil: timeOf(String(score)),
    }),
  );
  return { open: Number(open), states };
}

function timeOf(score: string): number {
  return score === '' ? Number.POSITIVE_INFINITY : Math.ceil(Number(score) / SCORES_A_MS);
}
