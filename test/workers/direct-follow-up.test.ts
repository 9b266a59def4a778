import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type AnyJob, type Job, jobIdOf } from '../../src/jobs/job.ts';
import type { Ports } from '../../src/jobs/ports.ts';
import type { Outcomes, TargetChange } from '../../src/model/queue/outcome.ts';
import { createKeys } from '../../src/store/keys.ts';
import { until } from '../until.ts';
import {
  type Bench,
  openWorkerRoom,
  type Payload,
  testFollowUp,
  testJob,
  type WorkerRoom,
} from './worker-room.ts';

let room: WorkerRoom;
beforeAll(async () => {
  room = await openWorkerRoom();
});
afterAll(() => room.close());

const first = (changes: Partial<Job<Payload>> = {}): Job<Payload> => ({
  ...testJob('first', async ({ id }) => ({ next: [testFollowUp('second', id)] })),
  joinsFollowUp: () => true,
  ...changes,
});

function second(run: Job<Payload>['run'] = async ({ id }) => ({ result: id, next: [] })): Job<Payload> {
  return { ...testJob('second', async () => undefined), run, followsDirectly: true };
}

/** Runs both jobs to their end; resolves to whether the second one was queued. */
async function runBoth(bench: Bench, jobs: readonly AnyJob[]): Promise<boolean> {
  const [job] = jobs;
  if (job === undefined) throw new Error('no job');
  await bench.enqueue(job, 'one');
  await bench.start(jobs);
  const done = () => bench.events.filter(({ kind }) => kind === 'finished').length === 2;
  await until('both jobs are done', done);
  for await (const open of bench.openJobs.list()) throw new Error(`${open.job} is open`);
  expect(await bench.outcomes.has('second', 'one')).toBe(true);
  return (await bench.queue('second').getJob(jobIdOf('second', 'one'))) !== undefined;
}

function openFirst(job: Job<Payload>) {
  const data = { version: 1, key: 'one', payload: { id: 'one' } };
  return { id: jobIdOf(job.name, 'one'), job: job.name, data, lane: 'lane' };
}

function stateOf(revision: number): TargetChange {
  const state = { revision, scan: 's', requestedAt: '2026-01-31T06:00:00Z', findings: [] };
  return { target: 'target-that-moves', replaces: revision - 1, state };
}

/** The jobs whose outcomes were saved, in turn; `first + second` for one step. */
function savesOf(bench: Bench): () => readonly string[] {
  const save = vi.spyOn(bench.outcomes, 'save');
  return () =>
    save.mock.calls.map(([job, , , { after } = {}]) => (after === undefined ? job : `${after.job} + ${job}`));
}

describe('a job that follows directly', () => {
  it('runs without its queue, and both outcomes are saved in one step', async () => {
    const bench = room.bench('direct');
    const saves = savesOf(bench);
    const close = vi.spyOn(bench.openJobs, 'close');
    expect(await runBoth(bench, [first(), second()])).toBe(false);
    expect(bench.events.map(({ kind, job }) => `${kind} ${job}`)).toEqual([
      'started first',
      'started second',
      'finished second',
      'finished first',
    ]);
    expect(saves()).toEqual(['first + second']);
    expect(close).not.toHaveBeenCalled();
    expect(await bench.outcomes.read('first', 'one')).toMatchObject({ result: 'one' });
  });

  it('does not count for the duration of the job before it', async () => {
    const bench = room.bench('duration');
    const slow = second(async ({ id }) => {
      await setTimeout(300);
      return { result: id, next: [] };
    });
    await runBoth(bench, [first(), slow]);
    const durations = bench.events.flatMap((event) =>
      event.kind === 'finished' ? [[event.job, event.durationMs >= 290]] : [],
    );
    expect(durations).toEqual([
      ['second', true],
      ['first', false],
    ]);
  });

  it('reads the result of the job before it', async () => {
    const bench = room.bench('reads');
    const reading = second(async ({ id }, ports) => {
      const read = await (ports as Ports).outcomes.read({} as never, 'first', id);
      return { result: `after ${read}`, next: [] };
    });
    await runBoth(bench, [first(), reading]);
    expect(await bench.outcomes.read('second', 'one')).toMatchObject({ result: 'after one' });
  });

  it.each([
    ['after a result with which it does not join', { joinsFollowUp: () => false }],
    ['after a job that joins no follow-up', { joinsFollowUp: undefined }],
    ['after a job with a lane', { lane: () => 'lane' }],
  ] as const)('runs in its queue %s', async (name, { ...changes }) => {
    const job = { ...first(), ...changes } as Job<Payload>;
    if (job.joinsFollowUp === undefined) delete (job as { joinsFollowUp?: unknown }).joinsFollowUp;
    const bench = room.bench(name.replaceAll(' ', '-'));
    if (job.lane !== undefined) await bench.openJobs.open(openFirst(job));
    expect(await runBoth(bench, [job, second()])).toBe(true);
  });

  it('runs in its queue after a second attempt', async () => {
    let runs = 0;
    const job = first({
      run: async ({ id }) => {
        runs += 1;
        if (runs === 1) throw Object.assign(new Error('not now'), { retryable: true });
        return { result: id, next: [testFollowUp('second', id)] };
      },
    });
    expect(await runBoth(room.bench('second-attempt'), [job, second()])).toBe(true);
  });

  it('is queued with all its attempts when it fails', async () => {
    const bench = room.bench('fails');
    const saves = savesOf(bench);
    let runs = 0;
    const failing = second(async ({ id }, _ports, { lastAttempt }) => {
      runs += 1;
      if (!lastAttempt) throw Object.assign(new Error('not now'), { retryable: true });
      return { result: id, next: [] };
    });
    expect(await runBoth(bench, [first(), failing])).toBe(true);
    expect(runs).toBe(1 + failing.limits.attempts);
    expect(saves()).toEqual(['first', 'second']);
    expect(bench.log.filter((line) => line.includes('job continues from its queue'))).toHaveLength(1);
  });

  it('is queued when the state of its target changed while it ran', async () => {
    const bench = room.bench('state-moved');
    const saves = savesOf(bench);
    const save = (revision: number, other: Outcomes['save'] = bench.outcomes.save) =>
      other('another', String(revision), { result: 1, next: [], state: stateOf(revision) });
    const moving = second(async ({ id }) => {
      if (saves().length === 0) await save(1);
      return { result: id, next: [], state: stateOf(saves().includes('first') ? 2 : 1) };
    });
    expect(await runBoth(bench, [first(), moving])).toBe(true);
    expect(saves()).toEqual(['another', 'first + second', 'first', 'second']);
  });

  it('does not replace the outcome that another worker saved of the job before it', async () => {
    const bench = room.bench('saved-meanwhile');
    const direct = second(async ({ id }) => {
      const next = [testFollowUp('second', id)];
      await bench.outcomes.save('first', id, { result: 'of another worker', next });
      return { result: id, next: [] };
    });
    expect(await runBoth(bench, [first(), direct])).toBe(true);
    expect(await bench.outcomes.read('first', 'one')).toMatchObject({ result: 'of another worker' });
  });

  it('runs again with the job before it when the worker ends meanwhile', async () => {
    const bench = room.bench('shutdown');
    const begun = Promise.withResolvers<void>();
    const waiting = second(async (_payload, _ports, { signal }) => {
      begun.resolve();
      return await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const job = first();
    await bench.enqueue(job, 'one');
    const runtime = await bench.start([job, waiting]);
    await begun.promise;
    await runtime.close(0);
    expect(await bench.outcomes.has('first', 'one')).toBe(false);
    bench.events.length = 0;
    await bench.start([job, second()]);
    const done = () => bench.events.filter(({ kind }) => kind === 'finished').length === 2;
    await until('both jobs are done', done);
    for await (const open of bench.openJobs.list()) throw new Error(`${open.job} is open`);
  });

  it('is closed in one step with the job before it when jobs follow from it', async () => {
    const bench = room.bench('one-step');
    const close = vi.spyOn(bench.openJobs, 'close');
    const job = first();
    const direct = second(async ({ id }) => ({ result: id, next: [testFollowUp('last', id)] }));
    await bench.enqueue(job, 'one');
    await bench.start([job, direct, testJob('last', async () => undefined)]);
    const done = () => bench.events.filter(({ kind }) => kind === 'finished').length === 3;
    await until('all jobs are done', done);
    const closed = close.mock.calls.map(([one, others = []]) => [one, ...others].map(({ id }) => id));
    expect(closed).toEqual([['first', 'second'].map((name) => jobIdOf(name, 'one'))]);
  });

  it('runs again when Redis lost its outcome before both were closed', async () => {
    const bench = room.bench('lost');
    let ran = 0;
    const direct = second(async () => ({ result: ++ran, next: [testFollowUp('last', `run-${ran}`)] }));
    const job = first();
    const outcomes: Outcomes = {
      ...bench.outcomes,
      async save(...given) {
        const answer = await bench.outcomes.save(...given);
        if (given[0] === 'second' && ran === 1)
          await room.redis.del(createKeys('lost').outcome('second', 'one'));
        return answer;
      },
    };
    await bench.enqueue(job, 'one');
    await bench.start([job, direct, testJob('last', async () => undefined)], { outcomes });
    await until('the second run was followed', () => bench.outcomes.has('last', 'run-2'));
    expect((await bench.outcomes.read('second', 'one'))?.result).toBe(2);
  });

  it('is queued by the worker that claims the job before it again', async () => {
    const bench = room.bench('again');
    const job = first();
    const run = await job.run({ id: 'one' }, {} as never, {} as never);
    await bench.outcomes.save('first', 'one', run);
    expect(await runBoth(bench, [job, second()])).toBe(true);
  });

  it('has its follow-ups queued when its worker died before it queued them', async () => {
    const bench = room.bench('died');
    const [job, direct, last] = [first(), second(), testJob('last', async () => undefined)];
    const data = { version: 1, key: 'one', payload: { id: 'one' } };
    const follows = (name: string) => ({ follows: [{ id: jobIdOf(name, 'one'), job: name, data }] });
    const next = (name: string) => ({ result: name, next: [testFollowUp(name, 'one')] });
    await bench.outcomes.save('first', 'one', next('second'), follows('second'));
    await bench.outcomes.save('second', 'one', next('last'), follows('last'));
    await bench.enqueue(job, 'one');
    await bench.start([job, direct, last]);
    const done = () => bench.events.filter(({ kind }) => kind === 'finished').length === 3;
    await until('all jobs are done', done);
    const started = bench.events.filter(({ kind }) => kind === 'started').map((event) => event.job);
    expect(started).toEqual(['first', 'second', 'last']);
    for await (const left of bench.openJobs.list()) throw new Error(`${left.job} is open`);
  });
});
