import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JOBS } from '../../../src/jobs/catalog.ts';
import type { RunSchedule } from '../../../src/jobs/payloads/sources.ts';
import { runSchedule } from '../../../src/jobs/sources/run-schedule.ts';
import type { Outcomes } from '../../../src/model/queue/outcome.ts';
import type { TargetState } from '../../../src/model/scan/change.ts';
import { createDeliveryStore } from '../../../src/store/alerts/deliveries.ts';
import { createOpenJobStore } from '../../../src/store/outcomes/open-jobs.ts';
import { createOutcomeStore } from '../../../src/store/outcomes/outcomes.ts';
import { createScanStore } from '../../../src/store/scans.ts';
import { createScheduleStore } from '../../../src/store/schedules.ts';
import { createTargetStore } from '../../../src/store/targets.ts';
import { ports } from '../../jobs/facts.ts';
import { SCHEDULE, SOURCE } from '../../jobs/sources/schedule-facts.ts';
import { notificationOf } from '../../notify/notification.ts';
import { runAlone } from '../../workers/run-alone.ts';
import { openStoreRoom, type StoreRoom } from '../store-room.ts';

const DAY = '2026-01-31T06:00:00Z';

let room: StoreRoom;
let outcomes: Outcomes;
beforeAll(async () => {
  room = await openStoreRoom();
  outcomes = createOutcomeStore(room.redis, room.keys, { ttlMs: 60_000 });
});
afterAll(() => room.close());

const state = (revision: number, scan = `scan-${revision}`): TargetState => ({
  revision,
  scan,
  requestedAt: '2026-01-31T06:00:00Z',
  findings: [],
});

describe('an outcome', () => {
  it('is stored unchanged under job and key, for the configured time', async () => {
    const outcome = {
      result: { list: [1, null], text: 'ä' },
      next: [
        { job: 'b', version: 1, key: 'k', payload: { deep: [1] } },
        { job: 'a', version: 1, key: 'l', payload: 2 },
      ],
    };
    expect(await outcomes.save('job', 'kept', outcome)).toMatchObject({ status: 'saved' });
    expect(await outcomes.read('job', 'kept')).toEqual(outcome);
    expect(await outcomes.read('other', 'kept')).toBeUndefined();
    expect(await outcomes.read('job', 'other')).toBeUndefined();
    const left = await room.redis.pttl(room.keys.outcome('job', 'kept'));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_000);
  });

  it('without a result is still an outcome', async () => {
    await outcomes.save('job', 'empty', { result: undefined, next: [] });
    expect(await outcomes.read('job', 'empty')).toEqual({ result: null, next: [] });
  });

  it('is assigned once, for any number of concurrent calls', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        outcomes.save('job', 'once', {
          result: index,
          next: [{ job: 'a', version: 1, key: String(index), payload: index }],
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 'saved')).toHaveLength(1);
    const kept = await outcomes.read('job', 'once');
    for (const answer of answers) {
      if (answer.status !== 'saved') expect(answer).toEqual({ status: 'already-there', outcome: kept });
    }
  });

  it('that is damaged is an error that says what to do', async () => {
    await room.redis.set(room.keys.outcome('job', 'damaged'), 'not ours');
    const error = {
      code: 'state-corrupt',
      message: expect.stringContaining('Delete the key to have the job run again'),
    };
    await expect(outcomes.read('job', 'damaged')).rejects.toMatchObject(error);
    await expect(outcomes.save('job', 'damaged', { result: 1, next: [] })).rejects.toMatchObject(error);
  });
});

describe('the state of a target', () => {
  it('is written with the outcome when it replaces the stored revision', async () => {
    const targets = createTargetStore(room.redis, room.keys);
    const change = { target: 'shop', replaces: 0, state: state(1) };
    expect(await outcomes.save('judge', 'first', { result: 1, next: [], state: change })).toMatchObject({
      status: 'saved',
    });
    expect(await targets.read('shop')).toEqual(state(1));
    await outcomes.save('judge', 'second', {
      result: 2,
      next: [],
      state: { ...change, replaces: 1, state: state(2) },
    });
    expect(await targets.read('shop')).toEqual(state(2));
  });

  it('is not written, nor is the outcome, when the stored revision differs', async () => {
    const targets = createTargetStore(room.redis, room.keys);
    const saveAs = (key: string, scan: string) =>
      outcomes.save('judge', key, {
        result: key,
        next: [],
        state: { target: 'raced', replaces: 0, state: state(1, scan) },
      });
    const answers = await Promise.all([saveAs('one', 'a'), saveAs('two', 'b'), saveAs('three', 'c')]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['saved', 'state-moved', 'state-moved']);
    const saved = await Promise.all(['one', 'two', 'three'].map((key) => outcomes.read('judge', key)));
    expect(saved.filter((outcome) => outcome !== undefined)).toHaveLength(1);
    expect((await targets.read('raced'))?.revision).toBe(1);
  });

  it('is not written again by an outcome that exists', async () => {
    const targets = createTargetStore(room.redis, room.keys);
    const save = (revision: number) =>
      outcomes.save('judge', 'same', {
        result: 1,
        next: [],
        state: { target: 'twice', replaces: revision - 1, state: state(revision) },
      });
    await save(1);
    expect((await save(2)).status).toBe('already-there');
    expect((await targets.read('twice'))?.revision).toBe(1);
  });

  it('that is damaged is an error that says what to do', async () => {
    await room.redis.hset(room.keys.target('damaged'), 'state', 'not ours');
    await expect(createTargetStore(room.redis, room.keys).read('damaged')).rejects.toMatchObject({
      code: 'state-corrupt',
    });
  });

  it('of a target without a scan is undefined', async () => {
    expect(await createTargetStore(room.redis, room.keys).read('unknown')).toBeUndefined();
  });
});

describe('a claim', () => {
  const claimed = (holder: string, replaces?: string) =>
    outcomes.save('job', `claimed by ${holder}`, {
      result: null,
      next: [],
      fleet: { claim: { name: 'work', holder, ttlMs: 60_000, replaces } },
    });

  it('goes from the holder that the job saw to the next one, and to no other', async () => {
    expect((await claimed('first')).status).toBe('saved');
    expect((await claimed('second')).status).toBe('state-moved');
    expect((await claimed('second', 'another')).status).toBe('state-moved');
    expect((await claimed('second', 'first')).status).toBe('saved');
    expect((await claimed('third', 'first')).status).toBe('state-moved');
    expect(await outcomes.has('job', 'claimed by third')).toBe(false);
  });

  it('that was released is not renewed, and one that is held is', async () => {
    const claim = { name: 'renewed', holder: 'own', ttlMs: 60_000 };
    const key = room.keys.claim(claim.name);
    const save = (job: string, changes: object) =>
      outcomes.save(job, 'of a refresh', {
        result: null,
        next: [],
        fleet: { claim: { ...claim, ...changes } },
      });
    expect((await save('begin', { ttlMs: 1_000 })).status).toBe('saved');
    expect((await save('part', { onlyHeld: true })).status).toBe('saved');
    expect(await room.redis.pttl(key)).toBeGreaterThan(10_000);
    expect((await save('finish', { ttlMs: 0 })).status).toBe('saved');
    expect((await save('part that runs again', { onlyHeld: true })).status).toBe('saved');
    expect(await room.redis.get(key)).toBeNull();
  });

  it('lets one of several starts of a schedule at one time begin', async () => {
    const schedules = createScheduleStore(room.redis, room.keys);
    await schedules.put(SCHEDULE);
    const list = async () => [{ target: 'shop', source: SOURCE }];
    const given = ports({ schedules, sources: { list } });
    const start = (trigger: RunSchedule['trigger'], due: Date) => {
      const payload = { schedule: SCHEDULE.name, due: due.toISOString(), trigger };
      return runAlone(runSchedule, payload, outcomes, { ports: given, others: JOBS });
    };
    const runs = await Promise.all([
      start('schedule', new Date(1_000)),
      start('command', new Date(1_000)),
      start('schedule', new Date(2_000)),
    ]);
    const states = runs.map(({ outcome }) => (outcome.result as { state: string }).state);
    expect(states.toSorted()).toEqual(['skipped', 'skipped', 'started']);
    const started = runs.flatMap(({ outcome }) =>
      outcome.next.map(({ payload }) => payload as { run: string }),
    );
    expect(started.map(({ run }) => run)).toEqual([await schedules.lastStarted(SCHEDULE.name)]);
  });
});

describe('a spent outcome', () => {
  const name = { job: 'ingest', key: 'spent' };

  it('stays as a marker for its time to live; its value expires earlier', async () => {
    const store = createOutcomeStore(room.redis, room.keys, { ttlMs: 3_600_000 });
    const openJobs = createOpenJobStore(room.redis, room.keys);
    await store.save(name.job, name.key, {
      result: { large: 'x'.repeat(10_000) },
      next: [{ job: 'a', version: 1, key: 'k', payload: 1 }],
    });
    await store.save('part', 'spent.0', { result: 1, next: [] });
    const spent = { marked: [name], removed: [{ job: 'part', key: 'spent.0' }] };
    await openJobs.close({ id: 'any', spent });
    await openJobs.close({ id: 'any', spent });
    expect(await store.has(name.job, name.key)).toBe(true);
    expect(await store.has('part', 'spent.0')).toBe(false);
    // A worker may have died before it queued what follows.
    expect(await store.read(name.job, name.key)).toEqual({
      result: { large: 'x'.repeat(10_000) },
      next: [{ job: 'a', version: 1, key: 'k', payload: 1 }],
    });
    expect(await room.redis.pttl(room.keys.outcome(name.job, name.key))).toBeGreaterThan(900_000);
    const valueKey = room.keys.spentOutcome(name.job, name.key);
    expect(await room.redis.pttl(valueKey)).toBeLessThanOrEqual(900_000);
    await room.redis.del(valueKey);
    expect(await store.read(name.job, name.key)).toEqual({ result: null, next: [] });
    expect(await store.save(name.job, name.key, { result: 2, next: [] })).toEqual({
      status: 'already-there',
      outcome: { result: null, next: [] },
    });
  });

  it('that does not exist leaves nothing', async () => {
    const spent = { marked: [{ job: 'ingest', key: 'never' }], removed: [] };
    await createOpenJobStore(room.redis, room.keys).close({ id: 'any', spent });
    expect(await outcomes.has('ingest', 'never')).toBe(false);
  });
});

describe('with an outcome', () => {
  it('deliveries are filed and the record of the scan is written, once', async () => {
    const deliveries = createDeliveryStore(room.redis, room.keys);
    const scans = createScanStore(room.redis, room.keys);
    const identity = { id: 'm1', key: 's1.default', route: 'default', target: 'shop', scan: 's1', date: DAY };
    const filed = { identity, notification: { ...notificationOf(), id: 'm1', scan: 's1' } };
    const record = { scan: 's1', target: 'shop', requestedAt: DAY, state: 'running' as const, packages: 3 };
    await outcomes.save('ingest', 's1', { result: 1, next: [], record }, { startedAt: 5 });
    const judged = { ...record, state: 'concluded' as const, deliveries: 1, changes: { opened: 1 } };
    const save = () =>
      outcomes.save('judge', 's1', { result: 1, next: [], record: judged, deliveries: [filed] });
    await save();
    expect(await deliveries.find('m1')).toMatchObject({ ...identity, state: 'waiting', changes: 1 });
    expect(await deliveries.read('m1')).toEqual(filed.notification);
    expect(await deliveries.list(['open'])).toEqual(['m1']);
    await deliveries.move(identity, { state: 'failed', reason: 'HTTP 500' });
    expect(await scans.find('s1')).toMatchObject({ failedDeliveries: 1 });
    await deliveries.move(identity, { state: 'delivered' });
    expect(await save()).toMatchObject({ status: 'already-there' });
    expect(await deliveries.list(['open'])).toEqual([]);
    expect(await scans.find('s1')).toMatchObject({
      ...judged,
      startedAt: 5,
      endedAt: expect.any(Number),
      delivered: 1,
      failedDeliveries: 0,
    });
    expect(await deliveries.read('m1')).toBeUndefined();
  });

  it('counts no failed deliveries that the record of its scan has lost', async () => {
    const deliveries = createDeliveryStore(room.redis, room.keys);
    const scans = createScanStore(room.redis, room.keys);
    const identity = { id: 'm8', key: 's8.default', route: 'default', target: 'shop', scan: 's8', date: DAY };
    const record = { scan: 's8', target: 'shop', requestedAt: DAY, state: 'concluded' as const };
    await deliveries.file(identity, notificationOf());
    await deliveries.move(identity, { state: 'failed', reason: 'HTTP 500' });
    await outcomes.save('judge', 's8', { result: 1, next: [], record });
    await deliveries.move(identity, { state: 'delivered' });
    expect(await scans.find('s8')).toMatchObject({ delivered: 1, failedDeliveries: 0 });
  });

  it('a scan that has ended stays so when its first job runs again after lost writes', async () => {
    const scans = createScanStore(room.redis, room.keys);
    const record = { scan: 's9', target: 'shop', requestedAt: DAY, state: 'running' as const, packages: 3 };
    const ingest = () => outcomes.save('ingest', 's9', { result: 1, next: [], record });
    await ingest();
    for (const state of ['superseded', 'concluded'] as const) {
      await outcomes.save('judge', `s9.${state}`, { result: 1, next: [], record: { ...record, state } });
      await room.redis.del(room.keys.outcome('ingest', 's9'));
      await ingest();
      expect(await scans.find('s9')).toMatchObject({ state, packages: 3, endedAt: expect.any(Number) });
    }
    // One that failed may be tried again by a person.
    await scans.fail({ scan: 's9', target: 'shop', requestedAt: DAY, state: 'failed', reason: 'because' });
    await room.redis.del(room.keys.outcome('ingest', 's9'));
    await ingest();
    expect(await scans.find('s9')).toMatchObject({ state: 'running' });
  });

  it('a scan that is judged again with other changes has its delivery sent, and with the same ones not', async () => {
    const first = { id: 'm3', key: 's3.default', route: 'default', target: 'shop', scan: 's3', date: DAY };
    const judged = async (id: string): Promise<unknown> => {
      const identity = { ...first, id };
      const filed = { identity, notification: { ...notificationOf(), id, scan: 's3' } };
      const job = { id: 'j3', job: 'deliver', data: { version: 1, key: 's3.default', payload: {} } };
      const run = { result: 1, next: [], deliveries: [filed] };
      return await outcomes.save('judge', 's3', run, { follows: [job] });
    };
    await judged('m3');
    await outcomes.save('deliver', 's3.default', { result: 1, next: [], delivered: first });
    // Redis loses the verdict, and not what followed from it.
    await room.redis.del(room.keys.outcome('judge', 's3'));
    await judged('m3');
    expect(await outcomes.has('deliver', 's3.default')).toBe(true);
    await room.redis.del(room.keys.outcome('judge', 's3'));
    await judged('m4');
    expect(await outcomes.has('deliver', 's3.default')).toBe(false);
    // An attempt that still sends the first alert does not end the job of the second one.
    const late = await outcomes.save('deliver', 's3.default', { result: 1, next: [], delivered: first });
    expect(late).toEqual({ status: 'not-wanted' });
    expect(await outcomes.has('deliver', 's3.default')).toBe(false);
  });

  it('a delivery is moved to delivered', async () => {
    const deliveries = createDeliveryStore(room.redis, room.keys);
    const store = createOutcomeStore(room.redis, room.keys, { deliveredTtlMs: 60_000 });
    const identity = { id: 'm2', key: 's2.default', route: 'default', target: 'shop', scan: 's2', date: DAY };
    await deliveries.file(identity, { ...notificationOf(), id: 'm2', scan: 's2' });
    await store.save('deliver', 's2', { result: 1, next: [], delivered: identity });
    expect(await deliveries.find('m2')).toMatchObject({ ...identity, state: 'delivered' });
    expect(await deliveries.read('m2')).toBeUndefined();
    const left = await room.redis.pttl(room.keys.delivery('m2'));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_000);
  });

  it('thousands of follow-ups, digest entries and deliveries are saved', async () => {
    const many = Array.from({ length: 9_000 }, (_, index) => `many-${index}`);
    const data = { version: 1, key: '', payload: {} };
    const follows = many.map((id) => ({ id, job: 'send', data, lane: 'many' }));
    const state = { route: 'daily', taken: many };
    await room.redis.hset(room.keys.digest('daily'), Object.fromEntries(many.map((one) => [one, 'entry'])));
    await outcomes.save('judge', 'many', { result: 1, next: [], state }, { follows });
    expect(await room.redis.llen(room.keys.lane('many'))).toBe(many.length);
  });
});

it('scripts run again after Redis forgot them', async () => {
  await outcomes.save('job', 'before', { result: 1, next: [] });
  await room.redis.call('SCRIPT', 'FLUSH');
  expect(await outcomes.save('job', 'after', { result: 1, next: [] })).toMatchObject({ status: 'saved' });
});
