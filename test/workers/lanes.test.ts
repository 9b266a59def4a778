import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JobError } from '../../src/jobs/errors.ts';
import type { AttemptEnding, Job, JobLimits } from '../../src/jobs/job.ts';
import { jobIdOf } from '../../src/jobs/job-id.ts';
import { openJobOf } from '../../src/workers/flow.ts';
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

interface Telling {
  readonly ran: string[];
  readonly waited: string[];
  readonly ended: [id: string, ending: AttemptEnding['kind']][];
}

/** A job `send` whose ids `<lane>-<number>` stand in lanes, and a job `plan` from which several of them follow. */
function lanesOn(
  bench: Bench,
  work: (id: string, telling: Telling) => Promise<void>,
  limits: Partial<JobLimits> = {},
) {
  const telling: Telling = { ran: [], waited: [], ended: [] };
  const base = testJob('send', ({ id }) => work(id, telling).then(() => undefined), {
    concurrency: 8,
    ...limits,
  });
  const send: Job<Payload> = {
    ...base,
    lane: ({ id }) => id.replace(/-.*/, ''),
    whileWaiting: async ({ id }) => void telling.waited.push(id),
    onEnd: async ({ id }, { kind }) => void telling.ended.push([id, kind]),
  };
  const plan = testJob('plan', async ({ id }) => ({
    next: id.split('+').map((one) => testFollowUp('send', one)),
  }));
  const done = (id: string) => bench.outcomes.read('send', id).then((outcome) => outcome !== undefined);
  return { telling, jobs: [plan, send], plan, send, done };
}

const ids = (lane: string, count: number) => Array.from({ length: count }, (_, index) => `${lane}-${index}`);

describe('jobs of one lane', () => {
  it('run one after another in the order of their places; other lanes do not wait', async () => {
    const bench = room.bench('order');
    let atOnce = 0;
    let most = 0;
    const failures = new Map<string, number>();
    const { telling, jobs, plan, done } = lanesOn(
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
    await until('both lanes are through', async () => (await done('a-29')) && (await done('b-29')), 20_000);
    expect(most).toBe(1);
    expect(telling.ran.filter((id) => id.startsWith('a'))).toEqual(ids('a', 30));
    expect(telling.ran.filter((id) => id.startsWith('b'))).toEqual(ids('b', 30));
    expect(telling.waited).toContain('a-29');
    expect(telling.ended.filter(([id]) => id === 'a-1').map(([, kind]) => kind)).toContain('retry');
    expect(telling.ended.at(-1)?.[1]).toBe('done');
  }, 30_000);

  it('go on when one is given up, once that is written down', async () => {
    const bench = room.bench('given-up');
    const { telling, jobs, plan, done } = lanesOn(
      bench,
      async (id, { ran }) => {
        if (id === 'a-0') throw new JobError('facts-missing', 'gone');
        ran.push(id);
      },
      {},
    );
    await bench.enqueue(plan, 'a-0+a-1');
    await bench.start(jobs);
    await until('the next one is done', () => done('a-1'));
    // Its outcome is there before its end is told.
    await until('its end is told', () => telling.ended.some(([id, kind]) => id === 'a-1' && kind === 'done'));
    expect(telling.ran).toEqual(['a-1']);
    const given = telling.ended.findIndex(([id, kind]) => id === 'a-0' && kind === 'failed');
    const next = telling.ended.findIndex(([id, kind]) => id === 'a-1' && kind === 'done');
    expect(given).toBeGreaterThanOrEqual(0);
    expect(given).toBeLessThan(next);
    expect(await bench.queue('send').getFailedCount()).toBe(1);
  });

  it.each(['given up', 'done'])(
    'have one that was put off run at once when the one before it is %s',
    async (end) => {
      const bench = room.bench(`woken-${end.replace(' ', '-')}`);
      const queue = bench.queue('send');
      const isPutOff = async () => (await queue.getJobState(jobIdOf('send', 'a-1'))) === 'delayed';
      const { telling, jobs, plan, done } = lanesOn(bench, async (id, { ran }) => {
        if (id === 'a-0') await until('the other one is put off', isPutOff);
        if (id === 'a-0' && end === 'given up') throw new JobError('facts-missing', 'gone');
        ran.push(id);
      });
      await bench.enqueue(plan, 'a-0+a-1');
      // By itself it would look again after a quarter of an hour.
      await bench.start(jobs);
      await until('the next one is done', () => done('a-1'));
      expect(telling.ran).toEqual(end === 'done' ? ['a-0', 'a-1'] : ['a-1']);
    },
  );

  it('wait behind one that is held, without using up its attempts', async () => {
    const bench = room.bench('held');
    let held = true;
    const { telling, jobs, plan, done } = lanesOn(bench, async (id, { ran }) => {
      if (held) throw new JobError('route-held', 'stopped', { retryable: true });
      ran.push(id);
    });
    await bench.enqueue(plan, 'a-0+a-1');
    await bench.start(jobs);
    await until('it is held', () => telling.ended.some(([id, kind]) => id === 'a-0' && kind === 'postponed'));
    await until('the other one waits', () => telling.waited.includes('a-1'));
    const queue = bench.queue('send');
    const first = jobIdOf('send', 'a-0');
    await until('it is put off', async () => (await queue.getJobState(first)) === 'delayed');
    expect((await queue.getJob(first))?.attemptsMade).toBe(0);
    expect(telling.ran).toEqual([]);
    held = false;
    await (await queue.getJob(first))?.promote();
    await until('both are done', () => done('a-1'));
    expect(telling.ran).toEqual(['a-0', 'a-1']);
  });

  it('that was given up before does not run again', async () => {
    const bench = room.bench('over');
    const { telling, jobs, plan, done } = lanesOn(bench, async (id, { ran }) => {
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
    expect(telling.ran).toEqual(['a-0', 'a-1']);
    expect(telling.ended.filter(([id, kind]) => id === 'a-0' && kind === 'failed')).toHaveLength(1);
  });

  it('are given up later when that cannot be written down now', async () => {
    const bench = room.bench('unwritten');
    const { jobs, plan, telling } = lanesOn(bench, async () => {
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
    await until('it is put off', async () => (await queue.getJobState(id)) === 'delayed');
    broken = false;
    await (await queue.getJob(id))?.promote();
    await until('it failed', async () => (await queue.getJobState(id)) === 'failed');
    expect(telling.ended).toEqual([['a-0', 'failed']]);
  });

  it('keep their places while nobody has queued them: a worker died between its outcome and what follows', async () => {
    const bench = room.bench('died');
    const { telling, jobs, plan, send, done } = lanesOn(bench, async (id, { ran }) => void ran.push(id));
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
    await until('the second one waits', () => telling.waited.includes('a-1'));
    await bench.enqueue(plan, 'a-0');
    await until('both are done', () => done('a-1'));
    expect(telling.ran).toEqual(['a-0', 'a-1']);
  });
});
