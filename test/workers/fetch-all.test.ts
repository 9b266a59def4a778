import { afterAll, beforeAll, expect, it } from 'vitest';
import { fetchAll } from '../../src/scan/attempt.ts';
import { openWorkerRoom, testJob, type WorkerRoom } from './worker-room.ts';

let room: WorkerRoom;

beforeAll(async () => {
  room = await openWorkerRoom();
});

afterAll(() => room.close());

it('an item that fails without a code is requested again, and is absent after the last attempt', async () => {
  const bench = room.bench('gather-uncoded');
  const asked: string[] = [];
  const fetch = async (item: string) => {
    asked.push(item);
    if (item === 'bad') throw new TypeError('x is not a function');
    return item.toUpperCase();
  };
  const job = testJob(
    'gathering',
    async (_payload, context) => ({
      result: await fetchAll(['good', 'bad'], fetch, (item) => item, context),
    }),
    { attempts: 3 },
  );
  await bench.start([job]);
  await bench.enqueue(job, 'a');
  await expect
    .poll(() => bench.outcomes.read('gathering', 'a'))
    .toMatchObject({
      result: {
        found: [{ key: 'good', fact: 'GOOD' }],
        absent: [],
        failed: [{ key: 'bad', reason: 'unexpected error: x is not a function' }],
      },
    });
  expect(asked.filter((item) => item === 'bad')).toHaveLength(3);
});
