import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeLockfileIds } from '../../../src/fleet/compact-lockfile.ts';
import type { TargetLockfile } from '../../../src/model/fleet/target-summary.ts';
import type { ResolvedLockfile } from '../../../src/model/scan/inventory.ts';
import { createInventories } from '../../../src/store/fleet/inventories.ts';
import { createPackageIds } from '../../../src/store/fleet/package-ids.ts';
import { createKeys } from '../../../src/store/keys.ts';
import { createOutcomeStore } from '../../../src/store/outcomes/outcomes.ts';
import { createTargetStore } from '../../../src/store/targets.ts';
import { openStoreRoom, type StoreRoom } from '../store-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

const AT = '2026-01-31T06:00:00Z';

function fileOf(path: string, ...names: readonly string[]): ResolvedLockfile {
  return {
    path,
    sha256: `content of ${names.join()}`,
    format: 'package-lock',
    problems: [],
    packages: names.map((name) => ({
      id: `${name}@1.0.0`,
      ecosystem: 'npm',
      name,
      version: '1.0.0',
      purl: `pkg:npm/${name}@1.0.0`,
      groups: [],
      integrity: [],
      source: { kind: 'registry' as const },
      resolution: { outcome: 'resolved' as const },
    })),
  };
}

function open(prefix: string) {
  const keys = createKeys(prefix);
  const packageIds = createPackageIds(room.redis, keys);
  const inventories = createInventories(room.redis, keys, packageIds);
  const outcomes = createOutcomeStore(room.redis, keys, { inventories });
  const targets = createTargetStore(room.redis, keys);
  let scans = 0;
  /** Saves a verdict whose scan read these files. */
  const save = async (target: string, ...read: readonly ResolvedLockfile[]) => {
    const before = await targets.read(target);
    scans += 1;
    return await outcomes.save('judge-scan', `s${scans}`, {
      result: {},
      next: [],
      state: {
        target,
        replaces: before?.revision ?? 0,
        state: {
          revision: (before?.revision ?? 0) + 1,
          scan: `s${scans}`,
          requestedAt: AT,
          findings: [],
          lockfiles: [],
        },
        lockfiles: { before: before?.lockfiles ?? [], read },
        summary: { labels: {}, open: {}, openByRule: {}, requestedAt: AT },
      },
    });
  };
  const lockfiles = async (target: string): Promise<readonly TargetLockfile[]> =>
    (await targets.read(target))?.lockfiles ?? [];
  const stored = async () => {
    const hashes: string[] = [];
    for await (const part of inventories.idLists()) hashes.push(...part.keys());
    return hashes.sort();
  };
  return { keys, packageIds, inventories, save, lockfiles, stored };
}

describe('the inventory of a lockfile', () => {
  it('is stored with the state of its target, and read by its key', async () => {
    const { save, lockfiles, inventories, stored } = open('one');
    await save('shop', fileOf('a.json', 'x', 'y'));
    const [file] = await lockfiles('shop');
    expect(file).toMatchObject({ path: 'a.json', sha256: 'content of x,y' });
    const { packages, format } = await inventories.read(file?.inventory ?? '');
    expect(format).toBe('package-lock');
    expect(packages.map(({ locked }) => locked.purl)).toEqual(['pkg:npm/x@1.0.0', 'pkg:npm/y@1.0.0']);
    expect(await stored()).toEqual([file?.inventory]);
  });

  it('is stored once for all targets that have it, and removed with the last of them', async () => {
    const { save, lockfiles, stored, keys } = open('shared');
    await save('one', fileOf('a.json', 'x'));
    await save('two', fileOf('b.json', 'x'));
    const shared = (await lockfiles('one'))[0]?.inventory;
    expect((await lockfiles('two'))[0]?.inventory).toBe(shared);
    await save('one', fileOf('a.json', 'y'));
    const own = (await lockfiles('one'))[0]?.inventory;
    expect(await stored()).toEqual([shared, own].sort());
    await save('two', fileOf('b.json', 'y'));
    expect(await stored()).toEqual([own]);
    expect(await room.redis.hgetall(keys.inventoryUses)).toEqual({ [own ?? '']: '2' });
    expect(await room.redis.exists(keys.lockfileInventory(shared ?? ''))).toBe(0);
  });

  it('counts once for a target that has it at two places', async () => {
    const { save, stored } = open('twice');
    await save('one', fileOf('a.json', 'x'), fileOf('b.json', 'x'));
    expect(await stored()).toHaveLength(1);
    await save('one', fileOf('a.json', 'y'));
    expect(await stored()).toHaveLength(1);
    await save('one');
    expect(await stored()).toEqual([]);
  });

  it('says what to do when it is damaged or absent', async () => {
    const { save, lockfiles, inventories, keys } = open('damaged');
    await save('one', fileOf('a.json', 'x'));
    const hash = (await lockfiles('one'))[0]?.inventory ?? '';
    await room.redis.hdel(keys.packageNames, '1');
    const fresh = createInventories(room.redis, keys, createPackageIds(room.redis, keys));
    await expect(fresh.read(hash)).rejects.toMatchObject({ code: 'state-corrupt' });
    await room.redis.set(keys.lockfileInventory(hash), '{');
    await expect(inventories.read(hash)).rejects.toThrow('A scan of its targets replaces it');
    await expect(inventories.read('00')).rejects.toThrow('it is absent');
  });
});

describe('ids that Redis has lost', () => {
  it('are given out again before an inventory holds them', async () => {
    const { save, keys, lockfiles, inventories } = open('lost');
    await save('one', fileOf('a.json', 'x', 'y'));
    // As after the failover to a replica that lacks the last writes; another process then uses the ids.
    const everything = await room.redis.keys(`${keys.prefix}:*`);
    await room.redis.del(...everything);
    await createPackageIds(room.redis, keys).intern(['NPM:q@1', 'NPM:r@1', 'NPM:s@1']);
    expect(await save('two', fileOf('a.json', 'x', 'y'))).toEqual({ status: 'state-moved' });
    expect(await save('two', fileOf('a.json', 'x', 'y'))).toMatchObject({ status: 'saved' });
    const { packages } = await inventories.read((await lockfiles('two'))[0]?.inventory ?? '');
    expect(packages.map(({ locked }) => locked.name)).toEqual(['x', 'y']);
  });
});

describe('ids of packages', () => {
  it('are the same for every process, and small', async () => {
    const { packageIds, keys } = open('ids');
    const first = await packageIds.intern(['NPM:a@1', 'NPM:b@1', 'NPM:a@1']);
    expect(first).toEqual([1, 2, 1]);
    const other = createPackageIds(room.redis, keys);
    expect(await other.intern(['NPM:b@1', 'NPM:c@1'])).toEqual([2, 3]);
    expect(await other.find(['NPM:c@1', 'NPM:d@1'])).toEqual(new Map([['NPM:c@1', 3]]));
    expect(await other.identities([3, 99])).toEqual(['NPM:c@1', undefined]);
  });

  it('are forgotten an hour after they were interned at the earliest', async () => {
    let time = 0;
    const keys = createKeys('forget');
    const packageIds = createPackageIds(room.redis, keys, () => time);
    await packageIds.intern(['NPM:a@1', 'NPM:b@1']);
    await packageIds.forget([1, 2]);
    expect((await packageIds.find(['NPM:a@1'])).size).toBe(1);
    time = 3_700_000;
    await createPackageIds(room.redis, keys, () => time).intern(['NPM:b@1']);
    await packageIds.forget([1, 2]);
    expect(await packageIds.find(['NPM:a@1', 'NPM:b@1'])).toEqual(new Map([['NPM:b@1', 2]]));
  });

  it('of a fleet are listed', async () => {
    const { packageIds, save, inventories } = open('lists');
    await save('one', fileOf('a.json', 'x', 'y'));
    await save('two', fileOf('a.json', 'y', 'z'));
    const held = new Set<number>();
    for await (const part of inventories.idLists()) {
      for (const list of part.values()) for (const id of decodeLockfileIds(list).lookedUp) held.add(id);
    }
    const names: string[] = [];
    for await (const part of packageIds.scan()) names.push(...part.map(([, identity]) => identity));
    expect(names.sort()).toEqual(['NPM:x@1.0.0', 'NPM:y@1.0.0', 'NPM:z@1.0.0']);
    expect(held.size).toBe(3);
  });
});
