import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { StoredSuppression } from '../../src/model/scan/suppression.ts';
import { createAdvisoryChanges } from '../../src/store/advisory-changes.ts';
import { createSuppressionStore } from '../../src/store/suppressions.ts';
import { openStoreRoom, type StoreRoom } from './store-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

/** Redis loses everything, and connections with that. */
async function loseAll(): Promise<void> {
  await room.redis.flushall();
  room.redis.disconnect(true);
  await once(room.redis, 'ready');
}

function suppressionOf(id: string): StoredSuppression {
  const suppression = { id, source: 'command', reason: 'not used' } as const;
  return { suppression, addedAt: '2026-05-01T00:00:00Z' };
}

it('suppressions are read again, also when others have the revision of the lost ones', async () => {
  const store = createSuppressionStore(room.redis, room.keys);
  const effective = async () => (await store.effective()).map(({ suppression: { id } }) => id);
  await store.put([suppressionOf('lost')]);
  expect(await effective()).toEqual(['lost']);
  const before = await store.revision();
  await loseAll();
  await store.put([suppressionOf('next')]);
  expect(await store.revision()).toBe(before);
  expect(await effective()).toEqual(['next']);
});

it('changed advisories have another revision than the lost ones', async () => {
  const store = createAdvisoryChanges(room.redis, room.keys);
  const record = { id: 'GHSA-a', modified: '2026-05-01T00:00:00Z', affected: [] };
  await store.save([record as never]);
  const before = await store.revision();
  await loseAll();
  await store.save([{ ...record, id: 'GHSA-b' } as never]);
  expect(await store.revision()).not.toBe(before);
});
