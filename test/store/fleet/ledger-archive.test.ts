import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heldPeriods } from '../../../src/fleet/ledger/held-periods.ts';
import { NOT_KNOWN } from '../../../src/fleet/ledger/ledger-entries.ts';
import type { LedgerEntry } from '../../../src/model/fleet/ledger.ts';
import type { ObjectStorage } from '../../../src/model/ports/object-storage.ts';
import { createTargetRemoval } from '../../../src/store/fleet/forget-target.ts';
import { createLedger } from '../../../src/store/fleet/ledger.ts';
import { createLedgerArchive, lastArchive } from '../../../src/store/fleet/ledger-archive.ts';
import { createLedgerImport } from '../../../src/store/fleet/ledger-import.ts';
import { createTargetSummaries } from '../../../src/store/fleet/target-summaries.ts';
import type { RedisClient } from '../../../src/store/redis/connection.ts';
import { openStoreRoom, type StoreRoom } from '../store-room.ts';
import { AT, npmFile, openFleet } from './fleet-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

const DAY_MS = 86_400_000;
const FIRST_MS = Date.parse(AT);

/** A storage in memory. `isAway`: every call fails. `onCall` runs before and after each change. */
function memoryStorage() {
  const objects = new Map<string, Buffer>();
  const state: { isAway?: boolean; onCall?: (step: string) => void | Promise<void> } = {};
  const call = async <Result>(step: string, run: () => Result): Promise<Result> => {
    if (state.isAway === true) throw new Error('it is away');
    await state.onCall?.(`before ${step}`);
    const result = run();
    await state.onCall?.(`after ${step}`);
    return result;
  };
  const storage: ObjectStorage = {
    put: (name, content) => call('put', () => void objects.set(name, content)),
    get: (name) => call('get', () => objects.get(name)),
    remove: (name) => call('remove', () => void objects.delete(name)),
  };
  return { storage, objects, state };
}

/** A fleet with a target `t` whose package changed on each of some days, one scan a day. */
async function open(name: string, { days = 40, keepDays = 10_000 } = {}) {
  const memory = memoryStorage();
  const { storage, objects } = memory;
  const clock = { ms: FIRST_MS };
  const now = () => clock.ms;
  const settings = { keepMs: () => keepDays * DAY_MS };
  const fleet = openFleet(room.redis, name, { now, storage, keepMs: () => settings.keepMs() });
  const { keys } = fleet;
  const ledger = createLedger(room.redis, keys, storage);
  let day = 0;
  const scan = async () => {
    clock.ms = FIRST_MS + day * DAY_MS;
    day += 1;
    const requestedAt = new Date(clock.ms).toISOString();
    await fleet.save('t', [npmFile('f', [`a@${day}.0.0`])], { ledger: { requestedAt } });
  };
  for (let count = 0; count < days; count += 1) await scan();
  const archive = async (redis: RedisClient = room.redis) =>
    await createLedgerArchive(redis, keys, { storage, afterMs: DAY_MS, now })();
  const read = async () => {
    const codes: string[] = [];
    const entries = await ledger.read('t', ({ code }) => void codes.push(code));
    return { entries, codes, scans: scansOf(entries) };
  };
  const head = async () => {
    let [since, ids] = [0, 0];
    for await (const { heads } of ledger.heads()) {
      since = heads.get('t')?.since ?? since;
      ids += heads.get('t')?.ids.length ?? 0;
    }
    return { since, ids };
  };
  const forget = createTargetRemoval(room.redis, keys, createTargetSummaries(room.redis, keys), storage);
  const unused = async () => await room.redis.hgetall(keys.unusedObjects);
  const elements = async () => await room.redis.lrangeBuffer(keys.ledger('t'), 0, -1);
  const referred = async () =>
    (await elements()).flatMap((one) => /^archived:.*"object":"(\w+)"/.exec(String(one))?.[1] ?? []);
  /** After a pass that nothing disturbs, the storage has what ledgers refer to and nothing else. */
  const expectWhole = async (entries: readonly LedgerEntry[]) => {
    clock.ms += 10 * DAY_MS;
    await archive();
    expect(await read()).toEqual({ entries, codes: [], scans: scansOf(entries) });
    expect([...objects.keys()].sort()).toEqual((await referred()).sort());
    expect(await unused()).toEqual({});
  };
  return {
    ...fleet,
    ...memory,
    clock,
    settings,
    scan,
    archive,
    read,
    head,
    forget,
    unused,
    elements,
    referred,
    expectWhole,
  };
}

function scansOf(entries: readonly LedgerEntry[]): readonly string[] {
  return entries.map(({ scan, start }) => (start === true ? `${scan} start` : scan));
}

describe('old blocks of a ledger', () => {
  it('are in the storage, and are read as before', async () => {
    const fleet = await open('moved');
    const before = await fleet.read();
    const head = await fleet.head();
    expect(await fleet.archive()).toEqual({ archived: 2, removed: 0 });
    expect(fleet.objects.size).toBe(2);
    expect((await fleet.elements()).map((one) => one.toString('utf8', 0, 9))).toEqual([
      ...Array(2).fill('archived:'),
      ...Array(8).fill('{"entries'),
    ]);
    expect(await fleet.read()).toEqual(before);
    expect(await fleet.archive()).toEqual({ archived: 0, removed: 0 });
    // The next block is the third one.
    for (let day = 40; day < 80; day += 1) await fleet.scan();
    expect(await fleet.archive()).toEqual({ archived: 2, removed: 0 });
    const { scans } = await fleet.read();
    expect(scans).toEqual(['t-s1 start', ...Array.from({ length: 79 }, (_, index) => `t-s${index + 2}`)]);
    expect((await fleet.head()).since).toBe(head.since);
    await fleet.expectWhole((await fleet.read()).entries);
  });

  it('stay in Redis while they are young, and when the storage does not keep what it gets', async () => {
    const fleet = await open('young', { days: 16 });
    expect(await lastArchive(room.redis, fleet.keys)).toBeUndefined();
    expect(await fleet.archive()).toEqual({ archived: 0, removed: 0 });
    fleet.clock.ms += 2 * DAY_MS;
    const { entries } = await fleet.read();
    fleet.state.onCall = (step) => {
      if (step === 'after put')
        for (const [name, one] of fleet.objects) fleet.objects.set(name, one.subarray(9));
    };
    await expect(fleet.archive()).rejects.toMatchObject({ code: 'storage-away' });
    delete fleet.state.onCall;
    fleet.state.isAway = true;
    await expect(fleet.archive()).rejects.toMatchObject({ code: 'storage-away' });
    expect(await fleet.read()).toMatchObject({ entries, codes: [] });
    const state = () => lastArchive(room.redis, fleet.keys);
    expect(await state()).toEqual({ waiting: 1, error: 'it is away', succeededAt: FIRST_MS + 15 * DAY_MS });
    fleet.state.isAway = false;
    await fleet.archive();
    expect(await state()).toEqual({ waiting: 0, succeededAt: fleet.clock.ms });
    await fleet.expectWhole(entries);
  });

  it('are a gap while the storage is away, and when it has other bytes or nothing', async () => {
    const fleet = await open('gap');
    await fleet.archive();
    const whole = await fleet.read();
    const [first = '', second = ''] = await fleet.referred();
    const kept = new Map(fleet.objects);
    fleet.state.isAway = true;
    const away = await fleet.read();
    expect(away.codes).toEqual(['storage-away', 'storage-away']);
    expect(away.scans.slice(0, 2)).toEqual(['t-s33 start', 't-s34']);
    fleet.state.isAway = false;
    for (const wrong of [kept.get(first)?.subarray(0, 20), kept.get(first), undefined]) {
      if (wrong === undefined) fleet.objects.delete(second);
      else fleet.objects.set(second, wrong);
      const { codes, scans } = await fleet.read();
      expect(codes).toEqual(['state-corrupt']);
      expect(scans.slice(15, 18)).toEqual(['t-s16', 't-s33 start', 't-s34']);
    }
    fleet.objects.set(second, kept.get(second) as Buffer);
    expect(await fleet.read()).toEqual(whole);
    // Without a configured storage, too.
    const codes: string[] = [];
    await createLedger(room.redis, fleet.keys).read('t', ({ code }) => void codes.push(code));
    expect(codes).toEqual(['storage-away', 'storage-away']);
  });

  it('are a gap at the end, too: what is held now was not held all the time', async () => {
    const fleet = await open('end', { days: 32 });
    fleet.clock.ms += 10 * DAY_MS;
    expect(await fleet.archive()).toEqual({ archived: 2, removed: 0 });
    const { entries } = await fleet.read();
    fleet.objects.delete((await fleet.referred())[1] ?? '');
    const { entries: left, codes, scans } = await fleet.read();
    expect(codes).toEqual(['state-corrupt']);
    expect(scans.slice(15)).toEqual(['t-s16', ' start']);
    expect(left.at(-1)?.at).toBe(entries.at(-1)?.at);
    const now = [...(await fleet.packageIds.find(['NPM:a@32.0.0'])).values()];
    const wanted = { has: (id: number) => now.includes(id) };
    const [period] = heldPeriods(left, new Map([['f', now]]), wanted);
    expect(period?.notKnownBefore).toBe(entries.at(-1)?.at);
    // Of a block in Redis it is not known when it ended.
    await room.redis.del(fleet.keys.ledger('t'));
    await room.redis.rpush(fleet.keys.ledger('t'), 'damaged');
    expect((await fleet.read()).scans).toEqual([' start']);
  });

  it('are archived where another ledger is damaged', async () => {
    const fleet = await open('wrong-type');
    await fleet.save('other', [npmFile('f', ['a@1.0.0'])]);
    await room.redis.set(fleet.keys.ledger('other'), 'no list');
    expect(await fleet.archive()).toEqual({ archived: 2, removed: 0 });
    const codes: string[] = [];
    const ledger = createLedger(room.redis, fleet.keys);
    expect(await ledger.read('other', ({ code }) => void codes.push(code))).toEqual([]);
    expect(codes).toEqual(['state-corrupt']);
  });

  it('are neither lost nor left behind by a worker that is killed at any point', async () => {
    const steps = ['before put', 'after put', 'before get', 'after get'];
    for (const [round, at] of steps.entries()) {
      const fleet = await open(`killed-${round}`);
      const { entries } = await fleet.read();
      fleet.state.onCall = (step) => {
        if (step === at) throw new Error('killed');
      };
      await expect(fleet.archive()).rejects.toThrow('killed');
      delete fleet.state.onCall;
      expect(Object.keys(await fleet.unused())).toHaveLength(1);
      await fleet.expectWhole(entries);
    }
    for (const [round, name] of ['hset', 'callBuffer'].entries()) {
      for (const when of ['before', 'after']) {
        const fleet = await open(`killed-redis-${round}-${when}`);
        const { entries } = await fleet.read();
        await expect(fleet.archive(killedAt(name, when))).rejects.toThrow('killed');
        await fleet.expectWhole(entries);
      }
    }
  });

  it.each([
    ['after put', false],
    ['after get', false],
    ['after put', true],
    ['after get', true],
  ])('are archived once while scans and other passes run (%s, takes hours: %s)', async (at, isSlow) => {
    const fleet = await open(`busy-${at}-${isSlow}`, { days: 45 });
    let isBusy = false;
    fleet.state.onCall = async (step) => {
      if (step !== at || isBusy) return;
      isBusy = true;
      const { ms } = fleet.clock;
      for (let day = 0; day < 5; day += 1) await fleet.scan();
      if (!isSlow) fleet.clock.ms = ms;
      await fleet.archive();
    };
    // Another pass takes the object of one that takes hours for one of a dead worker.
    await fleet.archive().catch((error) => expect([isSlow, error.code]).toEqual([true, 'storage-away']));
    const { scans, entries } = await fleet.read();
    expect(scans).toHaveLength(50);
    expect(new Set(await fleet.referred()).size).toBe((await fleet.referred()).length);
    await fleet.expectWhole(entries);
    expect(await fleet.referred()).toHaveLength(3);
  });

  it('leave the storage when they are older than `keep`', async () => {
    const fleet = await open('dropped', { keepDays: 60 });
    await fleet.archive();
    for (let day = 40; day < 110; day += 1) {
      await fleet.scan();
      if (day % 20 === 0) await fleet.archive();
    }
    const { entries, codes } = await fleet.read();
    expect(codes).toEqual([]);
    expect(entries.length).toBeLessThan(85);
    expect(await fleet.head()).toMatchObject({ since: entries[0]?.at });
    await fleet.expectWhole(entries);
    // A storage that is away drops nothing, and delays no scan.
    fleet.state.isAway = true;
    for (let day = 110; day < 200; day += 1) await fleet.scan();
    fleet.state.isAway = false;
    expect((await fleet.read()).entries).toHaveLength(entries.length + 90);
    for (let day = 200; day < 220; day += 1) await fleet.scan();
    const later = await fleet.read();
    expect(later.entries.length).toBeLessThan(85);
    await fleet.expectWhole(later.entries);
  });

  it('leave the storage with a ledger that is turned off or imported again', async () => {
    const fleet = await open('replaced');
    await fleet.archive();
    const imported = createLedgerImport(room.redis, fleet.keys, fleet.inventories, {
      storage: fleet.storage,
    });
    const before = Array.from({ length: 20 }, (_, at) => ({ at: at + 1, scan: `import.${at}` }));
    fleet.state.isAway = true;
    await expect(imported('t')).rejects.toMatchObject({ code: 'storage-away' });
    fleet.state.isAway = false;
    const known = await imported('t');
    fleet.state.isAway = true;
    await expect(known?.write(before)).rejects.toMatchObject({ code: 'storage-away' });
    fleet.state.isAway = false;
    expect(await known?.write(before)).toBe(true);
    expect(await fleet.referred()).toEqual([]);
    const { entries } = await fleet.read();
    expect(entries).toHaveLength(60);
    await fleet.expectWhole(entries);
    expect(fleet.objects.size).toBe(4);
    fleet.settings.keepMs = () => 0;
    await fleet.scan();
    await fleet.expectWhole([]);
  });
});

describe('a head that needs a block in the storage', () => {
  it('is not known until the storage answers', async () => {
    const fleet = await open('head');
    await fleet.archive();
    // A worker without a ledger has saved the target.
    await room.redis.hset(fleet.keys.target('t'), 'ledger', '1');
    fleet.state.isAway = true;
    await fleet.scan();
    await fleet.scan();
    expect(await fleet.head()).toMatchObject({ since: NOT_KNOWN });
    fleet.state.isAway = false;
    await fleet.scan();
    const { entries, codes } = await fleet.read();
    expect(codes).toEqual([]);
    const start = entries.findLast((one) => one.start === true);
    expect(await fleet.head()).toMatchObject({ since: start?.at });
    await fleet.expectWhole(entries);
  });
});

describe('a target that is forgotten', () => {
  it('has no objects any more', async () => {
    const fleet = await open('forgotten');
    await fleet.archive();
    expect(await fleet.forget('t')).toMatchObject({ target: 't' });
    expect(fleet.objects.size).toBe(0);
    await fleet.expectWhole([]);
  });

  it('stays while the storage removes nothing, and can be forgotten after a crash', async () => {
    const fleet = await open('kept');
    await fleet.archive();
    const { entries } = await fleet.read();
    fleet.state.isAway = true;
    await expect(fleet.forget('t')).rejects.toMatchObject({ code: 'storage-away' });
    fleet.state.isAway = false;
    expect(await fleet.read()).toMatchObject({ entries, codes: [] });
    for (const killed of ['after remove', 'before remove']) {
      fleet.state.onCall = (step) => {
        if (step === killed) throw new Error('killed');
      };
      await expect(fleet.forget('t')).rejects.toThrow('killed');
    }
    delete fleet.state.onCall;
    expect((await fleet.read()).codes).toEqual(['state-corrupt']);
    expect(await fleet.forget('t')).toMatchObject({ target: 't' });
    await fleet.expectWhole([]);
  });

  it('leaves no block that was archived meanwhile', async () => {
    const fleet = await open('meanwhile');
    await fleet.archive();
    for (let day = 40; day < 60; day += 1) await fleet.scan();
    let isDone = false;
    fleet.state.onCall = async (step) => {
      if (step !== 'after remove' || isDone) return;
      isDone = true;
      await fleet.archive();
    };
    expect(await fleet.forget('t')).toMatchObject({ target: 't' });
    delete fleet.state.onCall;
    await fleet.expectWhole([]);
  });
});

/** The connection of a worker that is killed before or after its first call of a method that writes. */
function killedAt(name: string, when: string): RedisClient {
  return new Proxy(room.redis, {
    get(redis, property) {
      const value = Reflect.get(redis, property);
      if (typeof value !== 'function') return value;
      return async (...parameters: readonly unknown[]) => {
        const isWrite = property === name && !String(parameters[0]).endsWith('SCAN');
        if (isWrite && when === 'before') throw new Error('killed');
        const result = await Reflect.apply(value, redis, parameters);
        if (isWrite) throw new Error('killed');
        return result;
      };
    },
  });
}
