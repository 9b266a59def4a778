import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JobError } from '../../src/jobs/errors.ts';
import { until } from '../store/store-room.ts';
import { openWorkerRoom, testJob, type WorkerRoom } from './worker-room.ts';

let room: WorkerRoom;
beforeAll(async () => {
  room = await openWorkerRoom();
});
afterAll(() => room.close());

const GRACE_MS = 8_000;

describe('closing', () => {
  it.each([
    ['as the queue is being paused by a rate limit', 0],
    ['while the queue is paused', 300],
  ])(
    '%s does not wait for the pause to end',
    async (_when, pausedForMs) => {
      const bench = room.bench(`paused-${pausedForMs}`);
      const gate = Promise.withResolvers<void>();
      const limited = testJob('limited', async () => {
        await gate.promise;
        throw new JobError('lookups-incomplete', 'slow down', { retryable: true, retryAfterMs: 25_000 });
      });
      await bench.enqueue(limited, 'a');
      const runtime = await bench.start([limited]);
      await until('it runs', () => bench.events.some(({ kind }) => kind === 'started'));
      const started = performance.now();
      if (pausedForMs > 0) gate.resolve();
      await new Promise((resolve) => setTimeout(resolve, pausedForMs));
      const closed = runtime.close(GRACE_MS);
      gate.resolve();
      await closed;
      expect(performance.now() - started).toBeLessThan(GRACE_MS / 4);
      expect(bench.log.join('')).not.toContain('did not answer in time');
      expect(await bench.queue('limited').getJobCountByTypes('wait')).toBe(1);
    },
    20_000,
  );
});
