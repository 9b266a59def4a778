import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TargetState } from '../../src/model/change.ts';
import { createOutcomeStore, type OutcomeStore } from '../../src/store/outcomes.ts';
import { createTargetStore } from '../../src/store/targets.ts';
import { openStoreRoom, type StoreRoom } from './store-room.ts';

let room: StoreRoom;
let outcomes: OutcomeStore<string>;
beforeAll(async () => {
  room = await openStoreRoom();
  outcomes = createOutcomeStore<string>(room.redis, room.keys, { ttlMs: 60_000 });
});
afterAll(() => room.close());

const state = (revision: number, scan = `scan-${revision}`): TargetState => ({
  revision,
  scan,
  requestedAt: '2026-01-31T06:00:00Z',
  findings: [],
});

describe('an outcome', () => {
  it('is kept as it came, under its job and key, for the time set', async () => {
    const outcome = { result: { list: [1, null], text: 'ä' }, next: ['b', 'a'] };
    expect(await outcomes.save('job', 'kept', outcome)).toEqual({ status: 'saved' });
    expect(await outcomes.read('job', 'kept')).toEqual(outcome);
    expect(await outcomes.read('other', 'kept')).toBeUndefined();
    expect(await outcomes.read('job', 'other')).toBeUndefined();
    const left = await room.redis.pttl(room.keys.outcome('job', 'kept'));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_000);
  });

  it('without a result is an outcome all the same', async () => {
    await outcomes.save('job', 'empty', { result: undefined, next: [] });
    expect(await outcomes.read('job', 'empty')).toEqual({ result: null, next: [] });
  });

  it('is assigned once, however many try at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        outcomes.save('job', 'once', { result: index, next: [String(index)] }),
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
    const error = { code: 'state-corrupt', message: expect.stringContaining('Delete its key') };
    await expect(outcomes.read('job', 'damaged')).rejects.toMatchObject(error);
    await expect(outcomes.save('job', 'damaged', { result: 1, next: [] })).rejects.toMatchObject(error);
  });
});

describe('the state of a target', () => {
  it('is written with the outcome when it replaces what is there', async () => {
    const targets = createTargetStore(room.redis, room.keys);
    const change = { target: 'shop', replaces: 0, state: state(1) };
    expect(await outcomes.save('judge', 'first', { result: 1, next: [] }, change)).toEqual({
      status: 'saved',
    });
    expect(await targets.read('shop')).toEqual(state(1));
    expect(await targets.list()).toEqual(['shop']);
    await outcomes.save(
      'judge',
      'second',
      { result: 2, next: [] },
      { ...change, replaces: 1, state: state(2) },
    );
    expect(await targets.read('shop')).toEqual(state(2));
  });

  it('is left alone, and so is the outcome, when it moved', async () => {
    const targets = createTargetStore(room.redis, room.keys);
    const saveAs = (key: string, scan: string) =>
      outcomes.save(
        'judge',
        key,
        { result: key, next: [] },
        { target: 'raced', replaces: 0, state: state(1, scan) },
      );
    const answers = await Promise.all([saveAs('one', 'a'), saveAs('two', 'b'), saveAs('three', 'c')]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['saved', 'state-moved', 'state-moved']);
    const saved = await Promise.all(['one', 'two', 'three'].map((key) => outcomes.read('judge', key)));
    expect(saved.filter((outcome) => outcome !== undefined)).toHaveLength(1);
    expect((await targets.read('raced'))?.revision).toBe(1);
  });

  it('is not written again by an outcome that is there already', async () => {
    const targets = createTargetStore(room.redis, room.keys);
    const save = (revision: number) =>
      outcomes.save(
        'judge',
        'same',
        { result: 1, next: [] },
        { target: 'twice', replaces: revision - 1, state: state(revision) },
      );
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

  it('of a target never judged is none', async () => {
    expect(await createTargetStore(room.redis, room.keys).read('unknown')).toBeUndefined();
  });
});

it('scripts run again after Redis forgot them', async () => {
  await outcomes.save('job', 'before', { result: 1, next: [] });
  await room.redis.call('SCRIPT', 'FLUSH');
  expect(await outcomes.save('job', 'after', { result: 1, next: [] })).toEqual({ status: 'saved' });
});
