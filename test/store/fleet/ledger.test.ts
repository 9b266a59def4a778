import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeIds, heldIds } from '../../../src/fleet/id-list.ts';
import { heldPeriods } from '../../../src/fleet/ledger/held-periods.ts';
import { createTargetRemoval } from '../../../src/store/fleet/forget-target.ts';
import { createGarbageCollection } from '../../../src/store/fleet/garbage.ts';
import { createLedger, headKeys } from '../../../src/store/fleet/ledger.ts';
import { createLedgerImport } from '../../../src/store/fleet/ledger-import.ts';
import { deliveredStep } from '../../../src/store/fleet/ledger-writer.ts';
import { createTargetSummaries } from '../../../src/store/fleet/target-summaries.ts';
import { runScript } from '../../../src/store/scripts/run-script.ts';
import { SAVE_OUTCOME } from '../../../src/store/scripts/save-outcome.lua.ts';
import { openStoreRoom, type StoreRoom } from '../store-room.ts';
import { AT, npmFile, openFleet } from './fleet-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

const FIRST = Date.parse(AT) / 1_000;

/** The time of a scan so many days after the first one. */
function after(days: number) {
  return { ledger: { requestedAt: new Date((FIRST + days * 86_400) * 1_000).toISOString() } };
}

function open(name: string, options: Parameters<typeof openFleet>[2] = {}) {
  const fleet = openFleet(room.redis, name, options);
  const ledger = createLedger(room.redis, fleet.keys);
  const periods = async (target: string) => {
    const state = await fleet.targets.read(target);
    const current = new Map<string, number[]>();
    for (const { path, inventory = '' } of state?.lockfiles ?? []) {
      const { ids } = await fleet.inventories.compact(inventory);
      current.set(path, [...ids.lookedUp, ...ids.excluded]);
    }
    const found = heldPeriods(await ledger.read(target), current, { has: () => true });
    const names = await fleet.packageIds.identities(found.map(({ id }) => id));
    return found
      .map(({ from, until, notKnownBefore }, index) =>
        [names[index]?.slice(4), from?.scan ?? `? ${notKnownBefore}`, until?.scan ?? 'now'].join(' '),
      )
      .sort();
  };
  return { ...fleet, ledger, periods };
}

describe('the ledger of a target', () => {
  it('has what each scan changed, and who brought it', async () => {
    const fleet = open('basics');
    const edges = { 'app@1.0.0': ['b@2.0.0'], 'b@2.0.0': ['c@1.0.0'] };
    await fleet.save('t', [npmFile('f', ['app@1.0.0', 'a@1.0.0'])]);
    await fleet.save('t', [npmFile('f', ['app@1.0.0', 'b@2.0.0', 'c@1.0.0'], edges)], {
      ledger: { commit: 'a'.repeat(40), committedAt: AT },
    });
    await fleet.save('t', [npmFile('f', ['app@1.0.0', 'b@2.0.0', 'c@1.0.0'], edges)]);
    await fleet.save('t', [npmFile('f', ['app@1.0.0'])]);
    const entries = await fleet.ledger.read('t');
    expect(entries.map(({ scan }) => scan)).toEqual(['t-s1', 't-s2', 't-s4']);
    expect(entries[1]).toMatchObject({ commit: 'a'.repeat(40), committedAt: AT });
    const [app] = (await fleet.packageIds.find(['NPM:app@1.0.0'])).values();
    expect(entries[1]?.files).toMatchObject([{ path: 'f', via: [1, 1], roots: [app] }]);
    expect(await fleet.periods('t')).toEqual([
      `a@1.0.0 ? ${FIRST} t-s2`,
      `app@1.0.0 ? ${FIRST} now`,
      'b@2.0.0 t-s2 t-s4',
      'c@1.0.0 t-s2 t-s4',
    ]);
    const held: number[] = [];
    for await (const { heads, idOf } of fleet.ledger.heads()) {
      for (const { since, ids } of heads.values()) {
        expect(since).toBe(FIRST);
        held.push(...Array.from(decodeIds(ids), idOf));
      }
    }
    const gone = await fleet.packageIds.find(['NPM:a@1.0.0', 'NPM:b@2.0.0', 'NPM:c@1.0.0']);
    expect(held.sort()).toEqual([...gone.values()].sort());
    // A question about one package reads the part that may have it, which says of each target since when it is known.
    for (const id of [...gone.values(), 99]) {
      let targets = 0;
      for await (const { heads, wanted } of fleet.ledger.heads([id])) {
        targets += heads.size;
        for (const { ids } of heads.values()) expect(heldIds(ids, wanted)).toHaveLength(id === 99 ? 0 : 1);
      }
      expect(targets).toBe(1);
    }
  });

  it('is in blocks, of which those are dropped that are too old', async () => {
    const day = 86_400_000;
    let now = FIRST * 1_000;
    const fleet = open('blocks', { keepMs: () => 100 * day, now: () => now });
    for (let scan = 0; scan < 200; scan += 1) {
      now = (FIRST + scan * 86_400) * 1_000;
      await fleet.save('t', [npmFile('f', [`a@${scan}.0.0`])], after(scan));
    }
    const entries = await fleet.ledger.read('t');
    expect(entries.at(-1)?.scan).toBe('t-s200');
    expect(entries.length).toBeGreaterThanOrEqual(100);
    expect(entries.length).toBeLessThan(150);
    expect(await room.redis.llen(fleet.keys.ledger('t'))).toBeLessThan(entries.length / 16 + 16);
    const since = entries[0]?.at;
    for await (const { heads } of fleet.ledger.heads())
      for (const head of heads.values()) expect(head.since).toBe(since);
    // The first entry that is left says what went with it: that is there since a time that is not known.
    expect((await fleet.periods('t')).filter((period) => period.includes(`? ${since} t-s`))).toHaveLength(1);
  });

  it('starts again where the package ids of before are damaged', async () => {
    const fleet = open('damaged-ids');
    await fleet.save('t', [npmFile('f', ['a@1.0.0'])]);
    const hash = (await fleet.targets.read('t'))?.lockfiles?.[0]?.inventory ?? '';
    await room.redis.hset(
      fleet.keys.idLists(Number.parseInt(hash.slice(0, 2), 16)),
      hash,
      Buffer.of(9, 0, 0, 0),
    );
    await fleet.save('t', [npmFile('f', ['a@2.0.0'])]);
    const entries = await fleet.ledger.read('t');
    expect(entries.map(({ scan, start }) => [scan, start])).toEqual([
      ['t-s1', true],
      ['t-s2', true],
    ]);
  });

  it('takes a time before 1970, which a producer may state', async () => {
    const fleet = open('before-1970');
    const requestedAt = '1900-01-01T00:00:00.000Z';
    await fleet.save('t', [npmFile('f', ['a@1.0.0'])], { ledger: { requestedAt } });
    await fleet.save('t', [npmFile('f', ['a@2.0.0'])]);
    expect((await fleet.ledger.read('t')).map(({ at }) => at)).toEqual([
      Date.parse(requestedAt) / 1_000,
      FIRST,
    ]);
  });

  it('starts again after a worker that keeps none', async () => {
    const fleet = open('gap');
    await fleet.save('t', [npmFile('f', ['a@1.0.0'])]);
    await fleet.save('t', [npmFile('f', ['b@1.0.0'])]);
    await fleet.save('t', [npmFile('f', ['c@1.0.0'])], { ledger: null });
    // A save without news keeps a complete ledger, and does not complete another one.
    await room.redis.hset(fleet.keys.target('t'), 'ledger', '2');
    await fleet.save('t', [npmFile('f', ['d@1.0.0'])]);
    const entries = await fleet.ledger.read('t');
    expect(entries.map(({ start = false }) => start)).toEqual([true, false, true]);
    expect(await fleet.periods('t')).toContain(`d@1.0.0 ? ${FIRST} now`);
  });

  it('is written with the state or not at all', async () => {
    const fleet = open('once');
    await fleet.save('t', [npmFile('f', ['a@1.0.0'])]);
    const before = await fleet.targets.read('t');
    const change = (scan: string) => ({
      result: {},
      next: [],
      state: {
        target: 't',
        replaces: before?.revision ?? 0,
        state: { revision: 2, scan, requestedAt: AT, findings: [], lockfiles: [] },
        lockfiles: { before: before?.lockfiles ?? [], read: [npmFile('f', ['b@1.0.0'])] },
        ledger: { scan, requestedAt: AT, labels: {}, findings: [] },
      },
    });
    // A worker that dies after the script saves the same again, and another one lost the race.
    const answers = await Promise.all(
      ['x', 'x', 'y', 'y'].map((scan) => fleet.outcomes.save('judge-scan', scan, change(scan))),
    );
    expect(answers.filter(({ status }) => status === 'saved')).toHaveLength(1);
    expect((await fleet.ledger.read('t')).map(({ scan }) => scan)).toEqual(['t-s1', expect.any(String)]);
  });

  it('is forgotten with its target, and when it is turned off', async () => {
    let keep = 1_000 * 86_400_000;
    const fleet = open('forgotten', { keepMs: () => keep });
    const removal = createTargetRemoval(
      room.redis,
      fleet.keys,
      createTargetSummaries(room.redis, fleet.keys),
    );
    const ledgers = async () =>
      (await room.redis.keys(`${fleet.keys.prefix}:*`)).filter((key) => key.includes('ledger'));
    for (const target of ['t', 'u']) {
      await fleet.save(target, [npmFile('f', ['a@1.0.0'])]);
      await fleet.save(target, [npmFile('f', ['b@1.0.0'])]);
    }
    // A list, and a head in eight parts.
    expect(await ledgers()).toHaveLength(18);
    await removal('t');
    expect(await ledgers()).toHaveLength(9);
    keep = 0;
    await fleet.save('u', [npmFile('f', ['c@1.0.0'])]);
    expect(await ledgers()).toEqual([]);
    expect(await room.redis.hexists(fleet.keys.target('u'), 'ledger')).toBe(0);
  });

  it('keeps the names of the packages that it has', async () => {
    let now = Date.parse(AT);
    const fleet = open('names', { now: () => now });
    const none = { scan: async function* () {}, answeredBefore: async () => [], forgetTimes: async () => {} };
    const collect = createGarbageCollection(room.redis, fleet.keys, {
      packageIds: fleet.packageIds,
      inventories: fleet.inventories,
      ledger: fleet.ledger,
      facts: { versions: none, advisories: { keys: async () => [], forget: async () => {} } },
      recordTtlMs: 0,
      now: () => now,
    });
    await fleet.save('t', [npmFile('f', ['a@1.0.0'])]);
    await fleet.save('t', [npmFile('f', ['b@1.0.0'])]);
    await fleet.packageIds.intern(['NPM:unused@1.0.0']);
    now += 2 * 3_600_000;
    expect(await collect()).toMatchObject({ packageIds: 1 });
    expect(await fleet.periods('t')).toEqual([`a@1.0.0 ? ${FIRST} t-s2`, 'b@1.0.0 t-s2 now']);
  });

  it('goes on without a block that is damaged', async () => {
    const fleet = open('damaged');
    for (const id of ['a', 'b', 'c', 'd']) await fleet.save('t', [npmFile('f', [`${id}@1.0.0`])]);
    await room.redis.lset(fleet.keys.ledger('t'), 1, 'damaged');
    const messages: string[] = [];
    const entries = await fleet.ledger.read('t', ({ message }) => void messages.push(message));
    expect(entries.map(({ scan, start = false }) => `${scan} ${start}`)).toEqual([
      't-s1 true',
      't-s3 true',
      't-s4 false',
    ]);
    expect(messages).toEqual([expect.stringContaining('forget the history of the target')]);
    await fleet.save('t', [npmFile('f', ['e@1.0.0'])]);
    expect((await fleet.ledger.read('t')).at(-1)?.scan).toBe('t-s5');
  });

  describe('with a key of another type', () => {
    const openDamaged = async (name: string, keepMs?: () => number) => {
      const fleet = open(name, keepMs === undefined ? {} : { keepMs });
      const { redis, keys } = fleet;
      for (const target of ['t', 'u']) await fleet.save(target, [npmFile('f', ['a@1.0.0'])]);
      const forget = createTargetRemoval(redis, keys, createTargetSummaries(redis, keys));
      const messages: string[] = [];
      const report = ({ message }: Error) => void messages.push(message);
      return { ...fleet, forget, messages, report };
    };

    it('keeps no scan, alert or other target from being saved, and begins again', async () => {
      const { redis, keys, ...fleet } = await openDamaged('list');
      await redis.del(keys.ledger('t'));
      await redis.set(keys.ledger('t'), 'damaged');
      for (const target of ['t', 'u'])
        expect(await fleet.save(target, [npmFile('f', ['b@1.0.0'])])).toMatchObject({ status: 'saved' });
      const delivery = { id: 'd', key: 'k', target: 't', scan: 't-s1', route: 'r', date: AT };
      const step = await deliveredStep(keys, delivery, 0);
      const values = [step.name, step.keys.length, step.values.length, ...step.values];
      const saved = await runScript(
        redis,
        SAVE_OUTCOME,
        [keys.outcome('j', 'k'), ...step.keys],
        ['x', 1_000, 0, ...values],
      );
      expect(String((saved as readonly unknown[])[0])).toBe('saved');
      expect(await fleet.ledger.read('t', fleet.report)).toEqual([]);
      expect(fleet.messages).toEqual([expect.stringContaining('holds no list. Delete the key')]);
      expect(await fleet.ledger.read('u')).toHaveLength(2);
      await redis.del(keys.ledger('t'));
      await fleet.save('t', [npmFile('f', ['c@1.0.0'])]);
      expect(await fleet.ledger.read('t')).toMatchObject([{ scan: 't-s5', start: true }]);
    });

    it('is forgotten with its target, visibly, and when it is turned off', async () => {
      let keep = 1e12;
      const { redis, keys, ...fleet } = await openDamaged('removed', () => keep);
      const [head = ''] = headKeys(keys, 't');
      for (const target of ['t', 'u']) {
        await redis.set(keys.ledger(target), 'damaged');
        await redis.set(head, 'damaged');
      }
      expect(await fleet.forget('t')).toMatchObject({
        target: 't',
        unreadable: [expect.stringContaining(keys.ledger('t'))],
      });
      expect(await redis.exists(keys.ledger('t'), keys.target('t'))).toBe(0);
      keep = 0;
      expect(await fleet.save('u', [npmFile('f', ['b@1.0.0'])])).toMatchObject({ status: 'saved' });
      expect(await redis.exists(keys.ledger('u'))).toBe(0);
    });

    it('has no head where that is damaged: the targets with another one stay known', async () => {
      const { redis, keys, ...fleet } = await openDamaged('heads');
      const [head = ''] = headKeys(keys, 't');
      expect(headKeys(keys, 'u')).not.toContain(head);
      await redis.set(head, 'damaged');
      const known: string[] = [];
      for await (const { heads } of fleet.ledger.heads([], fleet.report)) known.push(...heads.keys());
      expect([known, fleet.messages]).toEqual([['u'], [expect.stringContaining(`${head} holds no hash`)]]);
      // What looks for ids that nobody uses must not take these for unused.
      const heads = async () => {
        for await (const { heads } of fleet.ledger.heads()) known.push(...heads.keys());
      };
      await expect(heads()).rejects.toMatchObject({ code: 'state-corrupt' });
      expect(await fleet.save('t', [npmFile('f', ['b@1.0.0'])])).toMatchObject({ status: 'saved' });
      const imported = await createLedgerImport(redis, keys, fleet.inventories)('t');
      const before = await redis.dump(keys.ledger('t'));
      await expect(imported?.write([{ at: 1, scan: 'import.a' }])).rejects.toMatchObject({
        code: 'state-corrupt',
      });
      expect(await redis.dump(keys.ledger('t'))).toBe(before);
    });
  });
});
