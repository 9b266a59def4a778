import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAppliedObjects } from '../../../src/store/alerts/applied-objects.ts';
import { createCache } from '../../../src/store/facts/cache.ts';
import { closeRedis, connectRedis } from '../../../src/store/redis/connection.ts';
import { createRejectedStore } from '../../../src/store/rejected.ts';
import { openStoreRoom, type StoreRoom } from '../store-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

describe('the cache', () => {
  it('returns values in the requested order, and undefined for absent ones', async () => {
    const cache = createCache(room.redis, room.keys);
    const large = { text: randomBytes(20_000).toString('hex') };
    await cache.setMany(
      'kind',
      [
        ['a', { n: 1 }],
        ['large', large],
        ['null', null],
      ],
      60_000,
    );
    expect(await cache.getMany('kind', ['large', 'none', 'a', 'null'])).toEqual([
      large,
      undefined,
      { n: 1 },
      null,
    ]);
    expect(await cache.getMany('other', ['a'])).toEqual([undefined]);
    expect(await cache.getMany('kind', [])).toEqual([]);
  });

  it('accepts more entries than one command contains', async () => {
    const cache = createCache(room.redis, room.keys);
    const entries = Array.from({ length: 1_234 }, (_, index) => [`k${index}`, index] as const);
    await cache.setMany('many', entries, 60_000);
    const found = await cache.getMany(
      'many',
      entries.map(([key]) => key),
    );
    expect(found).toEqual(entries.map(([, value]) => value));
  });

  it('keeps values for the time set', async () => {
    const cache = createCache(room.redis, room.keys);
    await cache.setMany('kind', [['short', 1]], 5_000.4);
    const left = await room.redis.pttl(room.keys.cache('kind', 'short'));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(5_000);
  });

  it('treats a damaged value as a miss', async () => {
    await room.redis.set(room.keys.cache('kind', 'text'), 'not JSON');
    const frame = Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), randomBytes(40)]);
    await room.redis.set(room.keys.cache('kind', 'frame'), frame);
    const cache = createCache(room.redis, room.keys);
    expect(await cache.getMany('kind', ['text', 'frame'])).toEqual([undefined, undefined]);
  });

  it('reports that Redis is unavailable, and the work continues', async () => {
    const gone = await connectRedis({ urls: room.url });
    await closeRedis(gone);
    const problems: unknown[] = [];
    const cache = createCache(gone, room.keys, { onProblem: (error) => problems.push(error) });
    expect(await cache.getMany('kind', ['a', 'b'])).toEqual([undefined, undefined]);
    await cache.setMany('kind', [['a', 1]], 1_000);
    expect(problems).toHaveLength(2);
  });
});

describe('rejected payloads', () => {
  const entry = (id: string, at: number) => ({
    at: new Date(at).toISOString(),
    job: 'job',
    id,
    issues: [{ path: 'payload.scan', reason: 'missing' }],
    data: '{}',
  });

  it('are listed newest first, each job once', async () => {
    const rejected = createRejectedStore(room.redis, room.keys);
    await rejected.add(entry('a', 1_000));
    await rejected.add(entry('b', 2_000));
    await rejected.add(entry('a', 3_000));
    expect(await rejected.list()).toEqual([entry('a', 3_000), entry('b', 2_000)]);
    expect(await rejected.list(1)).toEqual([entry('a', 3_000)]);
  });

  it('are bounded in number and in size', async () => {
    await room.redis.del(room.keys.rejected, room.keys.rejectedOrder);
    const rejected = createRejectedStore(room.redis, room.keys);
    expect(await rejected.list()).toEqual([]);
    for (let index = 0; index < 1_005; index += 1) await rejected.add(entry(`j${index}`, 1_000 + index));
    const kept = await rejected.list(2_000);
    expect(kept).toHaveLength(1_000);
    expect(kept.at(-1)?.id).toBe('j5');
    expect(await room.redis.hlen(room.keys.rejected)).toBe(1_000);
    const issues = Array.from({ length: 80 }, () => ({ path: 'x', reason: 'y' }));
    await rejected.add({ ...entry('large', 9_000), data: 'x'.repeat(100_000), issues });
    const [large] = await rejected.list(1);
    expect(large?.data).toHaveLength(8_192);
    expect(large?.issues).toHaveLength(50);
  });
});

it('applied objects are remembered by account and id; what cannot be read counts as never applied', async () => {
  const applied = createAppliedObjects(room.redis, room.keys);
  const hook = { name: 'hook', fields: { url: 'hash-1' } };
  await applied.write('account', 'webhook/default', { name: 'before', fields: {} });
  await applied.write('account', 'webhook/default', hook);
  await applied.write('account', 'variable/TOKEN', { name: 'TOKEN', fields: { value: 'hash-2' } });
  await applied.write('other', 'webhook/default', { name: 'else', fields: {} });
  expect((await applied.read('account')).get('webhook/default')).toEqual(hook);
  await applied.remove('account', 'variable/TOKEN');
  await room.redis.hset(room.keys.applied('account'), 'variable/BROKEN', '{"name":');
  expect([...(await applied.read('account')).keys()]).toEqual(['webhook/default']);
  expect((await applied.read('other')).size).toBe(1);
});
