import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Known } from '../../../src/model/ports/shared-state.ts';
import type { VersionRecordSummary } from '../../../src/model/scan/inventory.ts';
import { CACHED_VERSION } from '../../../src/model/stored/catalog.ts';
import { StoreError } from '../../../src/store/errors.ts';
import { createFactStore } from '../../../src/store/facts/facts.ts';
import { createKeys } from '../../../src/store/keys.ts';
import { openStoreRoom, type StoreRoom } from '../store-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

const MISSING: Known<never> = { missing: true };
const recordOf = (name: string, advisoryIds: readonly string[] = []): Known<VersionRecordSummary> => ({
  record: {
    versionKey: { system: 'NPM', name, version: '1' },
    isDefault: true,
    isDeprecated: false,
    licenses: [],
    advisoryIds,
  },
});

function open(prefix: string) {
  let time = 1_000_000;
  const keys = createKeys(prefix);
  const faults: StoreError[] = [];
  const facts = createFactStore(room.redis, keys, CACHED_VERSION, {
    recordTtlMs: 1_000,
    missTtlMs: 100,
    now: () => time,
    publishedAt: ({ versionKey }) => (versionKey.name === 'old' ? 5 : undefined),
    onUnreadable: (error) => faults.push(error),
  });
  return { facts, keys, faults, at: (now: number) => (time = now) };
}

describe('facts', () => {
  it('are read as they were learnt, and unknown ones are absent', async () => {
    const { facts } = open('read');
    await facts.learn([
      ['a', recordOf('a')],
      ['b', MISSING],
    ]);
    expect(await facts.read(['b', 'c', 'a'])).toEqual([MISSING, undefined, recordOf('a')]);
    expect(await facts.read([])).toEqual([]);
  });

  it('are read again when any process changed or removed one', async () => {
    const { facts } = open('shared');
    const { facts: other } = open('shared');
    await other.learn([['a', recordOf('a')]]);
    expect(await facts.read(['a', 'b'])).toEqual([recordOf('a'), undefined]);
    await other.learn([['b', recordOf('b')]]);
    expect(await facts.read(['a', 'b'])).toEqual([recordOf('a'), recordOf('b')]);
    await other.learn([['a', recordOf('a', ['GHSA-1'])]]);
    expect(await facts.read(['a'])).toEqual([recordOf('a', ['GHSA-1'])]);
    await other.forget(['a']);
    expect(await facts.read(['a', 'b'])).toEqual([undefined, recordOf('b')]);
    await other.learn([['a', MISSING]]);
    expect(await facts.read(['a'])).toEqual([MISSING]);
  });

  it('are read again when Redis may have lost some', async () => {
    const { facts, keys } = open('lost');
    await facts.learn([['a', recordOf('a')]]);
    expect(await facts.read(['a'])).toEqual([recordOf('a')]);
    await room.redis.del(keys.facts(CACHED_VERSION.kind).facts);
    await facts.learn([['a', MISSING]]);
    room.redis.emit('ready');
    expect(await facts.read(['a'])).toEqual([MISSING]);
  });

  it('have news: which were replaced since an earlier question, or that any may have been', async () => {
    const { facts } = open('news');
    const { facts: other } = open('news');
    const ask = async (since: string | undefined) => await facts.news(since);
    await other.learn([
      ['a', recordOf('a')],
      ['b', recordOf('b')],
    ]);
    const first = await ask(undefined);
    expect(first.replaced).toBeUndefined();
    await other.learn([['c', recordOf('c')]]);
    expect(await ask(first.until)).toEqual({ until: first.until, replaced: [] });
    await other.learn([['a', recordOf('a', ['GHSA-1'])]]);
    // Nothing was replaced before, so that the list does not begin with the first question.
    const second = await ask(first.until);
    expect(second.replaced).toBeUndefined();
    await other.learn([['b', MISSING]]);
    await other.learn([
      ['a', recordOf('a')],
      ['c', recordOf('c', ['GHSA-2'])],
    ]);
    const third = await ask(second.until);
    expect([...(third.replaced ?? [])].sort()).toEqual(['a', 'b', 'c']);
    expect((await ask(third.until)).replaced).toEqual([]);

    await other.forget(['a']);
    const fourth = await ask(third.until);
    expect(fourth.replaced).toBeUndefined();
    await other.learn([['b', recordOf('b')]]);
    expect((await ask(third.until)).replaced).toBeUndefined();
    const fifth = await ask(fourth.until);

    const many = Array.from({ length: 1_100 }, (_, at) => `m${at}`);
    await other.learn(many.map((name) => [name, recordOf(name)] as const));
    expect((await ask(fifth.until)).replaced).toEqual([]);
    await other.learn(many.map((name) => [name, MISSING] as const));
    const sixth = await ask(fifth.until);
    expect(sixth.replaced).toBeUndefined();
    await other.learn([['c', MISSING]]);
    room.redis.emit('ready');
    expect((await ask(sixth.until)).replaced).toBeUndefined();
  });

  it('are fresh for their time to live after each answer', async () => {
    const { facts, at } = open('fresh');
    await facts.learn([
      ['a', recordOf('a')],
      ['b', MISSING],
    ]);
    expect(await facts.fresh(['a', 'b', 'c'])).toMatchObject([recordOf('a'), MISSING, undefined]);
    at(1_000_100);
    expect(await facts.fresh(['a', 'b'])).toMatchObject([recordOf('a'), undefined]);
    at(1_001_000);
    expect(await facts.fresh(['a', 'b'])).toEqual([undefined, undefined]);
    await facts.learn([['a', recordOf('a')]]);
    expect(await facts.fresh(['a', 'b'])).toMatchObject([recordOf('a'), undefined]);
    expect(await facts.answeredAt(['a', 'b', 'c'])).toEqual([1_001_000, 1_000_000, undefined]);
  });

  it('are fresh from the memory of the process until one changed', async () => {
    const { facts } = open('fresh-kept');
    const { facts: other } = open('fresh-kept');
    await facts.learn([['a', recordOf('a')]]);
    const [first] = await facts.fresh(['a']);
    expect((await facts.fresh(['a']))[0]).toBe(first);
    await other.learn([['a', recordOf('a', ['GHSA-1'])]]);
    expect(await facts.fresh(['a'])).toMatchObject([recordOf('a', ['GHSA-1'])]);
  });

  it('have the time of the last answer, or of the first look-up when there was none', async () => {
    const { facts, at } = open('times');
    await facts.learn([['a', recordOf('a')]]);
    at(1_000_100);
    await facts.notAnswered(['a', 'b'], 'HTTP 401');
    at(1_000_200);
    await facts.notAnswered(['b'], 'HTTP 403');
    expect(await facts.answeredBefore(1_000_000)).toEqual([]);
    expect(await facts.answeredBefore(1_000_101)).toEqual([
      { key: 'a', at: 1_000_000 },
      { key: 'b', at: 1_000_100 },
    ]);
    expect(await facts.answeredAt(['a', 'b'])).toEqual([1_000_000, undefined]);
    expect(await facts.failure()).toMatchObject({ at: 1_000_200, reason: 'HTTP 403' });
    await facts.learn([['b', MISSING]]);
    expect(await facts.answeredBefore(1_000_200)).toEqual([{ key: 'a', at: 1_000_000 }]);
    expect(await facts.oldestSince(1_000_001)).toBe(1_000_200);
    await facts.forgetTimes(['a', 'b']);
    expect(await facts.oldestSince(0)).toBeUndefined();
  });

  it('become no fresher by an answer that is doubted', async () => {
    const { facts, at } = open('doubted');
    await facts.learn(['a', 'b'].map((name) => [name, recordOf(name)] as const));
    at(1_000_500);
    await facts.learn([
      ['a', { ...recordOf('a'), doubted: MISSING }],
      ['b', recordOf('b')],
    ]);
    expect(await facts.answeredBefore(1_000_001)).toEqual([{ key: 'a', at: 1_000_000 }]);
  });

  it('are pending when they change, not when they are new or the same', async () => {
    const { facts, at } = open('pending');
    await facts.learn([
      ['a', recordOf('a')],
      ['b', recordOf('b')],
      ['c', recordOf('c')],
    ]);
    at(2_000_000);
    await facts.learn([
      ['a', recordOf('a', ['GHSA-1'])],
      ['b', recordOf('b')],
      ['c', MISSING],
    ]);
    expect(await facts.countPending()).toBe(2);
    expect(await facts.pending(10)).toEqual([
      { key: 'a', changedAt: 2_000_000 },
      { key: 'c', changedAt: 2_000_000 },
    ]);
    expect(await facts.changedSince(2_000_001)).toEqual(new Map());
    expect(await facts.changedSince(2_000_000)).toEqual(
      new Map([
        ['a', recordOf('a', ['GHSA-1'])],
        ['c', MISSING],
      ]),
    );
  });

  it('are written again when Redis may have lost them, and what others learned since counts as changed', async () => {
    const { redis } = room;
    const { facts, at, keys } = open('restored');
    const { answered, facts: stored } = keys.facts(CACHED_VERSION.kind);
    const names = ['lost', 'learned', 'same', 'kept'];
    await facts.learn(names.map((name) => [name, recordOf(name)] as const));
    for (const name of names.slice(0, 3))
      await Promise.all([redis.hdel(stored, name), redis.zrem(answered, name)]);
    at(1_002_000);
    // Another process: its answers are the first ones.
    const other = open('restored');
    other.at(1_002_000);
    await other.facts.learn([
      ['learned', recordOf('learned', ['GHSA-1'])],
      ['same', recordOf('same')],
    ]);
    expect(await facts.countPending()).toBe(0);
    redis.emit('ready');
    await expect.poll(() => facts.read(['lost'])).toEqual([recordOf('lost')]);
    await expect.poll(() => facts.pending(10)).toEqual([{ key: 'learned', changedAt: 1_002_000 }]);
    expect(await facts.changedSince(0)).toEqual(new Map([['learned', recordOf('learned', ['GHSA-1'])]]));
    expect(await facts.answeredAt(names)).toEqual([1_000_000, 1_002_000, 1_002_000, 1_000_000]);
  });

  it('are pending when they are the first ones after a look-up that was not answered', async () => {
    const { facts } = open('missed');
    await facts.notAnswered(['a', 'b'], 'HTTP 503');
    await facts.learn([['a', { ...recordOf('a'), doubted: MISSING }]]);
    expect(await facts.pending(10)).toEqual([]);
    await facts.learn([
      ['b', recordOf('b')],
      ['c', recordOf('c')],
    ]);
    expect(await facts.pending(10)).toEqual([{ key: 'b', changedAt: 1_000_000 }]);
  });

  it('about what was published or first seen lately are listed', async () => {
    const { facts, at } = open('young');
    await facts.learn([
      ['old', recordOf('old')],
      ['new', recordOf('new')],
      ['none', MISSING],
    ]);
    expect(await facts.youngSince(10)).toEqual(['new', 'none']);
    at(3_000_000);
    await facts.learn([['newer', recordOf('newer')]]);
    expect(await facts.youngSince(2_000_000)).toEqual(['newer']);
  });

  it('that cannot be read count as unknown, are reported and are replaced', async () => {
    const { facts, keys, faults } = open('damaged');
    await facts.learn([['a', recordOf('a')]]);
    await room.redis.hset(keys.facts(CACHED_VERSION.kind).facts, 'a', '{"record":{"version');
    expect(await facts.read(['a'])).toEqual([undefined]);
    expect(faults[0]).toBeInstanceOf(StoreError);
    await facts.learn([['a', recordOf('a')]]);
    expect(await facts.read(['a'])).toEqual([recordOf('a')]);
  });

  it('are given as they are stored, except for what is damaged or of another version', async () => {
    const { facts, keys, faults } = open('unchecked');
    const names = Array.from({ length: 600 }, (_, index) => `n${index}`);
    await facts.learn(names.map((name) => [name, recordOf(name)] as const));
    const key = keys.facts(CACHED_VERSION.kind).facts;
    await room.redis.hset(
      key,
      'n1',
      '{"record":{"version',
      'n2',
      '{"version":99,"missing":true}',
      'n3',
      '[7]',
    );
    await room.redis.hdel(key, 'n4');
    const found = await facts.unchecked(names);
    expect(found.slice(0, 5)).toMatchObject([recordOf('n0'), undefined, undefined, [7], undefined]);
    expect(found.slice(5)).toMatchObject(names.slice(5).map((name) => recordOf(name)));
    expect(faults).toEqual([]);
  });

  it('are listed and forgotten', async () => {
    const { facts } = open('scan');
    const names = Array.from({ length: 1_200 }, (_, index) => `n${index}`);
    await facts.learn(names.map((name) => [name, MISSING]));
    const listed = new Set<string>();
    for await (const part of facts.scan()) for (const [key] of part) listed.add(key);
    expect(listed.size).toBe(1_200);
    await facts.forget(names.slice(1));
    expect(await facts.read(['n0', 'n1'])).toEqual([MISSING, undefined]);
    expect(await facts.youngSince(0)).toEqual(['n0']);
  });
});
