import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IncompleteError } from '../../src/scan/attempt.ts';
import { until } from '../until.ts';
import { openWorkerRoom, testJob, type WorkerRoom } from './worker-room.ts';

let room: WorkerRoom;
beforeAll(async () => {
  room = await openWorkerRoom();
});
afterAll(() => room.close());

const GRACE_MS = 8_000;
/** The workers' limiter never counts so many jobs: only a pause reaches it. */
const MAX_JOBS = 1_000_000_000;

describe('closing', () => {
  it.each([
    ['before a rate limit pauses the queue', false],
    ['while the queue is paused', true],
  ])('%s does not wait for the pause to end', async (_when, paused) => {
    const bench = room.bench(`paused-${paused}`);
    const gate = Promise.withResolvers<void>();
    const limited = testJob('limited', async () => {
      await gate.promise;
      throw new IncompleteError('lookups-incomplete', 'slow down', { retryAfterMs: 25_000 });
    });
    await bench.enqueue(limited, 'a');
    const runtime = await bench.start([limited]);
    await until('it runs', () => bench.events.some(({ kind }) => kind === 'started'));
    if (paused) {
      gate.resolve();
      const queue = bench.queue('limited');
      await until('it is paused', async () => (await queue.getRateLimitTtl(MAX_JOBS)) > 0);
    }
    const closed = runtime.close(GRACE_MS);
    gate.resolve();
    await closed;
    // The log line would follow after the grace period, which is shorter than the pause.
    expect(bench.log.join('')).not.toContain('did not answer in time');
    expect(await bench.queue('limited').getJobCountByTypes('wait')).toBe(1);
  });

  it('follows a start that fails: no worker of it goes on', async () => {
    const bench = room.bench('fails');
    const job = testJob('idle', async () => undefined);
    const list = () => Promise.reject(new RangeError('refused'));
    const storedSchedules = { list, find: async () => undefined, isStored: () => false };
    const started = bench.start([job], { schedules: [], storedSchedules });
    await expect(started).rejects.toThrow('refused');
    const queue = bench.queue('idle');
    await until('its connections are closed', async () => (await queue.getWorkersCount()) === 0);
  });
});
