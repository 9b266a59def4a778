import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CACHED_ADVISORY, CACHED_VERSION } from '../../../src/model/stored/catalog.ts';
import { createFactStore } from '../../../src/store/facts/facts.ts';
import { createTargetRemoval } from '../../../src/store/fleet/forget-target.ts';
import { createGarbageCollection } from '../../../src/store/fleet/garbage.ts';
import { createTargetSummaries } from '../../../src/store/fleet/target-summaries.ts';
import { randomOf } from '../../seeded-random.ts';
import { openStoreRoom, type StoreRoom } from '../store-room.ts';
import { npmFile, openFleet } from './fleet-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A fleet with a clock that is moved, as one process has it. */
function processOf(prefix: string, clock: { now: number }) {
  const now = () => clock.now;
  const fleet = openFleet(room.redis, prefix, { now });
  const ttl = { recordTtlMs: HOUR_MS, missTtlMs: HOUR_MS, now };
  const facts = {
    versions: createFactStore(room.redis, fleet.keys, CACHED_VERSION, ttl),
    advisories: createFactStore(room.redis, fleet.keys, CACHED_ADVISORY, ttl),
  };
  return {
    ...fleet,
    facts,
    collect: createGarbageCollection(room.redis, fleet.keys, {
      packageIds: fleet.packageIds,
      inventories: fleet.inventories,
      facts,
      recordTtlMs: HOUR_MS,
      now,
    }),
    forget: createTargetRemoval(room.redis, fleet.keys, createTargetSummaries(room.redis, fleet.keys)),
  };
}

function version(name: string, advisoryIds: readonly string[] = []) {
  const versionKey = { system: 'NPM' as const, name, version: '1.0.0' };
  const record = { versionKey, isDefault: true, isDeprecated: false, licenses: [], advisoryIds };
  return [`NPM:${name}@1.0.0`, { record }] as const;
}

function advisory(id: string) {
  return [id, { record: { id, url: '', title: '', aliases: [] } }] as const;
}

describe('the garbage collection', () => {
  it('removes ids after an hour, facts after a day without an answer, and advisories that no version names', async () => {
    const clock = { now: Date.parse('2026-05-01T00:00:00Z') };
    const one = processOf('garbage', clock);
    await one.facts.versions.learn([version('kept', ['GHSA-kept']), version('gone', ['GHSA-gone'])]);
    await one.facts.advisories.learn([
      advisory('GHSA-kept'),
      advisory('GHSA-gone'),
      advisory('GHSA-unnamed'),
    ]);
    await one.save('a', [npmFile('package-lock.json', ['kept@1.0.0'])]);
    await one.save('b', [npmFile('package-lock.json', ['gone@1.0.0', 'kept@1.0.0'])]);
    expect(await one.forget('b')).toMatchObject({ inventories: 1 });
    expect(await one.collect()).toEqual({ packageIds: 0, versions: 0, advisories: 1 });
    clock.now += 2 * HOUR_MS;
    expect(await one.collect()).toEqual({ packageIds: 1, versions: 0, advisories: 0 });
    expect([...(await one.packageIds.find(['NPM:gone@1.0.0', 'NPM:kept@1.0.0'])).keys()]).toEqual([
      'NPM:kept@1.0.0',
    ]);
    clock.now += DAY_MS;
    // They are in the memory of the process from now on.
    await one.facts.versions.read(['NPM:kept@1.0.0', 'NPM:gone@1.0.0']);
    await one.facts.advisories.read(['GHSA-kept', 'GHSA-gone']);
    expect(await one.collect()).toEqual({ packageIds: 0, versions: 1, advisories: 0 });
    expect(await one.collect()).toEqual({ packageIds: 0, versions: 0, advisories: 1 });
    const [kept, gone] = await one.facts.versions.read(['NPM:kept@1.0.0', 'NPM:gone@1.0.0']);
    expect([kept === undefined, gone === undefined]).toEqual([false, true]);
    expect(await one.facts.advisories.read(['GHSA-kept', 'GHSA-gone'])).toEqual([
      expect.anything(),
      undefined,
    ]);
    const [file] = (await one.targets.read('a'))?.lockfiles ?? [];
    expect((await one.inventories.read(file?.inventory ?? '')).packages).toHaveLength(1);
  });

  it('keeps a fact that a scan is using: one that the service answered within a day', async () => {
    const clock = { now: Date.parse('2026-05-01T00:00:00Z') };
    const one = processOf('garbage-fresh', clock);
    await one.facts.versions.learn([version('x')]);
    clock.now += 3 * DAY_MS;
    await one.facts.versions.learn([version('x')]);
    clock.now += DAY_MS;
    expect(await one.collect()).toMatchObject({ versions: 0 });
    clock.now += 2 * HOUR_MS;
    expect(await one.collect()).toMatchObject({ versions: 1 });
  });

  it('takes no id for unused when a list of ids is damaged', async () => {
    const clock = { now: Date.parse('2026-05-01T00:00:00Z') };
    const one = processOf('garbage-damaged', clock);
    await one.save('a', [npmFile('package-lock.json', ['x@1.0.0'])]);
    const [file] = (await one.targets.read('a'))?.lockfiles ?? [];
    const hash = file?.inventory ?? '';
    const key = one.keys.idLists(Number.parseInt(hash.slice(0, 2), 16));
    await room.redis.hset(key, hash, Buffer.of(9, 0, 0, 0));
    clock.now += DAY_MS;
    await expect(one.collect()).rejects.toThrow(RangeError);
    expect((await one.packageIds.find(['NPM:x@1.0.0'])).size).toBe(1);
  });

  it('never removes an id that an inventory holds, whatever scans of two processes save meanwhile', async () => {
    const random = randomOf('GARBAGE_SEED');
    const clock = { now: Date.parse('2026-05-01T00:00:00Z') };
    const processes = [processOf('garbage-race', clock), processOf('garbage-race', clock)];
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
    const { keys } = processOf('garbage-race', clock);
    let removed = 0;
    for (let round = 0; round < 25; round += 1) {
      const work = Array.from({ length: 6 }, async () => {
        const { save, forget } = pick(processes);
        const target = `t${Math.floor(random() * 5)}`;
        if (random() < 0.2) return void (await forget(target));
        const ids = Array.from({ length: 5 }, () => `p${Math.floor(random() * 80)}@1.0.0`);
        // Two scans of one target at the same time: one of them is to run again.
        await save(target, [npmFile('package-lock.json', [...new Set(ids)])]);
      });
      const collection = pick(processes).collect();
      await Promise.all(work);
      removed += (await collection).packageIds;
      // A process that remembers no names.
      const { inventories } = openFleet(room.redis, 'garbage-race');
      for (const hash of await room.redis.hkeys(keys.inventoryUses)) await inventories.read(hash);
      clock.now += Math.floor(random() * 50) * 60_000;
    }
    expect(removed).toBeGreaterThan(10);
  });
});
