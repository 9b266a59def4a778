import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DigestEntry } from '../../../src/model/alert/notification.ts';
import type { Outcomes } from '../../../src/model/queue/outcome.ts';
import { createDigestStore } from '../../../src/store/alerts/digests.ts';
import { createOutcomeStore } from '../../../src/store/outcomes/outcomes.ts';
import { openStoreRoom, type StoreRoom } from '../store-room.ts';

let room: StoreRoom;
let outcomes: Outcomes;
let digests: ReturnType<typeof createDigestStore>;
beforeAll(async () => {
  room = await openStoreRoom();
  outcomes = createOutcomeStore(room.redis, room.keys, { ttlMs: 60_000 });
  digests = createDigestStore(room.redis, room.keys);
});
afterAll(() => room.close());

type Entry = Omit<DigestEntry, 'revision'>;

function entry(scan: string, date: string): Entry {
  const open = { critical: 0, high: 0, medium: 0, low: 0, none: 0, unrated: 0 };
  return { scan, target: { id: 'target', labels: {} }, date, changes: [], open, gaps: 0 };
}

/** Saves a verdict like judge-scan, with changes for periodic routes. */
function judged(target: string, revision: number, entries: readonly (readonly [string, Entry])[]) {
  const state = { revision, scan: `s${revision}`, requestedAt: '2026-01-31T06:00:00Z', findings: [] };
  const change = {
    target,
    replaces: revision - 1,
    state,
    digests: entries.map(([route, one]) => ({
      route,
      entry: { ...one, target: { id: target, labels: {} } },
    })),
  };
  const id = `job-${target}-${revision}`;
  const follows = [{ lane: 'lane', id, job: 'send', data: { version: 1, key: id, payload: {} } }];
  return outcomes.save(
    'judge-scan',
    `${target}-${revision}`,
    { result: null, next: [], state: change },
    { follows },
  );
}

it('waiting changes are written with the verdict or not at all, and read in the order of states', async () => {
  await judged('a', 1, [['daily', entry('later', '2026-01-02T00:00:00Z')]]);
  await judged('b', 1, [
    ['daily', entry('earlier', '2026-01-01T00:00:00Z')],
    ['weekly', entry('earlier', '2026-01-01T00:00:00Z')],
  ]);
  // It was requested before the one that was judged first.
  await judged('a', 2, [['daily', entry('second', '2025-12-31T00:00:00Z')]]);
  // Another scan was judged meanwhile: neither state nor entry is written.
  const moved = await judged('a', 1, [['daily', entry('never', '2026-01-03T00:00:00Z')]]);
  expect(moved.status).toBe('already-there');
  const state = { revision: 9, scan: 's', requestedAt: '2026-01-31T06:00:00Z', findings: [] };
  const overtaken = {
    target: 'a',
    replaces: 8,
    state,
    digests: [{ route: 'daily', entry: entry('never', '2026-01-03T00:00:00Z') }],
  };
  expect(
    await outcomes.save('judge-scan', 'overtaken', { result: null, next: [], state: overtaken }),
  ).toEqual({
    status: 'state-moved',
  });
  expect((await digests.read('daily')).map(({ scan }) => scan)).toEqual(['later', 'second', 'earlier']);
  expect(await digests.routes()).toEqual(['daily', 'weekly']);
  expect(await room.redis.lrange(room.keys.lane('lane'), 0, -1)).toEqual(['job-a-1', 'job-b-1', 'job-a-2']);
});

it('entries of a digest are removed once, with its outcome; later entries keep waiting', async () => {
  const [one] = await Promise.all([
    outcomes.save('gather-digest', 'd', {
      result: 1,
      next: [],
      state: { route: 'daily', taken: ['earlier', 'later', 'second'] },
    }),
    judged('c', 1, [['daily', entry('meanwhile', '2026-01-04T00:00:00Z')]]),
  ]);
  expect(one.status).toBe('saved');
  expect((await digests.read('daily')).map(({ scan }) => scan)).toEqual(['meanwhile']);
  // Another digest of the route, which was gathered at the same time.
  const other = await outcomes.save('gather-digest', 'other', {
    result: 1,
    next: [],
    state: { route: 'daily', taken: ['later', 'meanwhile'] },
  });
  expect(other).toEqual({ status: 'state-moved' });
  // The same digest, computed again by a worker that was considered dead.
  const again = await outcomes.save('gather-digest', 'd', {
    result: 2,
    next: [],
    state: { route: 'daily', taken: ['earlier', 'later', 'second', 'meanwhile'] },
  });
  expect(again).toEqual({ status: 'already-there', outcome: { result: 1, next: [] } });
  expect((await digests.read('daily')).map(({ scan }) => scan)).toEqual(['meanwhile']);
  expect((await digests.read('weekly')).map(({ scan }) => scan)).toEqual(['earlier']);
});
