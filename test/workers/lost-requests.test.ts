import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Job, jobIdOf } from '../../src/jobs/job.ts';
import type { Outcomes } from '../../src/model/queue/outcome.ts';
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

const SECOND: Job<Payload> = { ...testJob('second', async () => undefined), followsDirectly: true };

/** A job that producers ask for. */
function asked(run: Parameters<typeof testJob>[1]): Job<Payload> {
  return {
    ...testJob('asked', run, { attempts: 1 }),
    requested: { own: (payload: Payload) => payload, content: () => 'same' },
    joinsFollowUp: () => true,
  };
}

async function openIds(bench: Bench): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id } of bench.openJobs.list()) ids.push(id);
  return ids;
}

/** The first save succeeds, and Redis loses it before the worker goes on. */
function losingTheFirst(bench: Bench, lost: (keys: ReturnType<typeof createKeys>) => string[]): Outcomes {
  let saves = 0;
  const keys = createKeys(bench.prefix.slice(1, -1));
  return {
    ...bench.outcomes,
    async save(...given) {
      saves += 1;
      const open = await room.redis.dumpBuffer(keys.openJobs);
      const answer = await bench.outcomes.save(...given);
      if (saves > 1) return answer;
      await room.redis.del(keys.openJobs, ...lost(keys));
      if (open !== null) await room.redis.restore(keys.openJobs, 0, open);
      return answer;
    },
  };
}

describe('a request', () => {
  it('whose outcome Redis loses before its queue has ended it runs again, also without the worker that ran it', async () => {
    const bench = room.bench('lost-request');
    const ran: string[] = [];
    const job = asked(async ({ id }) => {
      ran.push(id);
      return { next: [testFollowUp('second', id)] };
    });
    const outcomes = losingTheFirst(bench, (keys) => [
      keys.outcome('asked', 'one'),
      keys.outcome('second', 'one'),
    ]);
    const first = await bench.start([job, SECOND], { keptCompleted: 0, outcomes });
    await bench.enqueue(job, 'one');
    const queue = bench.queue('asked');
    await until(
      'its queue has ended it',
      async () => ran.length === 1 && (await queue.getJobCounts())['active'] === 0,
    );
    await first.close(1_000);
    expect(await bench.outcomes.has('asked', 'one')).toBe(false);
    expect(await openIds(bench)).toEqual([jobIdOf('asked', 'one')]);
    await bench.start([job, SECOND], { reconciler: { everyMs: 50, claim: async () => true } });
    await until('it has an outcome', () => bench.outcomes.has('second', 'one'));
    expect(ran).toEqual(['one', 'one']);
    await until('nothing is open', async () => (await openIds(bench)).length === 0);
  });

  it('is open while it runs, and not after it has failed or when it has an outcome', async () => {
    const bench = room.bench('open-request');
    const open: (readonly string[])[] = [];
    const job = asked(async ({ id }) => {
      open.push(await openIds(bench));
      if (id === 'bad') throw new Error('it is bad');
      return undefined;
    });
    await bench.start([job, SECOND]);
    for (const id of ['bad', 'good']) {
      await bench.enqueue(job, id);
      await until(`${id} has ended`, () =>
        bench.events.some((event) => event.key === id && event.kind !== 'started'),
      );
      await until('nothing is open', async () => (await openIds(bench)).length === 0);
    }
    expect(open).toEqual([[jobIdOf('asked', 'bad')], [jobIdOf('asked', 'good')]]);
    const begin = (key: string, content: string) => {
      const id = jobIdOf('asked', key);
      const opens = { id, job: 'asked', data: { version: 1, key, payload: {} } };
      const outcome = { job: 'asked', key };
      return bench.openJobs.begin({
        id,
        ownId: id,
        lane: undefined,
        outcome,
        claim: { scan: key, content },
        opens,
      });
    };
    // It is done; and another content has the id.
    expect(await begin('good', 'same')).toMatchObject({ hasOutcome: true });
    expect(await begin('bad', 'other')).toMatchObject({ claim: 'taken' });
    expect(await openIds(bench)).toEqual([]);
  });
});
