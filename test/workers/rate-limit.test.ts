import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JobError } from '../../src/jobs/errors.ts';
import { until } from '../store/store-room.ts';
import { openWorkerRoom, testJob, type WorkerRoom } from './worker-room.ts';

let room: WorkerRoom;
beforeAll(async () => {
  room = await openWorkerRoom();
});
afterAll(() => room.close());

describe('a service that limits the rate', () => {
  it('pauses the queue for two workers for the time told, and costs no attempt', async () => {
    const bench = room.bench('two-workers');
    const runs: { readonly worker: string; readonly id: string; readonly at: number }[] = [];
    let told: number | undefined;
    const jobOf = (worker: string) =>
      testJob(
        'ask',
        async ({ id }) => {
          runs.push({ worker, id, at: performance.now() });
          if (id === 'unlucky' && told === undefined) {
            told = performance.now();
            throw new JobError('insights-partial', 'HTTP 429', { retryable: true, retryAfterMs: 900 });
          }
          // Long enough for both workers to get their share.
          await new Promise((resolve) => setTimeout(resolve, 20));
          return undefined;
        },
        { attempts: 1, concurrency: 1 },
      );
    await bench.enqueue(jobOf('any'), 'unlucky');
    await bench.start([jobOf('first')]);
    await bench.start([jobOf('second')]);
    await until('somebody is told to wait', () => told !== undefined);
    const ids = Array.from({ length: 12 }, (_, index) => `job-${index}`);
    for (const id of ids) await bench.enqueue(jobOf('any'), id);
    await until('all are done', async () => (await bench.queue('ask').getCompletedCount()) === 13, 20_000);
    const later = runs.filter(({ at }) => at > (told ?? 0));
    expect(later).toHaveLength(13);
    expect(Math.min(...later.map(({ at }) => at)) - (told ?? 0)).toBeGreaterThan(800);
    expect(new Set(later.map(({ worker }) => worker))).toEqual(new Set(['first', 'second']));
    expect(runs.filter(({ id }) => id === 'unlucky')).toHaveLength(2);
    expect(await bench.queue('ask').getFailedCount()).toBe(0);
  });

  it('is not asked sooner because somebody else was told to wait less', async () => {
    const bench = room.bench('longest-wins');
    const told: number[] = [];
    const again: number[] = [];
    const waits = new Map([
      ['long', 1_000],
      ['short', 150],
    ]);
    const job = testJob(
      'ask',
      async ({ id }) => {
        const wait = waits.get(id);
        waits.delete(id);
        if (wait === undefined) return void again.push(performance.now()) as undefined;
        // Both are under way before either is told.
        await new Promise((resolve) => setTimeout(resolve, id === 'long' ? 60 : 120));
        told.push(performance.now());
        throw new JobError('lookups-incomplete', 'HTTP 429', { retryable: true, retryAfterMs: wait });
      },
      { attempts: 1, concurrency: 1 },
    );
    await bench.enqueue(job, 'long');
    await bench.enqueue(job, 'short');
    await bench.start([job]);
    await bench.start([job]);
    await until('both are done', async () => (await bench.queue('ask').getCompletedCount()) === 2, 20_000);
    expect(Math.min(...again) - Math.min(...told)).toBeGreaterThan(900);
  });
});
