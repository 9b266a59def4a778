import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeliveryIdentity } from '../../../src/model/alert/delivery.ts';
import { createDeliveryStore } from '../../../src/store/alerts/deliveries.ts';
import { createKeys } from '../../../src/store/keys.ts';
import { longestStep } from '../../longest-step.ts';
import { changeOf, notificationOf } from '../../notify/notification.ts';
import { openStoreRoom, type StoreRoom } from '../store-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

const START = Date.parse('2026-05-01T00:00:00Z');
const HOUR = 3_600_000;

/** A separate store with a clock that a test sets. */
function open(name: string, keptAttempts = 3) {
  const clock = { now: START };
  const keys = createKeys(name);
  const store = createDeliveryStore(room.redis, keys, {
    retentionMs: HOUR,
    keptAttempts,
    now: () => clock.now,
  });
  return { store, clock, keys };
}

function identity(id: string, target = 'shop/web'): DeliveryIdentity {
  return { id, key: `${id}.default`, route: 'default', target, scan: id, date: '2026-04-30T00:00:00Z' };
}

describe('a delivery', () => {
  it('is filed once, with its notification', async () => {
    const { store, clock } = open('file');
    await store.file(identity('m1'), notificationOf());
    clock.now += HOUR;
    await store.file(identity('m1'), { ...notificationOf(), scan: 'another' });
    expect(await store.read('m1')).toEqual(notificationOf());
    expect(await store.find('m1')).toEqual({
      ...identity('m1'),
      state: 'waiting',
      changes: 1,
      filedAt: expect.any(String),
      updatedAt: '2026-05-01T00:00:00.000Z',
      attempts: 0,
    });
    expect(await store.find('m2')).toBeUndefined();
    expect(await store.read('m2')).toBeUndefined();
  });

  it('that is open for longest is known while others are retried and delivered', async () => {
    const { store, clock, keys } = open('since');
    expect(await store.openSince()).toBeUndefined();
    for (let index = 0; index < 120; index += 1) {
      await store.file(identity(`m${index}`), notificationOf());
      await room.redis.hset(keys.delivery(`m${index}`), 'filedAt', clock.now);
      clock.now += 1_000;
    }
    await store.move(identity('m0'), { state: 'retrying', reason: 'HTTP 503', nextInMs: 1_000 });
    expect(await store.openSince()).toBe(START);
    await store.move(identity('m0'), { state: 'delivered' });
    expect(await store.openSince()).toBe(START + 1_000);
  });

  it.each([1, 1_501])('of %i changes is read as it was filed, and filed once', async (count) => {
    const { store } = open(`many-${count}`);
    const changes = Array.from({ length: count }, (_, index) => changeOf(`package-${index}`));
    await store.file(identity('m1'), notificationOf(changes));
    await store.file(identity('m1'), notificationOf(changes.slice(0, 600)));
    expect(await store.read('m1')).toEqual(notificationOf(changes));
    expect(await store.find('m1')).toMatchObject({ changes: count, state: 'waiting' });
  });

  it('is one of the newest of its target: at most 20, the one that changed last first', async () => {
    const { store, clock } = open('newest');
    for (let number = 0; number < 25; number += 1) {
      clock.now += 1_000;
      await store.file(identity(`m${number}`), notificationOf());
      await store.file(identity(`other${number}`, 'shop/app'), notificationOf());
    }
    clock.now += 1_000;
    await store.move(identity('m7'), { state: 'delivered' });
    const newest = (await store.newestOf('shop/web')).map(({ id }) => id);
    const filed = Array.from({ length: 20 }, (_, index) => `m${24 - index}`);
    expect(newest).toEqual(['m7', ...filed.filter((id) => id !== 'm7')]);
    expect(await store.newestOf('shop')).toEqual([]);
  });

  it('is written and read in steps that yield to other work', async () => {
    const { store } = open('turns');
    const changes = Array.from({ length: 10_000 }, (_, index) => changeOf(`package-${index}`));
    const notification = notificationOf(changes);
    // Other processes make single steps longer: the best of some runs counts.
    const shares: number[] = [];
    for (const id of ['m1', 'm2', 'm3', 'm4']) {
      const { longestMs, wholeMs, value } = await longestStep(async () => {
        await store.file(identity(id), notification);
        return await store.read(id);
      });
      expect(value?.changes).toHaveLength(10_000);
      shares.push(longestMs / wholeMs);
    }
    expect(Math.min(...shares)).toBeLessThan(0.5);
  });

  it('keeps the newest attempts and counts all', async () => {
    const { store } = open('attempts');
    await store.file(identity('m1'), notificationOf());
    for (const status of [500, 501, 502, 503]) {
      await store.addAttempt('m1', { at: '2026-05-01T00:00:00Z', durationMs: 3, status, answer: 'no' });
    }
    await store.addAttempt('m1', { at: '2026-05-01T00:00:00Z', durationMs: 3, error: 'reset' });
    expect((await store.attempts('m1')).map(({ status, error }) => status ?? error)).toEqual([
      502,
      503,
      'reset',
    ]);
    const found = await store.find('m1');
    expect(found?.attempts).toBe(5);
    expect(found?.lastStatus).toBeUndefined();
  });

  it('keeps the status by which it was delivered when an earlier attempt ends later', async () => {
    const { store } = open('late-attempts');
    await store.file(identity('m1'), notificationOf());
    const times = { at: '2026-05-01T00:00:00Z', durationMs: 3 };
    await store.addAttempt('m1', { ...times, status: 200, answer: '{}' });
    await store.move(identity('m1'), { state: 'delivered' });
    await store.addAttempt('m1', { ...times, error: 'no complete answer' });
    await store.addAttempt('m1', { ...times, status: 500, answer: 'no' });
    expect(await store.find('m1')).toMatchObject({ state: 'delivered', lastStatus: 200, attempts: 3 });
  });

  it('moves through its states, and is listed by the last move', async () => {
    const { store, clock } = open('moves');
    for (const id of ['m1', 'm2', 'm3']) await store.file(identity(id), notificationOf());
    clock.now += 1;
    await store.move(identity('m1'), { state: 'retrying', reason: 'HTTP 500', nextInMs: 2_000 });
    expect(await store.find('m1')).toMatchObject({
      state: 'retrying',
      reason: 'HTTP 500',
      nextAttemptAt: '2026-05-01T00:00:02.001Z',
    });
    expect(await store.list(['open'])).toEqual(['m1', 'm3', 'm2']);
    clock.now += 1;
    await store.move(identity('m2'), { state: 'failed', reason: 'HTTP 400' });
    expect(await store.list(['open'])).toEqual(['m1', 'm3']);
    expect(await store.list(['failed'])).toEqual(['m2']);
    expect(await store.list(['failed', 'open', 'delivered'], START + 1)).toEqual(['m2', 'm1']);
    clock.now += 1;
    await store.move(identity('m1'), { state: 'delivered' });
    const delivered = await store.find('m1');
    expect(delivered).toMatchObject({ state: 'delivered' });
    expect(delivered?.reason).toBeUndefined();
    expect(delivered?.nextAttemptAt).toBeUndefined();
    expect(await store.list(['open'])).toEqual(['m3']);
    expect(await store.list(['delivered'])).toEqual(['m1']);
  });

  it('that is held stays where it is in the list', async () => {
    const { store, clock } = open('held');
    await store.file(identity('m1'), notificationOf());
    await store.move(identity('m1'), { state: 'held', reason: 'HTTP 410' });
    clock.now += HOUR;
    await store.move(identity('m1'), { state: 'held', reason: 'HTTP 410' });
    expect((await store.find('m1'))?.updatedAt).toBe('2026-05-01T00:00:00.000Z');
  });

  it('that is delivered does not change state again', async () => {
    const { store } = open('final');
    await store.file(identity('m1'), notificationOf());
    await store.move(identity('m1'), { state: 'delivered' });
    await store.move(identity('m1'), { state: 'failed', reason: 'late' });
    expect((await store.find('m1'))?.state).toBe('delivered');
    expect(await store.list(['failed', 'open'])).toEqual([]);
  });

  it('that Redis has lost has no state until it is filed again or delivered', async () => {
    const { store, keys } = open('lost');
    await store.addAttempt('m1', { at: '2026-05-01T00:00:00Z', durationMs: 3, status: 410 });
    expect(await room.redis.exists(keys.delivery('m1'), keys.deliveryAttempts('m1'))).toBe(0);
    for (const state of ['failed', 'retrying', 'held', 'waiting'] as const) {
      await store.move(identity('m1'), { state, reason: 'the verdict is gone' });
      expect(await store.find('m1')).toBeUndefined();
    }
    expect(await store.list(['failed', 'open'])).toEqual([]);
    await store.file(identity('m1'), notificationOf());
    expect(await store.find('m1')).toMatchObject({ state: 'waiting', changes: 1 });
    // A receiver may accept what is lost before it is filed again: then it is not sent again.
    await store.move(identity('m2'), { state: 'delivered' });
    await store.file(identity('m2'), notificationOf());
    expect(await store.find('m2')).toMatchObject({ ...identity('m2'), state: 'delivered', changes: 0 });
    expect(await store.read('m2')).toBeUndefined();
  });

  it('expires after its retention once it is delivered, and never before', async () => {
    const { store, clock, keys } = open('retention');
    for (const id of ['m1', 'm2', 'm3']) {
      await store.file(identity(id), notificationOf());
      await store.addAttempt(id, { at: '2026-05-01T00:00:00Z', durationMs: 3, status: 200 });
    }
    await store.move(identity('m1'), { state: 'delivered' });
    await store.move(identity('m2'), { state: 'failed', reason: 'HTTP 400' });
    clock.now += 2 * HOUR;
    await store.move(identity('m3'), { state: 'delivered' });
    expect(await store.list(['delivered', 'failed', 'open'])).toEqual(['m3', 'm2']);
    const ttl = (id: string) =>
      Promise.all([room.redis.pttl(keys.delivery(id)), room.redis.pttl(keys.deliveryAttempts(id))]);
    for (const left of await ttl('m1')) expect(left).toBeGreaterThan(HOUR - 60_000);
    expect(await ttl('m2')).toEqual([-1, -1]);
    // Redis had lost the delivery, whose attempt ends after another one.
    await store.move(identity('m4'), { state: 'delivered' });
    await store.addAttempt('m4', { at: '2026-05-01T00:00:00Z', durationMs: 3, error: 'reset' });
    for (const left of await ttl('m4')) expect(left).toBeGreaterThan(HOUR - 60_000);
  });
});

describe('a route', () => {
  it('stays stopped, for the first reason, until it is resumed', async () => {
    const { store } = open('routes');
    expect(await store.stoppedRoute('default')).toBeUndefined();
    expect(await store.resumptions('default')).toBe(0);
    expect(await store.stopRoute('default', 'HTTP 410', 0)).toBe('stopped');
    expect(await store.stopRoute('default', 'again', 0)).toBe('was-stopped');
    const stopped = { route: 'default', at: '2026-05-01T00:00:00.000Z', reason: 'HTTP 410' };
    expect(await store.stoppedRoute('default')).toEqual(stopped);
    expect(await store.stoppedRoute('other')).toBeUndefined();
    expect(await store.stoppedRoutes()).toEqual([stopped]);
    expect(await store.resumeRoute('default')).toBe(true);
    expect(await store.resumeRoute('default')).toBe(false);
    expect(await store.stoppedRoutes()).toEqual([]);
    // The receiver said this before the route was resumed.
    expect(await store.stopRoute('default', 'HTTP 410', 0)).toBe('resumed');
    expect(await store.stoppedRoutes()).toEqual([]);
    expect(await store.resumptions('default')).toBe(1);
    expect(await store.stopRoute('default', 'HTTP 410', 1)).toBe('stopped');
  });
});
