import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSlots } from '../../src/workers/runtime.ts';
import { until } from '../until.ts';
import { openWorkerRoom, testJob, type WorkerRoom } from './worker-room.ts';

let room: WorkerRoom;
beforeAll(async () => {
  room = await openWorkerRoom();
});
afterAll(() => room.close());

const LOCK_MS = 400;

it.each([
  ['of the only runtime', {}],
  ['of a runtime that shares limits with others', { slots: createSlots(2) }],
] as const)('an attempt %s ends when its lock is lost', async (name, changes) => {
  const bench = room.bench(`lock-lost-${name.length}`);
  const reasons: unknown[] = [];
  const job = testJob('locked', async (_payload, { signal }) => {
    signal.addEventListener('abort', () => reasons.push(signal.reason));
    if (reasons.length === 0) await new Promise(() => {});
    return undefined;
  });
  const id = await bench.enqueue(job, 'a');
  await bench.start([job], { ...changes, lockDurationMs: LOCK_MS });
  await until('it runs', () => bench.events.some(({ kind }) => kind === 'started'));
  await room.redis.set(`${bench.prefix}:locked:${id}:lock`, 'another worker');
  await until('it ends', () => reasons.length > 0);
  expect(reasons).toEqual([expect.objectContaining({ code: 'lock-lost' })]);
});
