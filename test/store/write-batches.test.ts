import { once } from 'node:events';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openStoreRoom, type StoreRoom } from './store-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

/** The number of commands in each write to the socket while `work` runs. */
async function batchesOf(redis: Redis, work: () => Promise<unknown>): Promise<readonly number[]> {
  const together = vi.spyOn(redis.stream, '_writev');
  const single = vi.spyOn(redis.stream, '_write');
  await work();
  const sizes = [...together.mock.calls.map(([chunks]) => chunks.length), ...single.mock.calls.map(() => 1)];
  together.mockRestore();
  single.mockRestore();
  return sizes;
}

it('sends commands that are issued together in one write, also after the connection was lost', async () => {
  const redis = room.redis as Redis;
  const together = async () => {
    const written = Promise.all([
      redis.set('a', Buffer.from([0, 255])),
      redis.set('b', 'text'),
      redis.incr('c'),
    ]);
    expect((await written).slice(0, 2)).toEqual(['OK', 'OK']);
    expect(await redis.getBuffer('a')).toEqual(Buffer.from([0, 255]));
  };
  expect(await batchesOf(redis, together)).toEqual([3, 1]);
  redis.disconnect(true);
  await once(redis, 'ready');
  expect(await batchesOf(redis, together)).toEqual([3, 1]);
});
