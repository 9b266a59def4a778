import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnyJob } from '../../src/jobs/job.ts';
import { until } from '../until.ts';
import { type Bench, openWorkerRoom, testJob, type WorkerRoom } from './worker-room.ts';

let room: WorkerRoom;
beforeAll(async () => {
  room = await openWorkerRoom();
});
afterAll(() => room.close());

/** A job that stalled so many times. */
async function stalled(bench: Bench, job: AnyJob, times: number): Promise<string> {
  const id = await bench.enqueue(job, 'a');
  await room.redis.hset(bench.queue(job.name).toKey(id), 'stc', times);
  return id;
}

it('an idle worker asks a queue for jobs each 25 seconds', async () => {
  const monitor = await (room.redis as Redis).duplicate().monitor();
  const asked = new Promise<readonly string[]>((resolve) => {
    monitor.on('monitor', (_time: string, args: readonly string[]) => {
      if (/^bzpopmin$/i.test(args[0] ?? '') && args[1]?.startsWith('{idle}') === true) resolve(args);
    });
  });
  await room.bench('{idle}').start([testJob('idle', async () => undefined)]);
  expect((await asked)[2]).toBe('25');
  monitor.disconnect();
});

describe('a job that stalled', () => {
  it.each([
    [2, [false]],
    [3, []],
  ])('%i times runs: %j; the third time it fails permanently and is kept', async (times, runs) => {
    const bench = room.bench(`stalled-${times}`);
    const ran: boolean[] = [];
    const job = testJob('deadly', async (_payload, context) => void ran.push(context.stalled));
    const id = await stalled(bench, job, times);
    await bench.start([job]);
    await until('it ends', () => bench.events.some(({ kind }) => kind === 'finished' || kind === 'failed'));
    expect(ran).toEqual(runs);
    const kept = await bench.queue('deadly').getJob(id);
    if (times < 3) return expect(await kept?.getState()).toBe('completed');
    await until('it is kept', async () => (await kept?.getState()) === 'failed');
    expect(bench.events.at(-1)).toMatchObject({
      reason: 'deadly "a" failed permanently: 3 workers died while they ran it',
    });
    // An operator retries it.
    await kept?.retry('failed', { resetAttemptsMade: true });
    await until('it runs', () => ran.length === 1);
    expect(ran).toEqual([false]);
  });

  it('runs with `runsAfterStalls`, and its context says so', async () => {
    const bench = room.bench('runs-on');
    const ran: boolean[] = [];
    const job: AnyJob = {
      ...testJob('hardy', async (_payload, context) => void ran.push(context.stalled)),
      runsAfterStalls: true,
    };
    await stalled(bench, job, 5_000);
    await bench.start([job]);
    await until('it ends', () => bench.events.some(({ kind }) => kind === 'finished'));
    expect(ran).toEqual([true]);
  });

  it.each([true, false])(
    'is kept as a child whose parent waits: %j; otherwise it is removed',
    async (waits) => {
      const bench = room.bench(`child-${waits}`);
      const part = testJob('part', async () => undefined);
      const join = testJob('join', async () => undefined);
      const whole = await bench.enqueue(join, 'w', waits ? { delay: 3_600_000 } : {});
      await bench.start([join]);
      const isDone = async () => (await bench.queue('join').getJob(whole))?.finishedOn !== undefined;
      if (!waits) await until('its parent is done', isDone);
      const parent = { id: whole, queue: `${bench.prefix}:join` };
      const id = await bench.enqueue(part, 'a', { parent });
      await room.redis.hset(bench.queue('part').toKey(id), 'stc', 3);
      await bench.start([part, join]);
      const state = async () => (await bench.queue('part').getJob(id))?.getState();
      await until('it ends', async () => (await state()) === (waits ? 'failed' : undefined));
    },
  );

  it('does not fail when its outcome is saved: its follow-ups are enqueued', async () => {
    const bench = room.bench('saved');
    const job = testJob('saved', async () => {
      throw new Error('must not run again');
    });
    await bench.outcomes.save('saved', 'a', { result: 'done', next: [] });
    await stalled(bench, job, 9);
    await bench.start([job]);
    await until('it ends', () => bench.events.some(({ kind }) => kind === 'finished'));
  });
});

describe('a job that BullMQ cannot complete', () => {
  it.each([
    ['is completed once its children have ended', true],
    ['does not stay in the list of failed jobs', false],
  ])('%s', async (_, endsInTime) => {
    const bench = room.bench(`children-${endsInTime}`);
    const job = testJob('join', async () => undefined, { attempts: 2 });
    const id = await bench.enqueue(job, 'a');
    const queue = bench.queue('join');
    const children = queue.toKey(`${id}:dependencies`);
    await room.redis.sadd(children, 'child');
    await bench.start([job]);
    await until('it has run', () => bench.events.some(({ kind }) => kind === 'finished'));
    if (endsInTime) await room.redis.del(children);
    await until('it ends', async () => {
      const found = await queue.getJob(id);
      return endsInTime ? (await found?.getState()) === 'completed' : found === undefined;
    });
    expect(await queue.getJobCountByTypes('failed')).toBe(0);
  });
});
