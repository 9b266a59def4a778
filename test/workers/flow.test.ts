import { FlowProducer } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FollowUp, jobIdOf } from '../../src/jobs/job.ts';
import { addFollowUps, enqueueFollowUps, openJobsOf } from '../../src/workers/flow.ts';
import { until } from '../until.ts';
import { type Bench, openWorkerRoom, testFollowUp, testJob, type WorkerRoom } from './worker-room.ts';

let room: WorkerRoom;
beforeAll(async () => {
  room = await openWorkerRoom();
});
afterAll(() => room.close());

const NEXT = [
  testFollowUp(
    'join',
    'j',
    ['p1', 'p2', 'p3'].map((id) => testFollowUp('part', id)),
  ),
];

/** Parts that wait at a gate, and a parent that records which of them had an outcome. */
function flowOn(bench: Bench, fails: (id: string) => boolean = () => false) {
  const ran: string[] = [];
  const gates = new Map(['p1', 'p2', 'p3'].map((id) => [id, Promise.withResolvers<void>()]));
  const part = testJob(
    'part',
    async ({ id }) => {
      await gates.get(id)?.promise;
      ran.push(id);
      if (fails(id)) throw new Error(`${id} on purpose`);
      return undefined;
    },
    { attempts: 2 },
  );
  const join = testJob('join', async ({ id }) => {
    ran.push(id);
    const parts = await Promise.all(['p1', 'p2', 'p3'].map((one) => bench.outcomes.read('part', one)));
    return { result: parts.map((one) => one?.result ?? null) };
  });
  const open = (...ids: string[]) => {
    for (const id of ids) gates.get(id)?.resolve();
  };
  const options = {
    producer: new FlowProducer({ connection: room.redis, prefix: bench.prefix }),
    queues: new Map([part, join].map(({ name }) => [name, bench.queue(name)])),
    jobs: new Map([part, join].map((job) => [job.name, job])),
    outcomes: bench.outcomes,
    openJobs: bench.openJobs,
    prefix: bench.prefix,
  };
  const joined = () => bench.outcomes.read('join', 'j');
  const enqueue = (next: readonly FollowUp[]) => enqueueFollowUps(options, next);
  return {
    ran,
    open,
    jobs: [part, join],
    joined,
    enqueue,
    add: () => addFollowUps(options, openJobsOf(options.jobs, NEXT)),
    replay: () => enqueue(NEXT),
  };
}

describe('a flow', () => {
  it('runs the children first, then the parent', async () => {
    const bench = room.bench('order');
    const flow = flowOn(bench);
    await flow.replay();
    await bench.start(flow.jobs);
    flow.open('p1', 'p2', 'p3');
    await until('it is joined', async () => (await flow.joined()) !== undefined);
    expect((await flow.joined())?.result).toEqual(['p1', 'p2', 'p3']);
    expect(flow.ran.at(-1)).toBe('j');
  });

  it('continues without a child that failed permanently', async () => {
    const bench = room.bench('failing');
    const flow = flowOn(bench, (id) => id === 'p2');
    await flow.replay();
    await bench.start(flow.jobs);
    flow.open('p1', 'p2', 'p3');
    await until('it is joined', async () => (await flow.joined()) !== undefined);
    expect((await flow.joined())?.result).toEqual(['p1', null, 'p3']);
    expect(flow.ran.filter((id) => id === 'p2')).toHaveLength(2);
    expect(await bench.queue('part').getFailedCount()).toBe(1);
    expect(await bench.queue('join').getFailedCount()).toBe(0);
  });

  it('runs once when its follow-ups are added and then enqueued by a replay', async () => {
    const bench = room.bench('added');
    const flow = flowOn(bench);
    await flow.add();
    await Promise.all([flow.replay(), flow.add()]);
    await bench.start(flow.jobs);
    flow.open('p1', 'p2', 'p3');
    await until('it is joined', async () => (await flow.joined()) !== undefined);
    expect((await flow.joined())?.result).toEqual(['p1', 'p2', 'p3']);
    expect(flow.ran.toSorted()).toEqual(['j', 'p1', 'p2', 'p3']);
  });

  it('may be enqueued repeatedly and concurrently, and runs once', async () => {
    const bench = room.bench('replayed');
    const flow = flowOn(bench);
    const replay = () => Promise.all([flow.replay(), flow.replay()]);
    await replay();
    const { waiting } = await bench.queue('part').getJobCounts('waiting');
    expect(waiting).toBe(3);
    await bench.start(flow.jobs);
    await until('the parts run', async () => (await bench.queue('part').getActiveCount()) === 3);
    await replay();
    flow.open('p1');
    await until('one part is done', async () => (await bench.outcomes.read('part', 'p1')) !== undefined);
    await replay();
    flow.open('p2', 'p3');
    await until('it is joined', async () => (await flow.joined()) !== undefined);
    await replay();
    await until('the queue is done', async () => (await bench.queue('join').getCompletedCount()) === 1);
    await replay();
    for (const name of ['part', 'join']) await bench.queue(name).clean(0, 100, 'completed');
    await replay();
    expect(await bench.queue('part').getJobCountByTypes('wait', 'active', 'completed')).toBe(0);
    expect(flow.ran.toSorted()).toEqual(['j', 'p1', 'p2', 'p3']);
  });

  it.each([
    ['a follow-up', (invalid: FollowUp) => [testFollowUp('part', 'p1'), invalid]],
    ['a child', (invalid: FollowUp) => [testFollowUp('join', 'j', [invalid])]],
  ])('is not stored when the payload of %s does not fit its job', async (what, next) => {
    const bench = room.bench(`invalid ${what}`);
    const invalid = testFollowUp('part', 7 as never);
    const first = testJob('first', async () => ({ next: next(invalid) }));
    const jobs = ['part', 'join'].map((name) => testJob(name, async () => undefined));
    await bench.enqueue(first, 'f');
    await bench.start([first, ...jobs]);
    await until('it failed', () => bench.events.some(({ kind }) => kind === 'failed'));
    expect(bench.events.at(-1)).toMatchObject({ job: 'first', reason: expect.stringMatching(/payload\.id/) });
    expect(await bench.outcomes.read('first', 'f')).toBeUndefined();
    for (const { name } of jobs) expect(await bench.queue(name).count()).toBe(0);
  });

  it('that is added to BullMQ twice without checks still ends, and runs no child twice', async () => {
    const bench = room.bench('unchecked');
    const flow = flowOn(bench);
    flow.open('p1', 'p2', 'p3');
    const producer = new FlowProducer({ connection: room.redis, prefix: bench.prefix });
    const add = () =>
      producer.add({
        name: 'join',
        queueName: 'join',
        prefix: bench.prefix,
        data: { version: 1, key: 'j', payload: { id: 'j' } },
        opts: { jobId: jobIdOf('join', 'j') },
        children: ['p1', 'p2', 'p3'].map((id) => ({
          name: 'part',
          queueName: 'part',
          prefix: bench.prefix,
          data: { version: 1, key: id, payload: { id } },
          opts: { jobId: jobIdOf('part', id), ignoreDependencyOnFailure: true },
        })),
      });
    await add();
    const runtime = await bench.start([flow.jobs[0] ?? fail()]);
    await until('the parts are done', async () => (await bench.queue('part').getCompletedCount()) === 3);
    await runtime.close(5_000);
    // The parent waits to run; its children are done, and some are trimmed already.
    await bench.queue('part').clean(0, 2, 'completed');
    await add();
    await bench.start(flow.jobs);
    await until('it is joined', async () => (await flow.joined()) !== undefined);
    await until('the parent is done', async () => (await bench.queue('join').getCompletedCount()) === 1);
    expect(flow.ran.toSorted()).toEqual(['j', 'p1', 'p2', 'p3']);
  });
});

function fail(): never {
  throw new Error('no such job');
}

it('fails only when all follow-ups have ended, so that none is queued after its job', async () => {
  const held = Promise.withResolvers<void>();
  const ended: string[] = [];
  const add = async ({ data }: { readonly data: { readonly key: string } }) => {
    if (data.key === 'p1') throw new Error('refused on purpose');
    await held.promise;
    ended.push(data.key);
  };
  const options = {
    producer: { add },
    queues: new Map(),
    jobs: new Map([['part', testJob('part', async () => undefined)]]),
    outcomes: { has: async () => false },
    openJobs: { find: async () => undefined },
    prefix: 'flow',
  } as unknown as Parameters<typeof enqueueFollowUps>[0];
  const enqueuing = enqueueFollowUps(options, [testFollowUp('part', 'p1'), testFollowUp('part', 'p2')]);
  const failed = enqueuing.catch(({ message }: Error) => ended.push(message));
  await new Promise(setImmediate);
  held.resolve();
  await failed;
  expect(ended).toEqual(['p2', 'refused on purpose']);
});
