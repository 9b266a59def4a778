import { afterAll, beforeAll, expect, it } from 'vitest';
import { jobIdOf } from '../../../src/jobs/job.ts';
import type { PrecedingRun, StoredOutcome } from '../../../src/model/queue/outcome.ts';
import { INVENTORY } from '../../../src/model/stored/catalog.ts';
import { createOpenJobStore } from '../../../src/store/outcomes/open-jobs.ts';
import { createScanStore } from '../../../src/store/scans.ts';
import { npmFile, openFleet } from '../fleet/fleet-room.ts';
import { openStoreRoom, type StoreRoom } from '../store-room.ts';

const AT = '2026-01-31T06:00:00Z';

let room: StoreRoom;
beforeAll(async () => {
  room = await openStoreRoom();
});
afterAll(() => room.close());

const read = [
  npmFile('package-lock.json', ['a@1', 'b@2'], { 'a@1': ['b@2'] }),
  npmFile('web/package-lock.json', ['x@1']),
];
const inventory = { lockfiles: read, unread: [], readAt: 5 };

function openBoth(prefix: string) {
  const fleet = openFleet(room.redis, prefix);
  const { keys, outcomes } = fleet;
  const openJobs = createOpenJobStore(room.redis, keys);
  const scans = createScanStore(room.redis, keys);
  const data = { version: 1, key: 's', payload: {} };
  const follow = { id: jobIdOf('judge', 's'), job: 'judge', data };
  const spent = {
    marked: [
      { job: 'ingest', key: 's' },
      { job: 'judge', key: 's' },
    ],
    removed: [],
  };
  const after: PrecedingRun = {
    job: 'ingest',
    key: 's',
    run: {
      result: inventory,
      next: [{ job: 'judge', version: 1, key: 's', payload: {} }],
      record: { scan: 's', target: 't', requestedAt: AT, state: 'running', packages: 3 },
    },
    circumstances: { follows: [follow], ends: { id: 'ingest-s' }, resultKind: INVENTORY },
  };
  return {
    ...fleet,
    openJobs,
    scans,
    /** Saves both; the second one is over when nothing follows. */
    saveBoth: (next: StoredOutcome['next'] = []) =>
      outcomes.save(
        'judge',
        's',
        {
          result: 'verdict',
          next,
          record: { scan: 's', target: 't', requestedAt: AT, state: 'concluded' },
          state: {
            target: 't',
            replaces: 0,
            state: { revision: 1, scan: 's', requestedAt: AT, findings: [], lockfiles: [] },
            lockfiles: { before: [], read },
          },
        },
        { after, ...(next.length === 0 ? { ends: { id: follow.id, spent } } : {}) },
      ),
    opened: async () => {
      const ids: string[] = [];
      for await (const { id } of openJobs.list()) ids.push(id);
      return ids;
    },
    follow,
  };
}

it('is saved with the outcome before it, with the effects of both', async () => {
  const { outcomes, scans, saveBoth, opened } = openBoth('both');
  expect(await saveBoth()).toEqual({ status: 'saved' });
  expect(await outcomes.read('judge', 's')).toMatchObject({ result: 'verdict' });
  expect(await outcomes.read('ingest', 's')).toMatchObject({ next: [{ job: 'judge' }] });
  expect(await scans.find('s')).toMatchObject({ state: 'concluded', packages: 3 });
  expect(await opened()).toEqual([]);
});

it('leaves the second job open when jobs follow from it', async () => {
  const { saveBoth, opened, follow } = openBoth('open');
  await saveBoth([{ job: 'deliver', version: 1, key: 'k', payload: 1 }]);
  expect(await opened()).toEqual([follow.id]);
});

it.each(['ingest', 'judge'])('is not saved when %s has an outcome', async (job) => {
  const { outcomes, targets, saveBoth } = openBoth(`has-${job}`);
  const other = { result: 'other', next: [] };
  await outcomes.save(job, 's', other);
  expect((await saveBoth()).status).toBe(job === 'ingest' ? 'state-moved' : 'already-there');
  expect(await outcomes.read(job, 's')).toEqual(other);
  expect(await outcomes.has(job === 'ingest' ? 'judge' : 'ingest', 's')).toBe(false);
  expect(await targets.read('t')).toBeUndefined();
});

it('is not saved, nor is the one before it, when the state of the target moved', async () => {
  const { outcomes, save, saveBoth } = openBoth('moved');
  await save('t', []);
  expect((await saveBoth()).status).toBe('state-moved');
  expect(await outcomes.has('ingest', 's')).toBe(false);
});

it('keeps the packages of its lockfiles when the target no longer has them', async () => {
  const { outcomes, save, saveBoth, inventories } = openBoth('kept');
  await saveBoth();
  await save('t', [npmFile('other.json', ['c@3'])]);
  let lists = 0;
  for await (const part of inventories.idLists()) lists += part.size;
  expect(lists).toBe(1);
  expect(await outcomes.readResult(INVENTORY, 'ingest', 's')).toEqual(inventory);
});
