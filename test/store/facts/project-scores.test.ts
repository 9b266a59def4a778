import { afterAll, beforeAll, expect, it } from 'vitest';
import { createProjectScores } from '../../../src/store/facts/inspections.ts';
import { createKeys } from '../../../src/store/keys.ts';
import { openStoreRoom, type StoreRoom } from '../store-room.ts';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

const SCORE = { checkedAt: '2026-01-01T00:00:00Z', packages: [] };

it('keeps the scorecards that were stored last, and counts a damaged one as unknown', async () => {
  const keys = createKeys('scores');
  const damaged: string[] = [];
  let time = 1;
  const scores = createProjectScores(
    room.redis,
    keys,
    ({ message }) => damaged.push(message),
    () => time,
  );
  expect(await scores.read(['a'])).toEqual([undefined]);
  await scores.store([
    ['a', SCORE],
    ['b', SCORE],
  ]);
  await room.redis.hset(keys.projects, 'b', '{"checkedAt":1}');
  expect(await scores.read(['b', 'a'])).toEqual([undefined, SCORE]);
  expect(damaged).toHaveLength(1);
  time = 2;
  const many = Array.from({ length: 20_001 }, (_, index) => [`p${index}`, SCORE] as const);
  await scores.store(many);
  const ids = new Set(await scores.ids());
  expect([ids.size, ids.has('a'), ids.has('p20000')]).toEqual([20_000, false, true]);
});
