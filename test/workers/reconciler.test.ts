import type { FlowProducer } from 'bullmq';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JobError } from '../../src/jobs/errors.ts';
import { type AnyJob, type FollowUp, type Job, jobIdOf } from '../../src/jobs/job.ts';
import type { OpenJobs } from '../../src/model/queue/open-job.ts';
import type { Outcomes } from '../../src/model/queue/outcome.ts';
import { openJobOf } from '../../src/workers/flow.ts';
import { ensureQueued, promoteJob, retryFinished } from '../../src/workers/queued-jobs.ts';
import { createPass } from '../../src/workers/reconciler.ts';
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

/** Jobs `send` in lanes (`a-0`, `a-1`, …), and workers that restore lost ones every 50 ms. */
function sending(bench: Bench, run: (id: string) => Promise<void> = async () => {}) {
  const ran: string[] = [];
  const ended: string[] = [];
  const send: Job<Payload> = {
    ...testJob('send', async ({ id }) => {
      ran.push(id);
      await run(id);
      return undefined;
    }),
    lane: ({ id }) => id.replace(/-.*/, ''),
    onEnd: async ({ id }, { kind }) => void ended.push(`${id} ${kind}`),
  };
  const jobs: readonly AnyJob[] = [send];
  const byName = new Map(jobs.map((job) => [job.name, job]));
  const queue = bench.queue('send');
  return {
    ran,
    ended,
    send,
    queue,
    idOf: (id: string) => jobIdOf('send', id),
    open: (id: string) => bench.openJobs.open(openJobOf(byName, testFollowUp('send', id))),
    done: (id: string) => bench.outcomes.has('send', id),
    start: (orphans?: () => AsyncIterable<FollowUp>) =>
      bench.start(jobs, { reconciler: { everyMs: 50, claim: async () => true, orphans } }),
    nothingIsOpen: () => until('nothing is open', async () => (await openIds(bench)).length === 0),
  };
}

async function openIds(bench: Bench): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id } of bench.openJobs.list()) ids.push(id);
  return ids;
}

describe('an open job that ends while it is checked', () => {
  it('is not queued again', async () => {
    const bench = room.bench('ended');
    const add = () => Promise.reject(new Error('queued again'));
    const closed = { isOpen: async () => false, add };
    expect(await ensureQueued(bench.queue('send'), 'j-ended', closed)).toBe('closed');
  });
});

describe('a lane whose first job Redis lost', () => {
  it('continues: the job is restored from its open job', async () => {
    const bench = room.bench('missing');
    const { open, send, start, ran, nothingIsOpen } = sending(bench);
    await open('a-0');
    await open('a-1');
    await bench.enqueue(send, 'a-1');
    await start();
    await nothingIsOpen();
    expect(ran).toEqual(['a-0', 'a-1']);
    expect(bench.log.join('')).toContain('a lost job is queued again');
  });

  it('continues when that job no longer exists: its place is skipped and logged', async () => {
    const bench = room.bench('unknown');
    const { open, send, start, ran, nothingIsOpen } = sending(bench);
    await room.redis.rpush('{unknown}:lane:a', 'j-unknown');
    await open('a-1');
    await bench.enqueue(send, 'a-1');
    await start();
    await nothingIsOpen();
    expect(ran).toEqual(['a-1']);
    expect(bench.log.join('')).toMatch(/j-unknown.*a place in a lane is skipped/);
  });

  it('continues when Redis lost its places: open jobs get new ones', async () => {
    const bench = room.bench('places');
    const { open, start, ran, nothingIsOpen } = sending(bench);
    await open('a-0');
    await open('a-1');
    await room.redis.del('{places}:lane:a');
    await start();
    await nothingIsOpen();
    expect(ran.toSorted()).toEqual(['a-0', 'a-1']);
  });

  it('continues when that job ran before it had a place', async () => {
    const bench = room.bench('early');
    const { open, send, start, ran, queue, done, idOf } = sending(bench);
    await bench.enqueue(send, 'a-0');
    const runtime = await start();
    // It was not open, so it has no place in its lane.
    await until('it is dropped', () => bench.log.some((line) => line.includes('job dropped')));
    await until('it has left the queue', async () => (await queue.getJobState(idOf('a-0'))) !== 'active');
    await open('a-0');
    await open('a-1');
    await until('both are done', async () => (await done('a-0')) && (await done('a-1')));
    expect(ran).toEqual(['a-0', 'a-1']);
    await runtime.close(0);
  });
});

describe('an open job', () => {
  it('that its queue holds as completed runs again when its outcome was lost', async () => {
    const bench = room.bench('completed');
    const { open, send, start, ran, queue, done, nothingIsOpen, idOf } = sending(bench);
    await open('a-0');
    await bench.enqueue(send, 'a-0');
    const runtime = await start();
    await until('it is done', async () => (await queue.getJobState(idOf('a-0'))) === 'completed');
    await runtime.close(1_000);
    await room.redis.del('{completed}:outcome:send:a-0');
    await open('a-0');
    await start();
    await until('it is done again', () => done('a-0'));
    await nothingIsOpen();
    expect(ran).toEqual(['a-0', 'a-0']);
  });

  it('with an outcome is closed without running again, and the next one runs', async () => {
    const bench = room.bench('outcome');
    const { open, start, ran, done, nothingIsOpen } = sending(bench);
    await open('a-0');
    await open('a-1');
    await bench.outcomes.save('send', 'a-0', { result: 1, next: [] });
    await start();
    await until('the next one is done', () => done('a-1'));
    await nothingIsOpen();
    expect(ran).toEqual(['a-1']);
  });

  it('that holds the turn is promoted; one that waits for its next attempt is not', async () => {
    const bench = room.bench('asleep');
    const { open, send, start, done, queue, idOf, ran } = sending(bench, async (id) => {
      if (id === 'b-0') throw new Error('fails');
    });
    for (const id of ['a-0', 'b-0']) {
      await open(id);
      await bench.enqueue(send, id, { delay: 3_600_000 });
    }
    await room.redis.hset(`{asleep}:send:${idOf('b-0')}`, 'atm', '1');
    await start();
    await until('it is done', () => done('a-0'));
    await bench.openJobs.open(openJobOf(new Map([[send.name, send]]), testFollowUp('send', 'c-0')));
    await until('another pass was made', () => done('c-0'));
    expect(await queue.getJobState(idOf('b-0'))).toBe('delayed');
    expect(ran).not.toContain('b-0');
  });

  it('that fails while a pass looks at it waits for its next attempt', async () => {
    const bench = room.bench('failing');
    const { open, send, queue, idOf } = sending(bench);
    await open('a-0');
    await bench.enqueue(send, 'a-0', { delay: 3_600_000 });
    const openJobs: OpenJobs = {
      ...bench.openJobs,
      async find(id) {
        await room.redis.hset(`{failing}:send:${idOf('a-0')}`, 'atm', '1');
        return await bench.openJobs.find(id);
      },
    };
    const { outcomes, prefix } = bench;
    const queues = new Map([['send', queue]]);
    const flow = { producer: {} as FlowProducer, jobs: new Map(), queues, openJobs, outcomes, prefix };
    await createPass({}, { flow, log: pino({ enabled: false }), reject: bench.rejected.add })();
    expect((await queue.getJob(idOf('a-0')))?.attemptsMade).toBe(1);
    expect(await queue.getJobState(idOf('a-0'))).toBe('delayed');
  });

  it('whose data is invalid leaves its lane', async () => {
    const bench = room.bench('unopened');
    const { open, start, done, queue, idOf } = sending(bench);
    await open('a-0');
    const spoilt = {
      id: idOf('a-0'),
      job: 'send',
      lane: 'a',
      data: { version: 1, key: 'a-0', payload: 'spoilt' },
    };
    await bench.openJobs.open(spoilt);
    await open('a-1');
    await start();
    await until('the next one is done', () => done('a-1'));
    // The next one may run before BullMQ has ended this one.
    await until('it has failed', async () => (await queue.getJobState(idOf('a-0'))) === 'failed');
    expect((await bench.rejected.list()).map(({ id }) => id)).toEqual([idOf('a-0')]);
  });

  it('that Redis loses, or another worker ends, while it runs is dropped when what it reads is gone', async () => {
    const bench = room.bench('undecided');
    const { open, send, start, done, ended, queue, idOf } = sending(bench, async (id) => {
      if (id !== 'a-0') return;
      await bench.openJobs.close({ id: idOf('a-0'), lane: 'a' });
      throw new JobError('facts-missing', 'the verdict is gone');
    });
    await open('a-0');
    await bench.enqueue(send, 'a-0');
    await start();
    await until('it has left the queue', async () => (await queue.getJob(idOf('a-0'))) === undefined);
    expect(bench.log.some((line) => line.includes('job dropped'))).toBe(true);
    await open('b-0');
    await until('another one is done', () => done('b-0'));
    expect(ended).toEqual([]);
  });

  it('is needed by a follow-up: without one, and without what it reads, it is dropped', async () => {
    const bench = room.bench('unopened');
    const tell = testJob('tell', async () => {
      throw new JobError('facts-missing', 'the notification is gone');
    });
    await bench.enqueue(tell, 'n-0');
    const runtime = await bench.start([tell]);
    const queue = bench.queue('tell');
    await until(
      'it has left the queue',
      async () => (await queue.getJob(jobIdOf('tell', 'n-0'))) === undefined,
    );
    expect(bench.log.some((line) => line.includes('job dropped'))).toBe(true);
    await runtime.close(0);
  });

  it('runs on its stored data, regardless of the data in its queue', async () => {
    const bench = room.bench('decided');
    const { open, start, done, queue, idOf, nothingIsOpen } = sending(bench);
    await open('a-0');
    await queue.add('send', { garbage: true }, { jobId: idOf('a-0') });
    await start();
    await until('it is done', () => done('a-0'));
    await nothingIsOpen();
    expect(await bench.rejected.list()).toEqual([]);
  });

  it('of a job that this release does not know is kept and logged', async () => {
    const bench = room.bench('newer');
    const { open, start, done } = sending(bench);
    await bench.openJobs.open({ id: 'x', job: 'newer', data: { version: 1, key: 'x', payload: {} } });
    await open('a-0');
    await start();
    await until('the other one is done', () => done('a-0'));
    await until('it is closed', async () => (await openIds(bench)).length === 1);
    expect(await openIds(bench)).toEqual(['x']);
    expect(bench.log.join('')).toContain('an open job has a name that this release does not know');
  });
});

it('orphaned work is opened', async () => {
  const bench = room.bench('orphans');
  const { start, done, nothingIsOpen } = sending(bench);
  await start(async function* () {
    if (!(await done('a-0'))) yield testFollowUp('send', 'a-0');
  });
  await until('it is done', () => done('a-0'));
  await nothingIsOpen();
});

it('a flow is restored without the children that failed permanently', async () => {
  const bench = room.bench('flow');
  const part = testJob(
    'part',
    async () => {
      throw new Error('on purpose');
    },
    { attempts: 1 },
  );
  const join = testJob('join', async () => undefined);
  const byName = new Map([part, join].map((job) => [job.name, job]));
  await bench.enqueue(part, 'p');
  const first = await bench.start([part]);
  const partId = jobIdOf('part', 'p');
  await until('the part failed', async () => (await bench.queue('part').getJobState(partId)) === 'failed');
  await first.close(0);
  await bench.openJobs.open(
    openJobOf(byName, { ...testFollowUp('join', 'j'), children: [testFollowUp('part', 'p')] }),
  );
  await bench.start([part, join], { reconciler: { everyMs: 50, claim: async () => true } });
  await until('it is joined', () => bench.outcomes.has('join', 'j'));
});

it('a job whose outcome is lost before it is closed runs again', async () => {
  const bench = room.bench('lost');
  let ran = 0;
  const job = testJob('job', async () => {
    ran += 1;
    return { next: [testFollowUp('last', 'x')] };
  });
  const last = testJob('last', async () => undefined);
  const outcomes: Outcomes = {
    ...bench.outcomes,
    async save(...given) {
      const answer = await bench.outcomes.save(...given);
      if (given[0] === 'job' && ran === 1) await room.redis.del('{lost}:outcome:job:x');
      return answer;
    },
  };
  await bench.enqueue(job, 'x');
  await bench.start([job, last], { outcomes });
  await until('it is done', async () => {
    const [done] = await bench.queue('job').getCompleted();
    return done !== undefined;
  });
  expect(ran).toBe(2);
  expect(await bench.outcomes.has('job', 'x')).toBe(true);
});

it('schedules are restored when Redis lost their next start', async () => {
  const bench = room.bench('schedules');
  const started: string[] = [];
  const job = testJob('tick', async ({ id }) => void started.push(id));
  const schedules = [
    {
      name: 'often',
      everyMs: 3_600_000,
      start: (due: Date) => [testFollowUp('tick', String(due.getTime()))],
    },
  ];
  await bench.start([job], { schedules, reconciler: { everyMs: 50, claim: async () => true } });
  await until('it was started', () => started.length === 1);
  const queue = bench.queue('schedules');
  const next = async () => (await queue.getDelayed()).map(({ id }) => id ?? '');
  await until('the next start is there', async () => (await next()).length === 1);
  const [lost = ''] = await next();
  await room.redis.zrem('{schedules}:schedules:delayed', lost);
  await room.redis.del(`{schedules}:schedules:${lost}`);
  await until('it is restored', async () => (await next()).length === 1);
  expect(bench.log.join('')).toContain('the next start of a schedule was missing');
});

describe('promoting a job', () => {
  it('runs a delayed one and changes no other', async () => {
    const bench = room.bench('wake');
    const queue = bench.queue('job');
    await queue.add('job', {}, { jobId: 'one', delay: 3_600_000 });
    await queue.add('job', {}, { jobId: 'two' });
    await promoteJob(queue, 'unknown');
    await promoteJob(undefined, 'one');
    await promoteJob(queue, 'two');
    expect(await queue.getJobState('one')).toBe('delayed');
    await promoteJob(queue, 'one');
    expect(await queue.getJobState('one')).toBe('waiting');
    expect(await queue.getJobState('two')).toBe('waiting');
  });

  it('and retrying one ignore a job that another worker moved, and hide no other error', async () => {
    const bench = room.bench('faster');
    const queue = bench.queue('job');
    const job = await queue.add('job', {}, { jobId: 'two' });
    await retryFinished(job);
    expect(await queue.getJobState('two')).toBe('waiting');
    await job.remove();
    await retryFinished(job);
    job.retry = async () => {
      throw new Error('no connection');
    };
    await expect(retryFinished(job)).rejects.toThrow('no connection');
  });
});
