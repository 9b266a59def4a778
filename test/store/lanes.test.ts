import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLaneStore, type LaneStore } from '../../src/store/lanes.ts';
import { createOutcomeStore } from '../../src/store/outcomes.ts';
import { openStoreRoom, type StoreRoom } from './store-room.ts';

let room: StoreRoom;
let lanes: LaneStore;
beforeAll(async () => {
  room = await openStoreRoom();
  lanes = createLaneStore(room.redis, room.keys);
});
afterAll(() => room.close());

describe('a lane', () => {
  it('lets one at a time go, in order', async () => {
    const place = (id: string) => ({ lane: 'order', id });
    for (const id of ['a', 'b', 'c', 'b']) await lanes.take(place(id));
    expect(await lanes.turn(place('a'))).toEqual({ kind: 'first' });
    expect(await lanes.turn(place('c'))).toEqual({ kind: 'waiting', first: 'a' });
    expect(await lanes.turn(place('other'))).toEqual({ kind: 'absent' });
    expect(await lanes.leave(place('a'))).toBe('b');
    expect(await lanes.leave(place('a'))).toBe('b');
    expect(await lanes.turn(place('a'))).toEqual({ kind: 'absent' });
    expect(await lanes.leave(place('b'))).toBe('c');
    expect(await lanes.leave(place('c'))).toBeUndefined();
    expect(await room.redis.exists(room.keys.lane('order'))).toBe(0);
  });

  it('may be left from the middle', async () => {
    const place = (id: string) => ({ lane: 'middle', id });
    for (const id of ['a', 'b', 'c']) await lanes.take(place(id));
    expect(await lanes.leave(place('b'))).toBe('a');
    expect(await lanes.leave(place('a'))).toBe('c');
  });
});

describe('places that an outcome takes', () => {
  it('are taken once, by the outcome that is kept', async () => {
    const outcomes = createOutcomeStore<string>(room.redis, room.keys);
    const save = (id: string) =>
      outcomes.save('judge', 'one', { result: id, next: [] }, undefined, [
        { lane: 'x', id },
        { lane: 'y', id },
      ]);
    expect(await save('a')).toEqual({ status: 'saved' });
    expect(await save('b')).toMatchObject({ status: 'already-there' });
    expect(await room.redis.lrange(room.keys.lane('x'), 0, -1)).toEqual(['a']);
    expect(await room.redis.lrange(room.keys.lane('y'), 0, -1)).toEqual(['a']);
  });

  it('are not taken when the target has moved', async () => {
    const outcomes = createOutcomeStore<string>(room.redis, room.keys);
    const state = { revision: 9, scan: 's', requestedAt: '2026-01-31T06:00:00Z', findings: [] };
    const saved = await outcomes.save(
      'judge',
      'moved',
      { result: 1, next: [] },
      { target: 'shop', replaces: 8, state },
      [{ lane: 'z', id: 'a' }],
    );
    expect(saved).toEqual({ status: 'state-moved' });
    expect(await room.redis.exists(room.keys.lane('z'))).toBe(0);
  });
});
