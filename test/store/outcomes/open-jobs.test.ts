import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenJob, OpenJobs } from '../../../src/model/queue/open-job.ts';
import { createOpenJobStore } from '../../../src/store/outcomes/open-jobs.ts';
import { createOutcomeStore } from '../../../src/store/outcomes/outcomes.ts';
import { defineScript, runScript } from '../../../src/store/scripts/run-script.ts';
import { openStoreRoom, type StoreRoom } from '../store-room.ts';

let room: StoreRoom;
let openJobs: OpenJobs;
beforeAll(async () => {
  room = await openStoreRoom();
  openJobs = createOpenJobStore(room.redis, room.keys);
});
afterAll(() => room.close());

const job = (id: string, lane?: string): OpenJob => ({
  id,
  job: 'send',
  data: { version: 1, key: id, payload: { id } },
  ...(lane === undefined ? {} : { lane }),
});

async function ids(): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { id } of openJobs.list()) found.push(id);
  return found.sort();
}

describe('a lane', () => {
  it('gives one job at a time the turn, in order', async () => {
    const place = (id: string) => ({ lane: 'order', id });
    for (const id of ['a', 'b', 'c', 'b']) await openJobs.open(job(id, 'order'));
    expect(await openJobs.turn(place('a'))).toEqual({ kind: 'first' });
    expect(await openJobs.turn(place('c'))).toEqual({ kind: 'waiting', first: 'a' });
    expect(await openJobs.turn(place('other'))).toEqual({ kind: 'absent' });
    expect(await openJobs.close(place('a'))).toEqual({ kind: 'closed', next: 'b' });
    expect(await openJobs.close(place('a'))).toEqual({ kind: 'closed', next: 'b' });
    expect(await openJobs.turn(place('a'))).toEqual({ kind: 'absent' });
    expect(await openJobs.close(place('b'))).toEqual({ kind: 'closed', next: 'c' });
    expect(await openJobs.close(place('c'))).toEqual({ kind: 'closed' });
    expect(await room.redis.exists(room.keys.lane('order'))).toBe(0);
  });

  it('can be left from the middle', async () => {
    for (const id of ['a', 'b', 'c']) await openJobs.open(job(id, 'middle'));
    expect(await openJobs.close({ lane: 'middle', id: 'b' })).toMatchObject({ next: 'a' });
    expect(await openJobs.close({ lane: 'middle', id: 'a' })).toMatchObject({ next: 'c' });
    await openJobs.close({ lane: 'middle', id: 'c' });
  });
});

describe('an open job', () => {
  it('is found as it was opened, until it is closed', async () => {
    const big = {
      ...job('big'),
      children: [{ job: 'part', version: 1, key: 'p', payload: 'x'.repeat(10_000) }],
    };
    await openJobs.open(big);
    await openJobs.open(job('small'));
    expect(await openJobs.find('big')).toEqual(big);
    expect(await openJobs.find('none')).toBeUndefined();
    expect(await ids()).toEqual(['big', 'small']);
    await openJobs.close({ id: 'big' });
    expect(await openJobs.find('big')).toBeUndefined();
    expect(await ids()).toEqual(['small']);
    await openJobs.close({ id: 'small' });
  });

  it('that is reported as done stays open, in its place, while Redis has no outcome of it', async () => {
    const outcomes = createOutcomeStore(room.redis, room.keys);
    await openJobs.open(job('done', 'closing'));
    const done = { id: 'done', lane: 'closing', outcome: { job: 'send', key: 'done' } };
    expect(await openJobs.close(done)).toEqual({ kind: 'outcome-missing' });
    expect(await openJobs.turn(done)).toEqual({ kind: 'first' });
    await outcomes.save('send', 'done', { result: 1, next: [] });
    expect(await openJobs.close(done)).toEqual({ kind: 'closed' });
    expect(await ids()).toEqual([]);
  });

  it('is closed together with others, or none is', async () => {
    const outcomes = createOutcomeStore(room.redis, room.keys);
    const named = (key: string) => ({
      id: key,
      outcome: { job: 'send', key },
      spent: { marked: [{ job: 'send', key }], removed: [{ job: 'part', key }] },
    });
    const lane = 'together';
    await openJobs.open(job('first', lane));
    await openJobs.open(job('later', lane));
    await openJobs.open(job('second'));
    const close = () => openJobs.close({ ...named('first'), lane }, [named('second')]);
    for (const key of ['first', 'second']) await outcomes.save('part', key, { result: 1, next: [] });
    await outcomes.save('send', 'first', { result: 1, next: [] });
    expect(await close()).toEqual({ kind: 'outcome-missing' });
    expect(await ids()).toEqual(['first', 'later', 'second']);
    expect(await room.redis.strlen(room.keys.outcome('send', 'first'))).toBeGreaterThan(0);
    await outcomes.save('send', 'second', { result: 2, next: [] });
    expect(await close()).toEqual({ kind: 'closed', next: 'later' });
    expect(await ids()).toEqual(['later']);
    for (const key of ['first', 'second']) {
      expect(await room.redis.strlen(room.keys.outcome('send', key))).toBe(0);
      expect(await outcomes.has('send', key)).toBe(true);
      expect(await outcomes.has('part', key)).toBe(false);
    }
    await openJobs.close({ id: 'later', lane });
  });
});

describe('a follow-up of an outcome', () => {
  it('is opened once, by the stored outcome', async () => {
    const outcomes = createOutcomeStore(room.redis, room.keys);
    const save = (id: string) =>
      outcomes.save(
        'judge',
        'one',
        { result: id, next: [] },
        { follows: [job(`${id}1`, 'x'), job(`${id}2`, 'y'), job(`${id}3`), job(`${id}4`, 'x')] },
      );
    expect(await save('a')).toMatchObject({ status: 'saved' });
    expect(await save('b')).toMatchObject({ status: 'already-there' });
    expect(await room.redis.lrange(room.keys.lane('x'), 0, -1)).toEqual(['a1', 'a4']);
    expect(await room.redis.lrange(room.keys.lane('y'), 0, -1)).toEqual(['a2']);
    expect(await ids()).toEqual(['a1', 'a2', 'a3', 'a4']);
  });

  it('keeps its place when an outcome that was lost is saved again', async () => {
    const outcomes = createOutcomeStore(room.redis, room.keys);
    const save = () =>
      outcomes.save('judge', 'lost', { result: 1, next: [] }, { follows: [job('kept', 'lost')] });
    await save();
    await room.redis.del(room.keys.outcome('judge', 'lost'));
    await save();
    expect(await room.redis.lrange(room.keys.lane('lost'), 0, -1)).toEqual(['kept']);
  });

  it('is not opened when the state of the target changed', async () => {
    const outcomes = createOutcomeStore(room.redis, room.keys);
    const state = { revision: 9, scan: 's', requestedAt: '2026-01-31T06:00:00Z', findings: [] };
    const saved = await outcomes.save(
      'judge',
      'moved',
      { result: 1, next: [], state: { target: 'shop', replaces: 8, state } },
      { follows: [job('never', 'z')] },
    );
    expect(saved).toEqual({ status: 'state-moved' });
    expect(await room.redis.exists(room.keys.lane('z'))).toBe(0);
    expect(await openJobs.find('never')).toBeUndefined();
  });

  it('is found with its turn, and whether it is done, when an attempt begins', async () => {
    const outcomes = createOutcomeStore(room.redis, room.keys);
    const begin = (id: string, ownId = id) =>
      openJobs.begin({ id, ownId, lane: 'begun', outcome: { job: 'send', key: id } });
    expect(await begin('b1')).toEqual({ open: undefined, hasOutcome: false, turn: { kind: 'absent' } });
    for (const id of ['b1', 'b2']) await openJobs.open(job(id, 'begun'));
    await outcomes.save('send', 'b2', { result: 1, next: [] });
    expect(await begin('b1')).toEqual({
      open: job('b1', 'begun'),
      hasOutcome: false,
      turn: { kind: 'first' },
    });
    expect(await begin('b2')).toMatchObject({ hasOutcome: true, turn: { kind: 'waiting', first: 'b1' } });
    // A producer queued it under another id.
    expect(await begin('other', 'b1')).toMatchObject({ open: undefined, turn: { kind: 'first' } });
    const outcome = { job: 'send', key: 'b1' };
    const open = job('b1', 'begun');
    expect(await openJobs.begin({ id: 'b1', ownId: 'b1', lane: undefined, outcome })).toEqual({
      open,
      hasOutcome: false,
    });
  });

  it('is closed with its outcome, which frees others and gives the turn to the next one', async () => {
    const outcomes = createOutcomeStore(room.redis, room.keys);
    const parts = Array.from({ length: 2_500 }, (_, part) => ({ job: 'part', key: `e.${part}` }));
    for (const id of ['e1', 'e2']) await openJobs.open(job(id, 'ended'));
    for (const { job: name, key } of [...parts, { job: 'plan', key: 'e' }]) {
      await outcomes.save(name, key, { result: key, next: [] });
    }
    const spent = {
      marked: [
        { job: 'plan', key: 'e' },
        { job: 'send', key: 'e1' },
      ],
      removed: parts,
    };
    const ends = { id: 'e1', lane: 'ended', spent };
    const save = () => outcomes.save('send', 'e1', { result: 1, next: [] }, { ends });
    expect(await save()).toMatchObject({ status: 'saved', next: 'e2' });
    expect(await openJobs.find('e1')).toBeUndefined();
    expect(await outcomes.has('part', 'e.2499')).toBe(false);
    expect(await room.redis.strlen(room.keys.outcome('plan', 'e'))).toBe(0);
    expect(await outcomes.read('send', 'e1')).toEqual({ result: 1, next: [] });
    expect(await save()).toEqual({ status: 'already-there', outcome: { result: 1, next: [] } });
    expect(
      await outcomes.save('send', 'e2', { result: 1, next: [] }, { ends: { id: 'e2', lane: 'ended' } }),
    ).toMatchObject({
      status: 'saved',
    });
    expect(await room.redis.exists(room.keys.lane('ended'))).toBe(0);
  });

  it('can be one of more than JavaScript passes as arguments', async () => {
    const args = Array.from({ length: 200_000 }, (_, index) => index);
    expect(await runScript(room.redis, defineScript('return #ARGV'), [], args)).toBe(200_000);
  });
});
