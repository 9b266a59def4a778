import { Queue, Worker } from 'bullmq';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RedisClient } from '../../src/store/redis/connection.ts';
import { nextCronTime, type Schedule } from '../../src/workers/schedules.ts';
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
    await expect.poll(() => ran.length).toBeGreaterThanOrEqual(5);
    expect(new Set(ran).size).toBe(ran.length);
    const times = ran.map((id) => Number(id.slice(3))).sort((left, right) => left - right);
    // One series of starts, not three.
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(75);
  });

  test('that is aligned starts at multiples of its interval, also after a worker joined', async () => {
    const bench = room.bench('schedule-aligned');
    const ran: string[] = [];
    const job = testJob('tick', async ({ id }) => {
      ran.push(id);
      return undefined;
    });
    const options = { schedules: [every(400, true)] };
    await bench.start([job], options);
    await expect.poll(() => ran.length).toBeGreaterThanOrEqual(2);
    await bench.start([job], options);
    await expect.poll(() => ran.length).toBeGreaterThanOrEqual(5);
    const times = ran.map((id) => Number(id.slice(3)));
    expect(times.filter((time) => time % 400 !== 0)).toEqual([]);
    expect(new Set(times).size).toBe(times.length);
  });

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
    await expect.poll(() => starts).toBeGreaterThanOrEqual(4);
    await expect.poll(() => ran.map((id) => id[0]).sort()).toEqual(['a', 'b']);
  });

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
    await expect.poll(tried).toBe(true);
    expect(ran).toHaveLength(1);
    await bench.start([job], { schedules: [named('first'), named('second')] });
    await old.close(0);
    await expect.poll(() => ran.length).toBe(2);
  });

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
  });

  test('that have their next start are read by one list, not one by one', async () => {
    const bench = room.bench('schedule-list');
    const job = testJob('tick', async () => undefined);
    const schedules = ['one', 'two'].map((name) => ({ ...every(60_000), name }));
    await (await bench.start([job], { schedules })).close(0);
    const asked = vi.spyOn(Queue.prototype, 'getJobScheduler');
    await (await bench.start([job], { schedules })).close(0);
    expect(asked).not.toHaveBeenCalled();
    asked.mockRestore();
  });

  test('whose start was missed while no worker ran starts once, late, at its due time', async () => {
    const bench = room.bench('schedule-missed');
    const ran: number[] = [];
    const job = testJob('tick', async ({ id }) => void ran.push(Number(id.slice(3))));
    const first = await bench.start([job], { schedules: [every(1_500)] });
    await expect.poll(() => ran.length).toBe(1);
    await first.close(0);
    const due = (await bench.queue('schedules').getJobScheduler('ticks'))?.next ?? 0;
    // Two more would have been due.
    await new Promise((resolve) => setTimeout(resolve, due - Date.now() + 3_200));
    await bench.start([job], { schedules: [every(1_500)] });
    await expect.poll(() => ran.length).toBeGreaterThanOrEqual(3);
    expect(ran[1]).toBe(due);
    // The next one lies after the restart: nothing is made up for.
    expect((ran[2] ?? 0) - due).toBeGreaterThan(3_000);
  });

  test('whose worker dies at a start is started by another one, as soon as the lock of the start expires', async () => {
    const bench = room.bench('schedule-dead');
    const queue = bench.queue('schedules');
    const opts = { attempts: 10, removeOnComplete: true };
    await queue.upsertJobScheduler('ticks', { every: 3_600_000 }, { name: 'ticks', data: {}, opts });
    // It claims the start and does nothing: its lock is never renewed.
    const dead = new Worker('schedules', undefined, {
      connection: room.redis,
      prefix: bench.prefix,
      lockDuration: 300,
      autorun: false,
    });
    const claimed = await dead.getNextJob('dead', { block: false });
    expect(claimed?.name).toBe('ticks');
    await dead.close();
    const ran: string[] = [];
    const job = testJob('tick', async ({ id }) => void ran.push(id));
    await bench.start([job], { schedules: [every(3_600_000)], lockDurationMs: 300 });
    await expect.poll(() => ran.length).toBe(1);
  });

  test('with a cron expression starts at its times in its time zone', async () => {
    const bench = room.bench('schedule-cron');
    const ran: number[] = [];
    const job = testJob('tick', async ({ id }) => void ran.push(Number(id.slice(3))));
    const start = (due: Date) => [testFollowUp('tick', `at-${due.getTime()}`)];
    const daily = { name: 'daily', cron: '30 6 * * *', timeZone: 'Asia/Kathmandu', start };
    const seconds = { name: 'seconds', cron: '* * * * * *', timeZone: 'UTC', start };
    await bench.start([job], { schedules: [daily, seconds] });
    const next = (await bench.queue('schedules').getJobScheduler('daily'))?.next ?? 0;
    // UTC+5:45.
    expect(new Date(next).toISOString().slice(11)).toBe('00:45:00.000Z');
    await expect.poll(() => ran.length).toBeGreaterThanOrEqual(3);
    expect(ran.filter((time) => time % 1_000 !== 0)).toEqual([]);
    expect(new Set(ran).size).toBe(ran.length);
  });

  test('at a local time that never exists starts at the next one, again and again', async () => {
    const bench = room.bench('schedule-gap');
    const ran: number[] = [];
    const job = testJob('tick', async ({ id }) => void ran.push(Number(id.slice(3))));
    const start = (due: Date) => [testFollowUp('tick', `at-${due.getTime()}`)];
    // Summer time begins there on the first Sunday of October at 02:00, by half an hour.
    const skipped = { name: 'skipped', cron: '15 2 * 10 0#1', timeZone: 'Australia/Lord_Howe', start };
    await bench.start([job], { schedules: [skipped] });
    const queue = bench.queue('schedules');
    const next = async () => (await queue.getJobScheduler('skipped'))?.next ?? 0;
    const first = await next();
    expect(new Date(first).toLocaleTimeString('sv', { timeZone: skipped.timeZone })).toBe('02:45:00');
    await (await queue.getDelayed())[0]?.promote();
    await expect.poll(() => ran).toEqual([first]);
    await expect.poll(next).toBe(nextCronTime(first, skipped.cron, skipped.timeZone));
    expect(await next()).toBeGreaterThan(first);
  });

  test('with jitter starts later than it was due, once, and differently each time', async () => {
    const bench = room.bench('schedule-jitter');
    const ran: { readonly due: number; readonly delay: number }[] = [];
    const job = testJob('tick', async ({ id }) => {
      const due = Number(id.slice(3));
      ran.push({ due, delay: Date.now() - due });
      return undefined;
    });
    const options = { schedules: [{ ...every(600, true), jitterMs: 500 }] };
    await Promise.all([bench.start([job], options), bench.start([job], options)]);
    await expect.poll(() => ran.length).toBeGreaterThanOrEqual(8);
    expect(new Set(ran.map(({ due }) => due)).size).toBe(ran.length);
    expect(ran.filter(({ due }) => due % 600 !== 0)).toEqual([]);
    const delays = ran.map(({ delay }) => delay);
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(100);
  });

  test.each<readonly [string, (redis: RedisClient, key: string) => Promise<unknown>]>([
    ['of another kind', async (redis, key) => [await redis.del(key), await redis.set(key, 'x')]],
    ['without valid JSON', async (redis, key) => await redis.hset(key, 'opts', '{garbage')],
    [
      'of another kind, and not listed',
      async (redis, key) => [
        await redis.zrem(key.replace(/:ticks$/, ''), 'ticks'),
        await redis.del(key),
        await redis.set(key, 'x'),
      ],
    ],
    [
      'with a next start that is garbage',
      async (redis, key) => {
        const at = await redis.zscore(key.replace(/:ticks$/, ''), 'ticks');
        await redis.hset(`${key}:${at}`, 'data', '{garbage');
      },
    ],
  ])('that Redis has %s is written again, and keeps no worker from starting', async (what, damage) => {
    const bench = room.bench(`schedule-damaged-${what.replaceAll(' ', '-')}`);
    const ran: string[] = [];
    const job = testJob('tick', async ({ id }) => void ran.push(id.split('-')[0] ?? ''));
    const other: Schedule = {
      ...{ name: 'other', everyMs: 200 },
      start: (due) => [testFollowUp('tick', `other-${due.getTime()}`)],
    };
    const options = { schedules: [every(3_600_000), other] };
    const first = await bench.start([job], options);
    await expect.poll(() => ran.filter((one) => one === 'at').length).toBe(1);
    await first.close(0);
    const queue = bench.queue('schedules');
    await damage(room.redis, queue.toKey('repeat:ticks'));
    const before = ran.length;
    await bench.start([job], options);
    expect((await queue.getJobScheduler('ticks'))?.every).toBe(3_600_000);
    await expect.poll(() => ran.slice(before)).toContain('at');
    await expect.poll(() => ran.slice(before)).toContain('other');
    expect(bench.log.join()).toContain('a schedule could not be read in Redis; it was written again');
  });

  test('of another worker that cannot be read keeps no worker from starting', async () => {
    const bench = room.bench('schedule-damaged-other');
    const queue = bench.queue('schedules');
    await queue.upsertJobScheduler('later', { every: 3_600_000 });
    await room.redis.hset(queue.toKey('repeat:later'), 'opts', '{garbage');
    const ran: string[] = [];
    const job = testJob('tick', async ({ id }) => void ran.push(id));
    await bench.start([job], { schedules: [every(3_600_000)] });
    await expect.poll(() => ran.length).toBe(1);
  });

  test('that is stored is started, restored and ended while workers run', async () => {
    const bench = room.bench('schedule-stored');
    const ran: string[] = [];
    const job = testJob('tick', async ({ id }) => void ran.push(id.split('-')[0] ?? ''));
    const stored = new Map<string, Schedule>();
    const add = (name: string) =>
      stored.set(name, {
        name,
        everyMs: 200,
        start: (due) => [testFollowUp('tick', `${name}-${due.getTime()}`)],
      });
    add('s.one');
    await bench.start([job], {
      schedules: [],
      storedSchedules: {
        list: async () => [...stored.values()],
        find: async (name) => stored.get(name),
        isStored: (name) => name.startsWith('s.'),
      },
      reconciler: { everyMs: 100, claim: async () => true },
    });
    await expect.poll(() => ran.filter((one) => one === 's.one').length).toBeGreaterThan(2);
    add('s.two');
    await expect.poll(() => ran.filter((one) => one === 's.two').length).toBeGreaterThan(2);
    stored.delete('s.one');
    const names = async () => (await bench.queue('schedules').getJobSchedulers()).map(({ key }) => key);
    await expect.poll(names).toEqual(['s.two']);
  });
});

describe('times of a cron expression', () => {
  /** The first starts after a time, each from the one before it, as BullMQ asks for them. */
  const starts = (timeZone: string, cron: string, after: string, count: number) => {
    const times = [Date.parse(after)];
    while (times.length <= count) times.push(nextCronTime(times.at(-1) ?? 0, cron, timeZone));
    return times.slice(1).map((time) => new Date(time).toISOString().slice(5, 16));
  };

  test.each([
    ['Asia/Beirut', '0 0 * * *', '2026-03-28T12:00Z', ['03-28T22:00', '03-29T21:00']],
    ['Asia/Beirut', '0 0 29 3 *', '2026-03-28T12:00Z', ['03-28T22:00', '03-28T21:00']],
    ['Africa/Cairo', '15 0 * * *', '2026-04-23T12:00Z', ['04-23T22:15', '04-24T21:15']],
    ['Australia/Lord_Howe', '15 2 * * *', '2026-10-03T12:00Z', ['10-03T15:45', '10-04T15:15']],
    ['America/Santiago', '30 0 * * 0', '2026-09-03T12:00Z', ['09-06T04:30', '09-13T03:30']],
    ['America/Havana', '0 0 * * *', '2026-03-07T12:00Z', ['03-08T05:00', '03-09T04:00']],
    ['America/Asuncion', '0 0 * * *', '2023-09-30T12:00Z', ['10-01T04:00', '10-02T03:00']],
    ['Europe/Berlin', '30 2 * * *', '2026-03-28T12:00Z', ['03-29T01:30', '03-30T00:30']],
    // Asked after the gap began, and before the start.
    ['Europe/Berlin', '30 2 * * *', '2026-03-29T01:10Z', ['03-29T01:30', '03-30T00:30']],
    ['Europe/Berlin', '*/30 2 * * *', '2026-03-28T12:00Z', ['03-29T01:00', '03-29T01:30', '03-30T00:00']],
    ['Europe/Berlin', '30 2,3 * * *', '2026-03-28T12:00Z', ['03-29T01:30', '03-30T00:30', '03-30T01:30']],
  ])('%s, %s: a time that does not exist is not left out', (timeZone, cron, after, expected) => {
    expect(starts(timeZone, cron, after, expected.length)).toEqual(expected);
  });

  test.each([
    ['Europe/Berlin', '30 2 * * *', '2026-10-24T12:00Z', ['10-25T00:30', '10-26T01:30']],
    ['Africa/Cairo', '30 23 * * *', '2026-10-29T12:00Z', ['10-29T20:30', '10-30T21:30']],
    ['America/Havana', '30 0 * * *', '2026-10-31T12:00Z', ['11-01T04:30', '11-02T05:30']],
    ['Australia/Lord_Howe', '45 1 * * *', '2026-04-04T12:00Z', ['04-04T14:45', '04-05T15:15']],
    // Asked between both.
    ['Europe/Berlin', '30 2 * * *', '2026-10-25T01:10Z', ['10-26T01:30']],
    // Each hour is another one.
    ['Europe/Berlin', '30 * * * *', '2026-10-25T00:00Z', ['10-25T00:30', '10-25T01:30', '10-25T02:30']],
  ])('%s, %s: a time that exists twice starts once', (timeZone, cron, after, expected) => {
    expect(starts(timeZone, cron, after, expected.length)).toEqual(expected);
  });
});
