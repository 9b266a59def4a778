import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliverNotification } from '../../src/jobs/deliver-notification.ts';
import { followUp, jobIdOf } from '../../src/jobs/job.ts';
import { identityOf } from '../../src/jobs/payloads/deliver-notification.ts';
import type { Ports } from '../../src/jobs/ports.ts';
import type { Outcomes } from '../../src/model/queue/outcome.ts';
import type { TargetState } from '../../src/model/scan/change.ts';
import { createDeliveryStore } from '../../src/store/alerts/deliveries.ts';
import { createKeys } from '../../src/store/keys.ts';
import { createTargetStore } from '../../src/store/targets.ts';
import { openJobOf } from '../../src/workers/flow.ts';
import { notificationOf } from '../notify/notification.ts';
import { until } from '../until.ts';
import { runAlone } from './run-alone.ts';
import { openWorkerRoom, type Payload, testFollowUp, testJob, type WorkerRoom } from './worker-room.ts';

let room: WorkerRoom;
beforeAll(async () => {
  room = await openWorkerRoom();
});
afterAll(() => room.close());

const state = (revision: number): TargetState => ({
  revision,
  scan: `scan-${revision}`,
  requestedAt: '2026-01-31T06:00:00Z',
  findings: [],
});

describe('single assignment', () => {
  it('a job with an outcome does not run, but its follow-ups are enqueued', async () => {
    const bench = room.bench('known');
    const ran: string[] = [];
    const second = testJob('second', async ({ id }) => void ran.push(`second ${id}`));
    const first = testJob('first', async ({ id }) => void ran.push(`first ${id}`));
    await bench.outcomes.save('first', 'a', {
      result: 'saved',
      next: [testFollowUp('second', 'b')],
    });
    await bench.enqueue(first, 'a');
    await bench.start([first, second]);
    await until(
      'the follow-up has an outcome',
      async () => (await bench.outcomes.read('second', 'b')) !== undefined,
    );
    expect(ran).toEqual(['second b']);
    expect((await bench.outcomes.read('first', 'a'))?.result).toBe('saved');
  });

  it('a job without follow-ups frees its outcome, also when an earlier attempt saved it', async () => {
    const bench = room.bench('ends');
    const job = {
      ...testJob('last', async () => undefined),
      spent: ({ id }: Payload) => ({ marked: [{ job: 'last', key: id }], removed: [] }),
    };
    await bench.outcomes.save('last', 'earlier', { result: 'saved', next: [] });
    for (const id of ['earlier', 'now']) await bench.enqueue(job, id);
    await bench.start([job]);
    await until('both are done', () => bench.events.filter(({ kind }) => kind === 'finished').length === 2);
    for (const id of ['earlier', 'now']) {
      expect(await room.redis.strlen(createKeys('ends').outcome('last', id))).toBe(0);
    }
  });

  it.each([
    ['is open, and another worker closes it', true],
    ['waits in its queue alone, and another worker ends it', false],
  ])('a job that %s while it runs leaves nothing and does not run again', async (_what, isOpen) => {
    const bench = room.bench(`ended-elsewhere-${isOpen}`);
    const next = [testFollowUp('second', 'b')];
    const job = testJob('first', async () => {
      if (isOpen) await bench.openJobs.close({ id, lane: undefined });
      else {
        const queue = bench.queue('first');
        await room.redis.lrem(queue.toKey('active'), 0, id);
        await room.redis.del(queue.toKey(id));
      }
      return { next };
    });
    const second = testJob('second', async () => undefined);
    const id = jobIdOf('first', 'a');
    if (isOpen) await bench.openJobs.open(openJobOf(new Map([['first', job]]), testFollowUp('first', 'a')));
    await bench.enqueue(job, 'a');
    await bench.start([job, second]);
    await until('it is dropped', () => bench.log.some((line) => line.includes('job dropped')));
    expect(await bench.outcomes.has('first', 'a')).toBe(false);
    for (const name of ['first', 'second'])
      await until(`${name} has no job`, async () => (await bench.queue(name).getJobCountByTypes()) === 0);
    expect(bench.events.filter(({ kind }) => kind === 'started')).toHaveLength(1);
  });

  it.each([
    ['stays until they are queued', true],
    ['is removed at once without any', false],
  ])('with follow-ups, an outcome that is removed with its job %s', async (_what, stays) => {
    const bench = room.bench(`removed-${stays}`);
    const next = stays ? [testFollowUp('second', 'b')] : [];
    const job = testJob('first', async () => ({ next }));
    const own = {
      ...job,
      onEnd: async () => {},
      spent: () => ({ marked: [], removed: [{ job: 'first', key: 'a' }] }),
    };
    const second = testJob('second', async () => undefined);
    const outcome = await runAlone(own, { id: 'a' }, bench.outcomes, { others: [second] });
    expect(outcome.closed === undefined).toBe(stays);
    expect(await bench.outcomes.has('first', 'a')).toBe(stays);
  });

  it('of two runs of one job, only the first that finishes has effects', async () => {
    const bench = room.bench('raced');
    const gate = Promise.withResolvers<void>();
    let runs = 0;
    const after: string[] = [];
    const follow = testJob('follow', async ({ id }) => void after.push(id));
    const racing = testJob('racing', async () => {
      const run = ++runs;
      if (run === 2) gate.resolve();
      await gate.promise;
      return { result: run, next: [testFollowUp('follow', `run-${run}`)] };
    });
    // Ids that the producer chose: two jobs for the queue, but one by their key.
    await bench.enqueue(racing, 'a', { jobId: 'one' });
    await bench.enqueue(racing, 'a', { jobId: 'two' });
    await bench.start([racing, follow]);
    await bench.start([racing, follow]);
    await until(
      'both are done',
      () => bench.events.filter((e) => e.job === 'racing' && e.kind === 'finished').length === 2,
    );
    await until('it was followed', () => after.length > 0);
    const winner = (await bench.outcomes.read('racing', 'a'))?.result;
    await until(
      'nothing is left',
      async () => (await bench.queue('follow').getJobCountByTypes('wait', 'active')) === 0,
    );
    expect(runs).toBe(2);
    expect(after).toEqual([`run-${winner}`]);
  });

  it('a run whose target changed meanwhile runs again on the new state', async () => {
    const bench = room.bench('moved');
    const targets = createTargetStore(room.redis, createKeys('moved'));
    let runs = 0;
    const judge = testJob('judge', async () => {
      runs += 1;
      const replaces = (await targets.read('shop'))?.revision ?? 0;
      if (runs === 1) {
        const change = { target: 'shop', replaces, state: state(replaces + 1) };
        await bench.outcomes.save('judge', 'other', { result: 0, next: [], state: change });
      }
      return { result: runs, state: { target: 'shop', replaces, state: state(replaces + 1) } };
    });
    await bench.start([judge]);
    await bench.enqueue(judge, 'a');
    await until('it is judged', async () => (await bench.outcomes.read('judge', 'a')) !== undefined);
    expect((await bench.outcomes.read('judge', 'a'))?.result).toBe(2);
    expect((await targets.read('shop'))?.revision).toBe(2);
    expect(bench.events.filter(({ kind }) => kind === 'retrying')).toEqual([]);
  });

  it('a target that changes during every run is retried, then fails permanently', async () => {
    const bench = room.bench('restless');
    let runs = 0;
    const judge = testJob(
      'judge',
      async () => {
        runs += 1;
        return { state: { target: 'shop', replaces: 7, state: state(8) } };
      },
      { attempts: 2 },
    );
    await bench.start([judge]);
    await bench.enqueue(judge, 'a');
    await until('it failed', () => bench.events.some(({ kind }) => kind === 'failed'));
    expect(runs).toBe(10);
    expect(await bench.outcomes.read('judge', 'a')).toBeUndefined();
  });
});

describe('the queue', () => {
  it('removes completed jobs and keeps failed ones, regardless of the options of the producer', async () => {
    const bench = room.bench('kept');
    const job = testJob(
      'mixed',
      async ({ id }: Payload) => {
        if (id.startsWith('bad')) throw new Error('on purpose');
        return undefined;
      },
      { attempts: 1 },
    );
    const queue = bench.queue('mixed');
    await queue.addBulk(
      Array.from({ length: 150 }, (_, index) => ({
        name: 'mixed',
        data: { version: 1, key: `good-${index}`, payload: { id: `good-${index}` } },
      })),
    );
    for (const id of ['bad-1', 'bad-2']) await bench.enqueue(job, id, { removeOnFail: true });
    await bench.start([job]);
    await until('all are done', async () => (await queue.getJobCountByTypes('wait', 'active')) === 0);
    expect(await queue.getCompletedCount()).toBe(100);
    expect(await queue.getFailedCount()).toBe(2);
  });
});

describe('a Redis that lost its last writes', () => {
  it('keeps the alert of a delivery whose outcome is lost when an attempt has just read it', async () => {
    const bench = room.bench('told');
    const deliveries = createDeliveryStore(room.redis, createKeys('told'));
    const payload = { scan: 's', target: 't', route: 'r', requestedAt: '2026-01-02T00:00:00Z' };
    const identity = identityOf(payload);
    await deliveries.file(identity, { ...notificationOf(), id: identity.id, scan: 's', route: 'r' });
    const sent: unknown[] = [];
    const notifier: Ports['notifier'] = {
      async deliver(_route, read) {
        const { id } = await read();
        sent.push(id);
        return { kind: 'delivered', receipt: { id, route: 'r', status: 200, answer: '' } };
      },
    };
    const next = followUp(deliverNotification, payload);
    const open = openJobOf(new Map([[deliverNotification.name, deliverNotification]]), next);
    const { name } = deliverNotification;
    await bench.openJobs.open(open);
    await bench.outcomes.save(name, next.key, { result: 'of another worker', next: [] });
    const outcomes: Outcomes = {
      ...bench.outcomes,
      async read(...given) {
        const outcome = await bench.outcomes.read(...given);
        await room.redis.del(createKeys('told').outcome(name, next.key));
        return outcome;
      },
    };
    await bench.queue(name).add(name, open.data, { jobId: open.id });
    await bench.start([deliverNotification], {
      ...{ outcomes, ports: { notifier, deliveries } as unknown as Ports },
    });
    await until('it has ended', async () => (await bench.openJobs.find(open.id)) === undefined);
    expect(sent).toEqual([identity.id]);
    expect((await deliveries.find(identity.id))?.state).toBe('delivered');
  });

  it('gets a completed job again that nothing else knows of, and one that is known only once', async () => {
    const bench = room.bench('lost-writes');
    const ran: string[] = [];
    const second = testJob('second', async ({ id }) => void ran.push(`second ${id}`));
    const first = testJob('first', async ({ id }) => {
      ran.push(`first ${id}`);
      return { result: id, next: [testFollowUp('second', id)] };
    });
    let act = () => {};
    await bench.start([first, second], { keptCompleted: 0, whenWritesMayBeLost: (given) => (act = given) });
    for (const id of ['lost', 'kept']) await bench.enqueue(first, id);
    await until('all have run', () => bench.events.filter(({ kind }) => kind === 'finished').length === 4);
    const keys = createKeys('lost-writes');
    // Both outcomes of one chain are gone, and no queue holds its jobs.
    await room.redis.del(keys.outcome('first', 'lost'), keys.outcome('second', 'lost'));
    act();
    await until(
      'the lost ones ran again',
      () => bench.events.filter(({ kind }) => kind === 'finished').length === 6,
    );
    expect(ran.toSorted()).toEqual([
      ...['first kept', 'first lost', 'first lost'],
      ...['second kept', 'second lost', 'second lost'],
    ]);
    expect(bench.log.filter((line) => line.includes('the outcome of a job was lost'))).toHaveLength(1);
  });

  it('does not get a follow-up again that a second worker found done, and that nothing asks for any more', async () => {
    const bench = room.bench('found-done');
    const ran: string[] = [];
    const second = testJob('second', async () => void ran.push('second'));
    const first = testJob('first', async ({ id }) => {
      ran.push('first');
      return { next: ran.includes('second') ? [] : [testFollowUp('second', id)] };
    });
    let act = () => {};
    await bench.start([first, second], { keptCompleted: 0, whenWritesMayBeLost: (given) => (act = given) });
    const finished = () => bench.events.filter(({ kind }) => kind === 'finished').length;
    await bench.enqueue(first, 'one');
    await until('both have run', () => finished() === 2);
    await bench.enqueue(second, 'one');
    await until('it is found done', () => finished() === 3);
    const keys = createKeys('found-done');
    await room.redis.del(keys.outcome('first', 'one'), keys.outcome('second', 'one'));
    act();
    await until('the first one ran again', () => ran.length === 3);
    expect(ran).toEqual(['first', 'second', 'first']);
    // What was completed last is checked first.
    expect(bench.log.filter((line) => line.includes('the outcome of a job was lost'))).toHaveLength(1);
  });

  it('does not get a request again that another program queued under an id of its own', async () => {
    const bench = room.bench('foreign-id');
    const ran: string[] = [];
    const owned = (id: string): string => (id.endsWith('.own') ? id : `${id}.own`);
    const job = {
      ...testJob('asked', async ({ id }) => void ran.push(id)),
      requested: { own: ({ id }: { id: string }) => ({ id: owned(id) }), content: () => 'same' },
    };
    let act = () => {};
    await bench.start([job], { keptCompleted: 0, whenWritesMayBeLost: (given) => (act = given) });
    for (const id of ['kept', 'lost']) await bench.enqueue(job, id);
    const finished = () => bench.events.filter(({ kind }) => kind === 'finished').length;
    await until('both have run', () => finished() === 2);
    await room.redis.del(createKeys('foreign-id').outcome('asked', 'lost.own'));
    act();
    await until('the lost one ran again', () => finished() === 3);
    expect(ran.toSorted()).toEqual(['kept.own', 'lost.own', 'lost.own']);
    expect(bench.log.filter((line) => line.includes('the outcome of a job was lost'))).toHaveLength(1);
  });

  it('does not get a job again whose outcome was removed when it was done', async () => {
    const bench = room.bench('removed-outcome');
    const ran: string[] = [];
    const [lost, removed] = [
      testJob('lost', async ({ id }) => void ran.push(`lost ${id}`)),
      {
        ...testJob('removed', async ({ id }) => void ran.push(`removed ${id}`)),
        spent: ({ id }: Payload) => ({ marked: [], removed: [{ job: 'removed', key: id }] }),
      },
    ];
    let act = () => {};
    await bench.start([lost, removed], { keptCompleted: 0, whenWritesMayBeLost: (given) => (act = given) });
    const finished = () => bench.events.filter(({ kind }) => kind === 'finished').length;
    await bench.enqueue(lost, 'a');
    await until('the first has run', () => finished() === 1);
    await bench.enqueue(removed, 'b');
    await until('both have run', () => finished() === 2);
    await room.redis.del(createKeys('removed-outcome').outcome('lost', 'a'));
    act();
    // What was completed last is checked first.
    await until('the lost one ran again', () => ran.filter((one) => one === 'lost a').length === 2);
    expect(ran).toEqual(['lost a', 'removed b', 'lost a']);
    expect(bench.log.filter((line) => line.includes('the outcome of a job was lost'))).toHaveLength(1);
  });

  it('does not get a job again whose input is lost as well: its id stays free for whoever enqueues it again', async () => {
    const bench = room.bench('lost-input');
    const ran: string[] = [];
    const job = { ...testJob('reads', async ({ id }) => void ran.push(id)), hasInput: async () => false };
    let act = () => {};
    await bench.start([job], { keptCompleted: 0, whenWritesMayBeLost: (given) => (act = given) });
    await bench.enqueue(job, 'a');
    await until('it has run', () => bench.events.some(({ kind }) => kind === 'finished'));
    await room.redis.del(createKeys('lost-input').outcome('reads', 'a'));
    act();
    await until('the loss is logged', () =>
      bench.log.some((line) => line.includes('a job was lost with what it reads')),
    );
    expect(ran).toEqual(['a']);
    await bench.enqueue(job, 'a');
    await until('it has run again', () => ran.length === 2);
  });
});
