import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AnyJob, Job } from '../../src/jobs/job.ts';
import { jobIdOf } from '../../src/jobs/job-id.ts';
import { createKeys } from '../../src/store/keys.ts';
import { until } from '../store/store-room.ts';
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

const first = (result: string = 'small') =>
  testJob('first', async ({ id }) => ({ result, next: [testFollowUp('second', id)] }));

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

describe('a job that follows directly', () => {
  it('runs without its queue after a job with a small outcome', async () => {
    const bench = room.bench('direct');
    expect(await runBoth(bench, [first(), second()])).toBe(false);
    expect(bench.events.map(({ kind, job }) => `${kind} ${job}`)).toEqual([
      'started first',
      'started second',
      'finished second',
      'finished first',
    ]);
  });

  it('runs in its queue after a job with a large outcome', async () => {
    const large = randomBytes(200_000).toString('base64');
    expect(await runBoth(room.bench('large'), [first(large), second()])).toBe(true);
  });

  it('is queued with all its attempts when it fails', async () => {
    const bench = room.bench('fails');
    let runs = 0;
    const failing = second(async ({ id }, _ports, { lastAttempt }) => {
      runs += 1;
      if (!lastAttempt) throw Object.assign(new Error('not now'), { retryable: true });
      return { result: id, next: [] };
    });
    expect(await runBoth(bench, [first(), failing])).toBe(true);
    expect(runs).toBe(1 + failing.limits.attempts);
    expect(bench.log.filter((line) => line.includes('job continues from its queue'))).toHaveLength(1);
  });

  it('is not taken for lost while it runs', async () => {
    const bench = room.bench('reconciled');
    const begun = Promise.withResolvers<boolean>();
    const looked = Promise.withResolvers<void>();
    const list = bench.openJobs.list.bind(bench.openJobs);
    vi.spyOn(bench.openJobs, 'list').mockImplementation(async function* () {
      yield* list();
      looked.resolve();
    });
    const direct = second(async ({ id }) => {
      begun.resolve(true);
      await looked.promise;
      return { result: id, next: [] };
    });
    const job = first();
    await bench.enqueue(job, 'one');
    await bench.start([job, direct], { reconciler: { everyMs: 1_000, claim: () => begun.promise } });
    await until(
      'both jobs are done',
      () => bench.events.filter(({ kind }) => kind === 'finished').length > 1,
    );
    const passes = () => vi.mocked(bench.openJobs.list).mock.calls.length;
    await until('another pass began', () => passes() > 1);
    expect(bench.log.join('')).not.toContain('a lost job is queued again');
    expect(await bench.queue('second').getJob(jobIdOf('second', 'one'))).toBeUndefined();
  });

  it('is closed in one step with the job before it', async () => {
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
    const job: AnyJob = {
      ...first(),
      onEnd: async () => {
        if (ran === 1) await room.redis.del(createKeys('lost').outcome('second', 'one'));
      },
    };
    await bench.enqueue(job, 'one');
    await bench.start([job, direct, testJob('last', async () => undefined)]);
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
