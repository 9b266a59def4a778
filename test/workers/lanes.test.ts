import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JobError } from '../../src/jobs/errors.ts';
import { type AttemptEnding, type Job, type JobLimits, jobIdOf } from '../../src/jobs/job.ts';
import { openJobOf } from '../../src/workers/flow.ts';
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

interface LaneRecord {
  readonly ran: string[];
  readonly ended: [id: string, ending: AttemptEnding['kind']][];
}

/** A job `send` with ids `<lane>-<number>`, and a job `plan` from which several of them follow. */
function lanesOn(
  bench: Bench,
  work: (id: string, record: LaneRecord) => Promise<void>,
  limits: Partial<JobLimits> = {},
) {
  const record: LaneRecord = { ran: [], ended: [] };
  const base = testJob('send', ({ id }) => work(id, record).then(() => undefined), {
    concurrency: 8,
    ...limits,
  });
  const send: Job<Payload> = {
    ...base,
    lane: ({ id }) => id.replace(/-.*/, ''),
    onEnd: async ({ id }, { kind }) => void record.ended.push([id, kind]),
  };
  const plan = testJob('plan', async ({ id }) => ({
    next: id.split('+').map((one) => testFollowUp('send', one)),
  }));
  const done = (id: string) => bench.outcomes.read('send', id).then((outcome) => outcome !== undefined);
  return { record, jobs: [plan, send], plan, send, done };
}

const isPostponed = ({ ended }: LaneRecord, id: string) =>
  ended.some(([ended, kind]) => ended === id && kind === 'postponed');

const ids = (lane: string, count: number) => Array.from({ length: count }, (_, index) => `${lane}-${index}`);

describe('jobs of one lane', () => {
  it('run one after another in the order of their places; other lanes do not wait', async () => {
    const bench = room.bench('order');
    let atOnce = 0;
    let most = 0;
    const failures = new Map<string, number>();
    const { record, jobs, plan, done } = lanesOn(
      bench,
      async (id, { ran }) => {
        if (id.startsWith('a')) {
          atOnce += 1;
          most = Math.max(most, atOnce);
          await new Promise((resolve) => setTimeout(resolve, 2));
          atOnce -= 1;
        }
        const failed = failures.get(id) ?? 0;
        failures.set(id, failed + 1);
        if (Number(id.split('-')[1]) % 3 === 1 && failed < 2) throw new Error('not yet');
        ran.push(id);
      },
      { attempts: 5, backoffMs: 5, maxBackoffMs: 10 },
    );
    await bench.enqueue(plan, [...ids('a', 30), ...ids('b', 30)].join('+'));
    await bench.start(jobs);
    await until('both lanes are done', async () => (await done('a-29')) && (await done('b-29')));
    expect(most).toBe(1);
    expect(record.ran.filter((id) => id.startsWith('a'))).toEqual(ids('a', 30));
    expect(record.ran.filter((id) => id.startsWith('b'))).toEqual(ids('b', 30));
    expect(record.ended).toContainEqual(['a-29', 'postponed']);
    expect(record.ended.filter(([id]) => id === 'a-1').map(([, kind]) => kind)).toContain('retry');
  });

  it('continue after one failed permanently, once that is recorded', async () => {
    const bench = room.bench('failed');
    const { record, jobs, plan, done } = lanesOn(
      bench,
      async (id, { ran }) => {
        if (id === 'a-0') throw new JobError('facts-missing', 'gone');
        ran.push(...record.ended.flatMap(([one, kind]) => (kind === 'failed' ? [`failed ${one}`] : [])), id);
      },
      {},
    );
    await bench.enqueue(plan, 'a-0+a-1');
    await bench.start(jobs);
    await until('the next one is done', () => done('a-1'));
    expect(record.ran).toEqual(['failed a-0', 'a-1']);
    expect(await bench.queue('send').getFailedCount()).toBe(1);
  });

  it.each(['failed', 'done'])(
    'include a delayed job that runs immediately when the previous one is %s',
    async (end) => {
      const bench = room.bench(`promoted-${end}`);
      const queue = bench.queue('send');
      const isDelayed = async () => (await queue.getJobState(jobIdOf('send', 'a-1'))) === 'delayed';
      const { record, jobs, plan, done } = lanesOn(bench, async (id, { ran }) => {
        if (id === 'a-0') await until('the other one is delayed', isDelayed);
        if (id === 'a-0' && end === 'failed') throw new JobError('facts-missing', 'gone');
        ran.push(id);
      });
      await bench.enqueue(plan, 'a-0+a-1');
      // It would check its turn only after 15 minutes.
      await bench.start(jobs);
      await until('the next one is done', () => done('a-1'));
      expect(record.ran).toEqual(end === 'done' ? ['a-0', 'a-1'] : ['a-1']);
    },
  );

  it('wait for one that is held, which counts no attempt', async () => {
    const bench = room.bench('held');
    let held = true;
    const { record, jobs, plan, done } = lanesOn(bench, async (id, { ran }) => {
      if (held) throw new JobError('route-held', 'stopped', { retryable: true });
      ran.push(id);
    });
    await bench.enqueue(plan, 'a-0+a-1');
    await bench.start(jobs);
    await until('it is held', () => isPostponed(record, 'a-0'));
    await until('the other one waits', () => isPostponed(record, 'a-1'));
    const queue = bench.queue('send');
    const first = jobIdOf('send', 'a-0');
    await until('it is delayed', async () => (await queue.getJobState(first)) === 'delayed');
    expect((await queue.getJob(first))?.attemptsMade).toBe(0);
    expect(record.ran).toEqual([]);
    held = false;
    await (await queue.getJob(first))?.promote();
    await until('both are done', () => done('a-1'));
    expect(record.ran).toEqual(['a-0', 'a-1']);
  });

  it('that failed permanently do not run again', async () => {
    const bench = room.bench('over');
    const { record, jobs, plan, done } = lanesOn(bench, async (id, { ran }) => {
      ran.push(id);
      if (id === 'a-0') throw new JobError('facts-missing', 'gone');
    });
    await bench.enqueue(plan, 'a-0+a-1');
    await bench.start(jobs);
    await until('the next one is done', () => done('a-1'));
    const queue = bench.queue('send');
    const first = jobIdOf('send', 'a-0');
    await until('it failed', async () => (await queue.getJobState(first)) === 'failed');
    await (await queue.getJob(first))?.retry();
    await until('it failed again', async () => {
      const job = await queue.getJob(first);
      return job?.failedReason?.includes('turn-over') ?? false;
    });
    expect(record.ran).toEqual(['a-0', 'a-1']);
    expect(record.ended.filter(([id, kind]) => id === 'a-0' && kind === 'failed')).toHaveLength(1);
  });

  it('are dropped when Redis has lost the outcome that they follow from, and run once it is saved again', async () => {
    const bench = room.bench('lost');
    const { record, jobs, plan, send, done } = lanesOn(bench, async (id, { ran }) => void ran.push(id));
    await bench.enqueue(send, 'a-0');
    await bench.start(jobs);
    const queue = bench.queue('send');
    const id = jobIdOf('send', 'a-0');
    await until('it is dropped', () => bench.log.some((line) => line.includes('job dropped')));
    expect(record).toEqual({ ran: [], ended: [] });
    expect(await queue.getFailedCount()).toBe(0);
    await until('it has left the queue', async () => (await queue.getJobState(id)) !== 'active');
    await bench.enqueue(plan, 'a-0');
    await until('it has run', () => done('a-0'));
    expect(record.ran).toEqual(['a-0']);
  });

  it('that fail while another worker opens them again with other data leave these open', async () => {
    const bench = room.bench('reopened');
    const { jobs, plan, send, record, done } = lanesOn(bench, async (id, { ran }) => {
      ran.push(id);
      if (ran.length > 1) return;
      // Redis lost the verdict, and it was judged again.
      await bench.openJobs.open({ ...open, data: { ...open.data, version: 2 } });
      throw new JobError('facts-missing', 'gone');
    });
    const open = openJobOf(new Map([['send', send]]), testFollowUp('send', 'a-0'));
    await bench.enqueue(plan, 'a-0');
    await bench.start(jobs);
    const id = jobIdOf('send', 'a-0');
    await until('it failed', async () => (await bench.queue('send').getJobState(id)) === 'failed');
    expect(await bench.openJobs.find(id)).toMatchObject({ data: { version: 2 } });
    expect(record.ended).toEqual([]);
    await bench.openJobs.open(open);
    await (await bench.queue('send').getJob(id))?.retry();
    await until('it has run', () => done('a-0'));
  });

  it('fail permanently later when that cannot be recorded now', async () => {
    const bench = room.bench('unwritten');
    const { jobs, plan, record } = lanesOn(bench, async () => {
      throw new JobError('facts-missing', 'gone');
    });
    const send = jobs[1] as Job<Payload>;
    let broken = true;
    const breaking: Job<Payload> = {
      ...send,
      onEnd: async (payload, ending, ports) => {
        if (broken) throw new Error('disk full');
        await send.onEnd?.(payload, ending, ports);
      },
    };
    await bench.enqueue(plan, 'a-0');
    await bench.start([plan, breaking]);
    const queue = bench.queue('send');
    const id = jobIdOf('send', 'a-0');
    await until('it is delayed', async () => (await queue.getJobState(id)) === 'delayed');
    broken = false;
    await (await queue.getJob(id))?.promote();
    await until('it failed', async () => (await queue.getJobState(id)) === 'failed');
    expect(record.ended).toEqual([['a-0', 'failed']]);
  });

  it('keep their places when a worker died between its outcome and the follow-ups', async () => {
    const bench = room.bench('died');
    const { record, jobs, plan, send, done } = lanesOn(bench, async (id, { ran }) => void ran.push(id));
    const saved = (id: string) => {
      const next = [testFollowUp('send', id)];
      const byName = new Map(jobs.map((job) => [job.name, job]));
      const follows = next.map((one) => openJobOf(byName, one));
      return bench.outcomes.save('plan', id, { result: id, next }, { follows });
    };
    await saved('a-0');
    await saved('a-1');
    await bench.enqueue(send, 'a-1');
    await bench.start(jobs);
    await until('the second one waits', () => isPostponed(record, 'a-1'));
    await bench.enqueue(plan, 'a-0');
    await until('both are done', () => done('a-1'));
    expect(record.ran).toEqual(['a-0', 'a-1']);
  });
});
