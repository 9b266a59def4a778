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
