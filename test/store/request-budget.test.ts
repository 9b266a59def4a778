import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeRedis, connectRedis } from '../../src/store/redis/connection.ts';
import { createRequestBudget } from '../../src/store/request-budget.ts';
import { openStoreRoom, type StoreRoom } from './store-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

const budget = (name: string, perSecond: number, redis = room.redis) =>
  createRequestBudget(redis, room.keys, { name, perSecond });

/** Times at which `count` requests were granted, in ms since the first. */
async function times(count: number, take: (index: number) => Promise<void>): Promise<number[]> {
  const began = performance.now();
  const all = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      await take(index);
      return performance.now() - began;
    }),
  );
  return all.toSorted((left, right) => left - right);
}

describe('a shared budget', () => {
  it('is shared by two connections, evenly over the second', async () => {
    const other = await connectRedis({ urls: room.url });
    const budgets = [budget('two', 100), budget('two', 100, other)];
    const passed = await times(60, (index) => budgets[index % 2]?.take() ?? Promise.reject());
    await closeRedis(other);
    // The sixtieth request is due 590 ms after the first; timers may be late but not early.
    expect(passed.at(-1)).toBeGreaterThan(570);
    for (const [index, at] of passed.entries()) expect(at).toBeGreaterThan(index * 10 - 20);
  });

  it('does not accumulate unused requests: there are no bursts after a pause', async () => {
    const one = budget('rest', 50);
    await one.take();
    await new Promise((resolve) => setTimeout(resolve, 200));
    const passed = await times(6, () => one.take());
    expect(passed.at(-1)).toBeGreaterThan(90);
  });

  it('delays callers whose slot is far ahead, and serves all of them', async () => {
    const one = budget('far', 20);
    const passed = await times(36, () => one.take());
    expect(passed.at(-1)).toBeGreaterThan(1_700);
  });

  it('rejects an aborted caller immediately, and no other one', async () => {
    const one = budget('gives-up', 4);
    const controller = new AbortController();
    await one.take();
    const patient = one.take();
    const impatient = Array.from({ length: 12 }, () => one.take(controller.signal));
    const settled = Promise.allSettled(impatient);
    controller.abort(new Error('enough'));
    const outcomes = await settled;
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.message)).toEqual(
      impatient.map(() => 'enough'),
    );
    await patient;
    await expect(one.take(controller.signal)).rejects.toThrow('enough');
  });

  it('does not delay other commands while a caller waits', async () => {
    const one = budget('others', 2);
    const waiting = [one.take(), one.take(), one.take()];
    let done = 0;
    for (const one of waiting) void one.then(() => (done += 1));
    for (let index = 0; index < 20; index += 1) await room.redis.ping();
    expect(done).toBeLessThan(waiting.length);
    await Promise.all(waiting);
  });

  it('is paused for all callers, and a shorter pause does not end it early', async () => {
    const budgets = [budget('shut', 1_000), budget('shut', 1_000)];
    const began = performance.now();
    await budgets[0]?.pause(500);
    await budgets[0]?.pause(50);
    await times(4, (index) => budgets[index % 2]?.take() ?? Promise.reject());
    expect(performance.now() - began).toBeGreaterThan(480);
  });

  it('survives a pause that is longer than slots are reserved ahead', async () => {
    const one = budget('long', 1_000);
    const began = performance.now();
    await one.pause(1_600);
    await times(3, () => one.take());
    expect(performance.now() - began).toBeGreaterThan(1_580);
  });

  it('leaves no key in Redis when it is not used', async () => {
    const one = budget('fleeting', 100);
    await one.take();
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await room.redis.exists(room.keys.budget('fleeting'))).toBe(0);
  });

  it('reports that it cannot be read, and rejects aborted callers, while Redis is unavailable', async () => {
    const gone = await connectRedis({ urls: room.url });
    await closeRedis(gone);
    await expect(budget('gone', 10, gone).take()).rejects.toMatchObject({
      code: 'unreachable',
      retryable: true,
    });
    await room.redis.set(room.keys.budget('broken'), 'not a number');
    await expect(budget('broken', 10).take()).rejects.toMatchObject({ code: 'unreachable' });
  });
});
