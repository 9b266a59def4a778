import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Schedule } from '../../src/workers/schedules.ts';
import { openWorkerRoom, testJob, type WorkerRoom } from './worker-room.ts';

let room: WorkerRoom;

beforeAll(async () => {
  room = await openWorkerRoom();
});

afterAll(() => room.close());

const every = (everyMs: number): Schedule => ({
  job: 'tick',
  everyMs,
  payload: (due) => ({ id: `at-${due.getTime()}` }),
});

describe('a schedule', () => {
  test('starts its job again and again, each time once however many workers there are', async () => {
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
    // One series of starts, not three: none is due together with another.
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(75);
  }, 30_000);

  test('of another interval takes the place of the one before, and one that is not configured goes', async () => {
    const bench = room.bench('schedule-change');
    const job = testJob('tick', async () => undefined);
    const schedulers = async () =>
      (await bench.queue('schedules').getJobSchedulers()).map(({ key, every: ms }) => [key, ms]);
    await (await bench.start([job], { schedules: [every(60_000)] })).close(0);
    expect(await schedulers()).toEqual([['tick', 60_000]]);
    await (await bench.start([job], { schedules: [every(120_000)] })).close(0);
    expect(await schedulers()).toEqual([['tick', 120_000]]);
    // A run that shares its queues with nobody leaves them alone.
    await (await bench.start([job])).close(0);
    expect(await schedulers()).toEqual([['tick', 120_000]]);
    await (await bench.start([job], { schedules: [] })).close(0);
    expect(await schedulers()).toEqual([]);
  }, 30_000);
});
