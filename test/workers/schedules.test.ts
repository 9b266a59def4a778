import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Schedule } from '../../src/workers/schedules.ts';
import { openWorkerRoom, testFollowUp, testJob, type WorkerRoom } from './worker-room.ts';

let room: WorkerRoom;

beforeAll(async () => {
  room = await openWorkerRoom();
});

afterAll(() => room.close());

const every = (everyMs: number, aligned = false): Schedule => ({
  name: 'ticks',
  everyMs,
  aligned,
  start: (due) => [testFollowUp('tick', `at-${due.getTime()}`)],
});

describe('a schedule', () => {
  test('starts its job periodically, once at each due time, for any number of workers', async () => {
    const bench = room.bench('schedule-many');
    const ran: string[] = [];
    const job = testJob('tick', async ({ id }) => {
      ran.push(id);
      return undefined;
    });
    const options = { schedules: [every(150)] };
    await Promise.all([
      bench.start([job], options),
      bench.start([job], options),
      bench.start([job], options),
    ]);
    await expect.poll(() => ran.length, { timeout: 15_000 }).toBeGreaterThanOrEqual(5);
    expect(new Set(ran).size).toBe(ran.length);
    const times = ran.map((id) => Number(id.slice(3))).sort((left, right) => left - right);
    // One series of starts, not three.
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(75);
  }, 30_000);

  test('that is aligned starts at multiples of its interval, also after a worker joined', async () => {
    const bench = room.bench('schedule-aligned');
    const ran: string[] = [];
    const job = testJob('tick', async ({ id }) => {
      ran.push(id);
      return undefined;
    });
    const options = { schedules: [every(400, true)] };
    await bench.start([job], options);
    await expect.poll(() => ran.length, { timeout: 15_000 }).toBeGreaterThanOrEqual(2);
    await bench.start([job], options);
    await expect.poll(() => ran.length, { timeout: 15_000 }).toBeGreaterThanOrEqual(5);
    const times = ran.map((id) => Number(id.slice(3)));
    expect(times.filter((time) => time % 400 !== 0)).toEqual([]);
    expect(new Set(times).size).toBe(times.length);
  }, 30_000);

  test('starts the jobs of that time, or none', async () => {
    const bench = room.bench('schedule-several');
    const ran: string[] = [];
    const job = testJob('tick', async ({ id }) => {
      ran.push(id);
      return undefined;
    });
    let starts = 0;
    const start = async (due: Date) => {
      starts += 1;
      return starts === 2 ? ['a', 'b'].map((one) => testFollowUp('tick', `${one}-${due.getTime()}`)) : [];
    };
    await bench.start([job], { schedules: [{ name: 'several', everyMs: 150, start }] });
    await expect.poll(() => starts, { timeout: 15_000 }).toBeGreaterThanOrEqual(4);
    await expect.poll(() => ran.map((id) => id[0]).sort(), { timeout: 15_000 }).toEqual(['a', 'b']);
  }, 30_000);

  test('that one of two workers does not know is started by the other', async () => {
    const bench = room.bench('schedule-mixed');
    const ran: string[] = [];
    const job = testJob('tick', async ({ id }) => {
      ran.push(id);
      return undefined;
    });
    const { start } = every(60_000);
    const named = (name: string) => ({ name, everyMs: 60_000, start });
    // It claims the start of `second` first: it is the only worker.
    const old = await bench.start([job], { schedules: [named('first')] });
    const queue = bench.queue('schedules');
    const opts = { attempts: 10, backoff: { type: 'fixed', delay: 200 } };
    await queue.upsertJobScheduler('second', { every: 60_000 }, { name: 'second', opts });
    const tried = async () => (await queue.getDelayed()).some(({ attemptsMade }) => attemptsMade > 0);
    await expect.poll(tried, { timeout: 5_000 }).toBe(true);
    expect(ran).toHaveLength(1);
    await bench.start([job], { schedules: [named('first'), named('second')] });
    await old.close(0);
    await expect.poll(() => ran.length, { timeout: 15_000 }).toBe(2);
  }, 30_000);

  test('with another interval replaces the previous one, and one that is not configured is removed', async () => {
    const bench = room.bench('schedule-change');
    const job = testJob('tick', async () => undefined);
    const schedulers = async () =>
      (await bench.queue('schedules').getJobSchedulers()).map(({ key, every: ms }) => [key, ms]);
    await (await bench.start([job], { schedules: [every(60_000)] })).close(0);
    expect(await schedulers()).toEqual([['ticks', 60_000]]);
    await (await bench.start([job], { schedules: [every(120_000)] })).close(0);
    expect(await schedulers()).toEqual([['ticks', 120_000]]);
    // A worker without schedules does not change them.
    await (await bench.start([job])).close(0);
    expect(await schedulers()).toEqual([['ticks', 120_000]]);
    await (await bench.start([job], { schedules: [] })).close(0);
    expect(await schedulers()).toEqual([]);
  }, 30_000);
});
