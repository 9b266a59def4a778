import { afterAll, beforeAll, expect, it } from 'vitest';
import { createInspections } from '../../../src/store/facts/inspections.ts';
import { openStoreRoom, type StoreRoom } from '../store-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

it('asks Redis once for a known subject, until Redis may have lost it', async () => {
  const inspections = createInspections(room.redis, room.keys);
  const other = createInspections(room.redis, room.keys);
  expect(await inspections.isKnown(['a', 'b', 'a'])).toEqual([false, false, false]);
  await other.markKnown(['a']);
  expect(await inspections.isKnown(['a', 'b', 'a'])).toEqual([true, false, true]);
  await room.redis.flushall();
  expect(await inspections.isKnown(['b', 'a'])).toEqual([false, true]);
  room.redis.emit('ready');
  expect(await inspections.isKnown(['b', 'a'])).toEqual([false, false]);
});

it('reads again what any process stored meanwhile', async () => {
  const inspections = createInspections(room.redis, room.keys);
  const other = createInspections(room.redis, room.keys);
  const found = { inspectedAt: '2026-01-02T00:00:00Z', signals: [], unknown: [] };
  const entry = { identity: 'NPM:a@1.0.0', inspection: found, isNews: true };
  expect(await inspections.read(['NPM:a@1.0.0', 'NPM:b@1.0.0'])).toEqual([undefined, undefined]);
  await other.store([entry]);
  expect(await inspections.read(['NPM:b@1.0.0', 'NPM:a@1.0.0'])).toEqual([undefined, found]);
  await other.store([{ ...entry, inspection: { ...found, inspectedAt: '2026-01-03T00:00:00Z' } }]);
  expect(await inspections.read(['NPM:a@1.0.0'])).toMatchObject([{ inspectedAt: '2026-01-03T00:00:00Z' }]);
});
