import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTargetRemoval } from '../../../src/store/fleet/forget-target.ts';
import { createTargetSummaries } from '../../../src/store/fleet/target-summaries.ts';
import { openStoreRoom, type StoreRoom } from '../store-room.ts';
import { npmFile, openFleet } from './fleet-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

it('scans that are saved meanwhile never lose an inventory, and none stays without a target', async () => {
  const fleet = openFleet(room.redis, 'race');
  const forget = createTargetRemoval(room.redis, fleet.keys, createTargetSummaries(room.redis, fleet.keys));
  const files = Array.from({ length: 4 }, (_, index) => npmFile('package-lock.json', [`p${index}@1.0.0`]));
  for (let round = 0; round < 40; round += 1) {
    const of = (target: string, index: number) =>
      fleet.save(target, [files[(round + index) % 4] ?? npmFile('f', [])]).catch(() => undefined);
    await Promise.all([
      of('a', 0),
      of('b', 1),
      forget('a'),
      of('a', 2),
      forget('b'),
      of('c', 3),
      forget('c'),
    ]);
    const uses = new Map<string, number>();
    for (const target of ['a', 'b', 'c']) {
      const hashes =
        (await fleet.targets.read(target))?.lockfiles?.map(({ inventory = '' }) => inventory) ?? [];
      for (const hash of new Set(hashes)) uses.set(hash, (uses.get(hash) ?? 0) + 1);
    }
    const stored = await room.redis.hgetall(fleet.keys.inventoryUses);
    expect(Object.fromEntries(Object.entries(stored).map(([hash, count]) => [hash, Number(count)]))).toEqual(
      Object.fromEntries(uses),
    );
    for (const hash of uses.keys()) await fleet.inventories.read(hash);
  }
});
