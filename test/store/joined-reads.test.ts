import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinedReads } from '../../src/store/redis/joined-reads.ts';
import { openStoreRoom, type StoreRoom } from './store-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
  await room.redis.set('{a}:text', 'ä');
  await room.redis.hset('{a}:hash', 'one', Buffer.from([0, 255]), 'two', '2');
  await room.redis.zadd('{a}:sorted', 1, 'early', 2, 'late');
});
afterAll(() => room.close());

describe('reads of one turn of the event loop', () => {
  const all = () => {
    const reads = joinedReads(room.redis);
    return Promise.all([
      reads.get('{a}:text'),
      reads.get('{a}:absent'),
      reads.hget('{a}:hash', 'one'),
      reads.hget('{a}:hash', 'three'),
      reads.hmget('{a}:hash', ['three', 'two']),
      reads.zrangebyscore('{a}:sorted', 2, '+inf'),
    ]);
  };

  it('are answered as if each were sent alone', async () => {
    const replies = ['ä', null, Buffer.from([0, 255]), null, [null, '2'], ['late']];
    expect(await all()).toEqual(replies);
    const reads = joinedReads(room.redis);
    expect(await reads.get('{a}:text')).toBe('ä');
    expect(await reads.hmget('{a}:absent', ['one'])).toEqual([null]);
  });

  it('are one script for each hash tag, and a single one is a command', async () => {
    const reads = joinedReads(room.redis);
    await all();
    const [before, between] = [await scriptsRun(), await all().then(scriptsRun)];
    expect(between - before).toBe(1);
    await Promise.all([reads.get('{a}:text'), reads.get('{b}:text')]);
    expect(await scriptsRun()).toBe(between);
  });

  it('do not fail with another one', async () => {
    const reads = joinedReads(room.redis);
    const [text, wrong] = await Promise.allSettled([reads.get('{a}:text'), reads.get('{a}:hash')]);
    expect(text).toEqual({ status: 'fulfilled', value: 'ä' });
    expect(wrong).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringContaining('WRONGTYPE') },
    });
  });

  it('are all answered when there are many', async () => {
    const reads = joinedReads(room.redis);
    const many = Array.from({ length: 50 }, () => reads.get('{a}:text'));
    expect(new Set(await Promise.all(many))).toEqual(new Set(['ä']));
  });
});

async function scriptsRun(): Promise<number> {
  const stats = await room.redis.info('commandstats');
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1]);
}
