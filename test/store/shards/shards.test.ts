import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSeenVersions } from '../../../src/store/facts/seen-versions.ts';
import { createKeys, isSharedKey } from '../../../src/store/keys.ts';
import { createShardLayouts, requireLayout, shardOf } from '../../../src/store/shards/shard-layout.ts';
import { openStoreRoom, type StoreRoom } from '../store-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

describe('the shard of a target', () => {
  // The same vectors are in docs/producers.md.
  it.each([
    ['shop', 2892647586, 0, 2],
    ['team/payments', 758351001, 1, 1],
    ['größe', 1540598153, 1, 1],
    ['lockhound:contract', 1660882044, 0, 0],
    ['a', 3904355907, 1, 3],
  ])('is that of the CRC-32 of its id: %s', (target, crc, ofTwo, ofFour) => {
    expect(shardOf(target, 2 ** 32)).toBe(crc);
    expect(shardOf(target, 1)).toBe(0);
    expect(shardOf(target, 2)).toBe(ofTwo);
    expect(shardOf(target, 4)).toBe(ofFour);
  });

  it('spreads targets evenly', () => {
    const counts = Array.from({ length: 8 }, () => 0);
    for (let number = 0; number < 8_000; number += 1) {
      const index = shardOf(`org/repository-${number}`, 8);
      counts[index] = (counts[index] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(900);
    expect(Math.max(...counts)).toBeLessThan(1_100);
  });
});

describe('keys', () => {
  it('of one shard are those of a deployment without shards', () => {
    const keys = createKeys('{lockhound}');
    expect(keys.blob('ab')).toBe('{lockhound}:blob:ab');
    expect(keys.cache('version', 'x')).toBe('{lockhound}:cache:version:x');
    expect(keys.seen(17)).toBe('{lockhound}:seen:17');
    expect(keys.lock('apply')).toBe('{lockhound}:lock:apply');
    expect(keys.claim('reconcile')).toBe('{lockhound}:lock:reconcile');
    expect(keys.target('shop')).toBe('{lockhound}:target:shop');
    expect(createKeys('{lockhound}', { index: 0, count: 1 })).toMatchObject(JSON.parse(JSON.stringify(keys)));
  });

  it('of several shards have the tag of their shard, of the prefix, or none', () => {
    const keys = createKeys('{lockhound}', { index: 2, count: 4 });
    expect(keys.prefix).toBe('{lockhound-4-2}');
    expect(keys.target('shop')).toBe('{lockhound-4-2}:target:shop');
    expect(keys.stoppedRoutes).toBe('{lockhound}:stopped-routes');
    expect(keys.blob('ab')).toBe('lockhound:blob:ab');
    expect(keys.seen(17)).toBe('{lockhound}:seen:17');
    const other = createKeys('{lockhound}', { index: 3, count: 4 });
    expect(other.claim('reconcile')).not.toBe(keys.claim('reconcile'));
  });
});

describe('shared keys', () => {
  it('are those that are the same for each number of shards', () => {
    const one = Object.entries(createKeys('{lockhound}')).filter(([name]) => name !== 'facts');
    const several = new Map(Object.entries(createKeys('{lockhound}', { index: 1, count: 2 })));
    const textOf = (own: unknown): string => (typeof own === 'function' ? own('x', 'y') : String(own));
    for (const [name, own] of one) {
      if (name === 'claim') continue;
      const isSame = textOf(own) === textOf(several.get(name));
      expect([name, isSharedKey('{lockhound}', textOf(own))]).toEqual([name, isSame]);
    }
    expect(isSharedKey('{lockhound}', '{lockhound}:ingest-lockfiles:wait')).toBe(false);
    expect(isSharedKey('{lockhound}', '{lockhound}:facts:version:answered')).toBe(false);
  });
});

describe('what all shards share', () => {
  it('is read in the order in which it was asked for', async () => {
    const keys = createKeys('{spread}', { index: 0, count: 4 });
    const other = createKeys('{spread}', { index: 3, count: 4 });
    const names = Array.from({ length: 1_200 }, (_, number) => `NPM:p${number}@1.0.0`);
    const known = names.filter((_, index) => index % 3 === 0);
    await createSeenVersions(room.redis, keys).add(known);
    const found = await createSeenVersions(room.redis, other).has(names);
    expect(found).toEqual(names.map((_, index) => index % 3 === 0));
  });
});

describe('the stored number of shards', () => {
  it('is stored by the first worker; workers with another number do not run', async () => {
    const layouts = createShardLayouts(room.redis, '{first}');
    expect(await layouts.read()).toBeUndefined();
    expect(await layouts.enter('w1', 4, 60_000)).toMatchObject({ shards: 4 });
    const stored = await layouts.enter('w2', 2, 60_000);
    expect(() => requireLayout(stored, 2)).toThrow(/spread over 4 shards, and redis.shards is 2/);
    expect(() => requireLayout(stored, 4)).not.toThrow();
    await layouts.leave('w1');
    expect(await layouts.begin({ shards: 4, move: { from: 4, to: 2 } })).toEqual([]);
    expect(await layouts.read()).toMatchObject({ shards: 4, move: { from: 4, to: 2 } });
  });

  it('is 1 for a deployment of an earlier release', async () => {
    await room.redis.sadd('{earlier}:targets', 'shop');
    const stored = await createShardLayouts(room.redis, '{earlier}').enter('w', 4, 60_000);
    expect(stored.shards).toBe(1);
    expect(() => requireLayout(stored, 4)).toThrow(/over 1 shard, and redis.shards is 4/);
  });

  it('changes only while no worker runs, and no worker starts meanwhile', async () => {
    const layouts = createShardLayouts(room.redis, '{moving}');
    await layouts.enter('w1', 1, 60_000);
    await layouts.enter('killed', 1, 1);
    const move = { shards: 1, move: { from: 1, to: 3 } };
    // The entry of a worker that was killed expires.
    await expect.poll(() => layouts.begin(move)).toEqual(['w1']);
    await layouts.leave('w1');
    expect(await layouts.begin(move)).toEqual([]);
    const stored = await layouts.enter('w2', 1, 60_000);
    expect(() => requireLayout(stored, 1)).toThrow(/is being changed from 1 to 3/);
    expect(await room.redis.zcard('{moving}:workers')).toBe(0);
  });
});
