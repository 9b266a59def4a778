import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ScanRecordUpdate } from '../../src/model/scan/scan-record.ts';
import { createScanStore } from '../../src/store/scans.ts';
import { openStoreRoom, type StoreRoom } from './store-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

const DAY_MS = 24 * 3_600_000;

const failed = (scan: string): ScanRecordUpdate => ({
  scan,
  target: 'shop',
  state: 'failed',
  requestedAt: '2026-01-31T06:00:00Z',
  reason: 'because',
});

it('records are listed newest first, from a position and a time on, and forgotten after 30 days', async () => {
  const clock = { now: 0 };
  const scans = createScanStore(room.redis, room.keys, { now: () => clock.now });
  for (const day of [0, 1, 2, 3]) {
    clock.now = day * DAY_MS;
    await scans.fail(failed(`day-${day}`));
  }
  const listed = async (options: Parameters<typeof scans.list>[0]) =>
    (await scans.list(options)).map(({ scan }) => scan);
  expect(await listed({ from: 0, count: 2 })).toEqual(['day-3', 'day-2']);
  expect(await listed({ from: 2, count: 2 })).toEqual(['day-1', 'day-0']);
  expect(await listed({ from: 0, count: 9, since: 2 * DAY_MS })).toEqual(['day-3', 'day-2']);
  expect(await scans.find('day-0')).toEqual({ ...failed('day-0'), endedAt: 0 });
  clock.now = 31 * DAY_MS;
  await scans.fail(failed('later'));
  expect(await scans.find('day-0')).toBeUndefined();
  expect(await listed({ from: 0, count: 9 })).toEqual(['later', 'day-3', 'day-2']);
});

it('at most 10,000 are kept', async () => {
  const keys = room.keys;
  await room.redis.del(keys.scans, keys.scanOrder);
  const scans = createScanStore(room.redis, keys);
  const pipeline = room.redis.pipeline();
  for (let index = 0; index < 10_000; index += 1) {
    pipeline.hset(keys.scans, `old-${index}`, '{}');
    pipeline.zadd(keys.scanOrder, Date.now() - 20_000 + index, `old-${index}`);
  }
  await pipeline.exec();
  await scans.fail(failed('new'));
  expect(await room.redis.hlen(keys.scans)).toBe(10_000);
  expect(await scans.find('old-0')).toBeUndefined();
  expect(await scans.find('new')).toBeDefined();
});

it('a record that is damaged is an error that says what to do; others are listed without it', async () => {
  await room.redis.del(room.keys.scans, room.keys.scanOrder);
  const reported: string[] = [];
  const scans = createScanStore(room.redis, room.keys, {
    onUnreadable: ({ message }) => reported.push(message),
  });
  await scans.fail(failed('damaged'));
  await scans.fail(failed('sound'));
  await room.redis.hset(room.keys.scans, 'damaged', 'not ours');
  const error = {
    code: 'state-corrupt',
    message: expect.stringContaining(`${room.keys.scans}, field damaged`),
  };
  await expect(scans.find('damaged')).rejects.toMatchObject(error);
  expect((await scans.list({ from: 0, count: 9 })).map(({ scan }) => scan)).toEqual(['sound']);
  expect(reported).toEqual([expect.stringContaining('Delete the field')]);
  await scans.fail(failed('damaged'));
  expect(await scans.find('damaged')).toMatchObject({ state: 'failed' });
});
