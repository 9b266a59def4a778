import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSeenVersions } from '../../../src/store/facts/seen-versions.ts';
import { locked, startFakeService } from '../../insights/fake-service.ts';
import { openStoreRoom, type StoreRoom } from '../store-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

const names = (count: number, before = 'NPM:p') =>
  Array.from({ length: count }, (_, at) => `${before}${at}@1.0.0`);

describe('seen versions', () => {
  it('are those that any process added, in order', async () => {
    await createSeenVersions(room.redis, room.keys).add(names(1_200));
    const other = createSeenVersions(room.redis, room.keys);
    const mixed = names(1_200).flatMap((name, at) => [name, `NPM:other${at}@1.0.0`]);
    expect(await other.has(mixed)).toEqual(mixed.map((_, at) => at % 2 === 0));
    expect(await other.has([])).toEqual([]);
  });

  it('are stored in arrays of integers and do not expire', async () => {
    await createSeenVersions(room.redis, room.keys).add(names(50, 'PYPI:q'));
    const [key = ''] = await room.redis.keys('*:seen:*');
    expect(await room.redis.object('ENCODING', key)).toBe('intset');
    expect(await room.redis.ttl(key)).toBe(-1);
  });

  it('beyond the bound of a bucket drop others at random', async () => {
    const one = { ...room.keys, seen: () => `${room.keys.prefix}:seen-one` };
    const seen = createSeenVersions(room.redis, one);
    await seen.add(names(2_000));
    expect(await room.redis.scard(one.seen())).toBe(500);
    expect(await room.redis.object('ENCODING', one.seen())).toBe('intset');
    expect((await seen.has(names(2_000))).filter(Boolean)).toHaveLength(500);
    await seen.add(names(500));
    expect(await room.redis.scard(one.seen())).toBe(500);
  });

  it('that cannot be read or written are an error', async () => {
    await room.redis.set(`${room.keys.prefix}:seen-text`, 'not ours');
    const seen = createSeenVersions(room.redis, {
      ...room.keys,
      seen: () => `${room.keys.prefix}:seen-text`,
    });
    await expect(seen.has(['a'])).rejects.toThrow(/WRONGTYPE/);
    await expect(seen.add(['a'])).rejects.toThrow(/WRONGTYPE/);
  });
});

describe('a version that the index no longer has', () => {
  it('was seen before when any target requested it while it was indexed', async () => {
    const service = await startFakeService({ seen: createSeenVersions(room.redis, room.keys) });
    const later = await startFakeService({ seen: createSeenVersions(room.redis, room.keys) });
    const signal = new AbortController().signal;
    try {
      const [gone, stays, never] = [locked('gone'), locked('stays'), locked('never')];
      await service.insights.resolve([gone, stays], { signal });
      later.behaviour.missing.add(gone.purl).add(never.purl);
      // The second look-up is answered from the cache.
      for (const _ of [1, 2]) {
        const { resolutions } = await later.insights.resolve([gone, stays, never], { signal });
        expect(resolutions).toMatchObject([
          { outcome: 'missing', seenBefore: true },
          { outcome: 'resolved' },
          { outcome: 'missing' },
        ]);
        expect(resolutions[2]).not.toHaveProperty('seenBefore');
      }
    } finally {
      await Promise.all([service.close(), later.close()]);
    }
  });
});
