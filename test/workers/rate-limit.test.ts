import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IncompleteError } from '../../src/scan/attempt.ts';
import { until } from '../until.ts';
import { openWorkerRoom, testJob, type WorkerRoom } from './worker-room.ts';

let room: WorkerRoom;
beforeAll(async () => {
  room = await openWorkerRoom();
});
afterAll(() => room.close());

/** The workers' limiter never counts so many jobs: only a pause reaches it. */
const MAX_JOBS = 1_000_000_000;
/** Longer than the test, which ends the pause itself. */
const PAUSE_MS = 60_000;

describe('a service that limits the rate', () => {
  it('pauses the queue for all workers for the requested time, and no attempt is counted', async () => {
    const bench = room.bench('two-workers');
    const queue = bench.queue('ask');
    const pauseLeft = () => queue.getRateLimitTtl(MAX_JOBS);
    const runs: { readonly worker: string; readonly id: string; readonly paused: boolean }[] = [];
    const jobOf = (worker: string) =>
      testJob(
        'ask',
        async ({ id }) => {
          runs.push({ worker, id, paused: (await pauseLeft()) > 0 });
          if (id === 'limited' && runs.length === 1) {
            throw new IncompleteError('insights-partial', 'HTTP 429', { retryAfterMs: PAUSE_MS });
          }
          // Each job waits until both workers have run one.
          await until('both run', () => new Set(runs.slice(1).map((run) => run.worker)).size === 2);
          return undefined;
        },
        { attempts: 1, concurrency: 1 },
      );
    await bench.enqueue(jobOf('any'), 'limited');
    await bench.start([jobOf('first')]);
    await bench.start([jobOf('second')]);
    await until('the queue is paused', async () => (await pauseLeft()) > 0);
    expect(await pauseLeft()).toBeGreaterThan(PAUSE_MS / 2);
    for (let index = 0; index < 12; index += 1) await bench.enqueue(jobOf('any'), `job-${index}`);
    expect(runs).toHaveLength(1);
    await queue.removeRateLimitKey();
    await until('all are done', async () => (await queue.getCompletedCount()) === 13);
    expect(runs.filter(({ paused }) => paused)).toEqual([]);
    expect(runs.filter(({ id }) => id === 'limited')).toHaveLength(2);
    expect(await queue.getFailedCount()).toBe(0);
  });

  it('pauses the queue for the longest time that it requested', async () => {
    const bench = room.bench('longest-wins');
    const queue = bench.queue('ask');
    const pauseLeft = () => queue.getRateLimitTtl(MAX_JOBS);
    const waits = new Map([
      ['long', PAUSE_MS],
      ['short', 150],
    ]);
    const job = testJob(
      'ask',
      async ({ id }) => {
        const wait = waits.get(id);
        if (wait === undefined) return undefined;
        waits.delete(id);
        await until('both run', () => waits.size === 0);
        if (id === 'short') await until('the long pause began', async () => (await pauseLeft()) > 0);
        throw new IncompleteError('lookups-incomplete', 'HTTP 429', { retryAfterMs: wait });
      },
      { attempts: 1, concurrency: 1 },
    );
    await bench.enqueue(job, 'long');
    await bench.enqueue(job, 'short');
    await bench.start([job]);
    await bench.start([job]);
    const limited = () => bench.events.filter(({ kind }) => kind === 'retrying').length;
    await until('both are limited', async () => limited() === 2 && (await queue.getWaitingCount()) === 2);
    expect(await pauseLeft()).toBeGreaterThan(PAUSE_MS / 2);
    await queue.removeRateLimitKey();
    await until('both are done', async () => (await queue.getCompletedCount()) === 2);
  });
});
