import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createMemory } from '../../src/in-process/memory.ts';
import { createRunner, type RunnerOptions } from '../../src/in-process/runner.ts';
import type { FollowUp } from '../../src/jobs/follow-up.ts';
import type { AnyJob } from '../../src/jobs/job.ts';
import type { TargetState } from '../../src/model/scan/change.ts';
import { IncompleteError } from '../../src/scan/attempt.ts';
import type { WorkerEvent } from '../../src/workers/events.ts';
import { testFollowUp, testJob } from '../workers/worker-room.ts';

function runnerOf(jobs: readonly AnyJob[], changes: Partial<RunnerOptions> = {}) {
  const memory = createMemory();
  const events: WorkerEvent[] = [];
  const run = createRunner({
    jobs,
    ports: {} as RunnerOptions['ports'],
    outcomes: memory.outcomes,
    log: pino({ level: 'silent' }),
    signal: new AbortController().signal,
    onEvent: (event) => events.push(event),
    ...changes,
  });
  const kinds = (name: string) => events.flatMap(({ job, kind }) => (job === name ? kind : []));
  return { memory, events, kinds, run };
}

describe('a content', () => {
  it('is kept until it was released once for each time it was stored', async () => {
    const { blobs } = createMemory();
    const { sha256, bytes } = await blobs.put(Buffer.from('text'));
    await blobs.put(Buffer.from('text'));
    blobs.release(sha256);
    expect(await blobs.read({ path: 'x', sha256, bytes })).toEqual(Buffer.from('text'));
    blobs.release(sha256);
    await expect(blobs.read({ path: 'x', sha256, bytes })).rejects.toMatchObject({ code: 'blob-missing' });
  });
});

const never = () => new Promise<undefined>(() => {});

describe('a job without a queue', () => {
  it('runs after its children and before its follow-ups, and waits for them', async () => {
    const order: string[] = [];
    const noted = (name: string, next: readonly FollowUp[] = []) =>
      testJob(name, async ({ id }) => {
        await sleep(5);
        order.push(`${name} ${id}`);
        return { next };
      });
    const jobs = [noted('child'), noted('parent', [testFollowUp('after', 'a')]), noted('after')];
    const children = [testFollowUp('child', '1'), testFollowUp('child', '2')];
    await runnerOf(jobs).run(testFollowUp('parent', 'p', children));
    expect(order).toEqual(['child 1', 'child 2', 'parent p', 'after a']);
  });

  it('continues without a child that fails permanently', async () => {
    const jobs = [
      testJob('child', async () => Promise.reject(new Error('always')), { attempts: 2 }),
      testJob('parent', async () => undefined),
    ];
    const { kinds, run } = runnerOf(jobs);
    await run(testFollowUp('parent', 'p', [testFollowUp('child', 'c')]));
    expect(kinds('child')).toEqual(['started', 'retrying', 'started', 'failed']);
    expect(kinds('parent')).toEqual(['started', 'finished']);
  });

  it('runs once for each key: outcome and follow-ups are those of the first run', async () => {
    let runs = 0;
    const jobs = [
      testJob('once', async () => ({ result: ++runs, next: [testFollowUp('after', String(runs))] })),
      testJob('after', async () => undefined),
    ];
    const { memory, events, run } = runnerOf(jobs);
    await run(testFollowUp('once', 'x'));
    await run(testFollowUp('once', 'x'));
    expect(runs).toBe(1);
    expect((await memory.outcomes.read('once', 'x'))?.result).toBe(1);
    expect(new Set(events.filter(({ job }) => job === 'after').map(({ key }) => key))).toEqual(
      new Set(['1']),
    );
  });

  it('runs again on the new state when its target changed meanwhile', async () => {
    const state = (revision: number) => ({ revision }) as TargetState;
    const seen: number[] = [];
    const { memory, run } = runnerOf([
      testJob('judge', async ({ id }) => {
        const revision = (await memory.targets.read('shop'))?.revision ?? 0;
        seen.push(revision);
        await sleep(id === 'slow' ? 30 : 5);
        return { state: { target: 'shop', replaces: revision, state: state(revision + 1) } };
      }),
    ]);
    await Promise.all([run(testFollowUp('judge', 'slow')), run(testFollowUp('judge', 'fast'))]);
    expect(seen).toEqual([0, 0, 1]);
    expect(await memory.targets.read('shop')).toEqual(state(2));
  });

  it('runs concurrently up to its limit', async () => {
    let [running, most] = [0, 0];
    const job = testJob(
      'limited',
      async () => {
        most = Math.max(most, ++running);
        await sleep(2);
        running -= 1;
        return undefined;
      },
      { concurrency: 3 },
    );
    const children = Array.from({ length: 20 }, (_, index) => testFollowUp('limited', `${index}`));
    await runnerOf([job, testJob('all', async () => undefined)]).run(testFollowUp('all', 'a', children));
    expect(most).toBe(3);
  });
});

describe('the attempts of a job without a queue', () => {
  it('know which one is the last', async () => {
    const last: boolean[] = [];
    const job = testJob('tried', async (_payload, { lastAttempt }) => {
      last.push(lastAttempt);
      throw new Error('again');
    });
    await runnerOf([job]).run(testFollowUp('tried', 'x'));
    expect(last).toEqual([false, false, true]);
  });

  it('wait while the service asks for a pause, which counts no attempt', async () => {
    const asked = new IncompleteError('lookups-incomplete', 'slow down', { retryAfterMs: 60 });
    const began = performance.now();
    const times: number[] = [];
    let refused = 0;
    const job = testJob(
      'paused',
      async () => {
        times.push(performance.now() - began);
        if (refused++ < 3) throw asked;
        return undefined;
      },
      { attempts: 1, concurrency: 1 },
    );
    const children = ['1', '2'].map((id) => testFollowUp('paused', id));
    const { kinds, run } = runnerOf([job, testJob('all', async () => undefined)]);
    await run(testFollowUp('all', 'a', children));
    expect(kinds('paused').filter((kind) => kind === 'finished')).toHaveLength(2);
    const [first = 0, second = 0] = times;
    expect(second - first).toBeGreaterThanOrEqual(59);
  });

  it('end at their time limit, also when the job ignores the signal', async () => {
    const job = testJob('hangs', never, { attempts: 2, timeoutMs: 20 });
    const { events, run } = runnerOf([job]);
    await run(testFollowUp('hangs', 'x'));
    expect(events.at(-1)).toMatchObject({ kind: 'failed', reason: expect.stringContaining('within 20 ms') });
  });

  it.each([
    ['that runs', {}],
    ['that waits for its next attempt', { backoffMs: 60_000, maxBackoffMs: 60_000 }],
  ])('%s end immediately with the reason of the signal', async (what, limits) => {
    const end = new AbortController();
    const reason = new Error('interrupted');
    const job = testJob(
      'long',
      () => (what === 'that runs' ? never() : Promise.reject(new Error('again'))),
      limits,
    );
    const { run } = runnerOf([job], {
      signal: end.signal,
      onEvent: ({ kind }) => {
        if (kind === (what === 'that runs' ? 'started' : 'retrying')) setTimeout(() => end.abort(reason), 5);
      },
    });
    await expect(run(testFollowUp('long', 'x'))).rejects.toBe(reason);
  });
});

describe('jobs of one lane without a queue', () => {
  it('run one after another in the order of the outcomes that they follow from, also after a failure', async () => {
    const order: string[] = [];
    const send: AnyJob = {
      ...testJob(
        'send',
        async ({ id }) => {
          await sleep(id === 'one-1' ? 20 : 1);
          order.push(id);
          if (id === 'one-2') throw new Error('refused');
          return undefined;
        },
        { attempts: 1 },
      ),
      lane: ({ id }: { readonly id: string }) => id.split('-')[0] ?? '',
    };
    const plan = testJob('plan', async () => ({
      next: ['one-1', 'one-2', 'two-1', 'one-3'].map((id) => testFollowUp('send', id)),
    }));
    await runnerOf([send, plan]).run(testFollowUp('plan', 'p'));
    expect(order).toEqual(['two-1', 'one-1', 'one-2', 'one-3']);
  });
});
