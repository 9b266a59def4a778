import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INGEST_LOCKFILES } from '../../src/jobs/payloads/ingest-lockfiles.ts';
import { scanIdOf } from '../../src/model/scan/scan-id.ts';
import { until } from '../until.ts';
import { LOCKFILE } from './fixtures.ts';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const ID = 'ci-build-4711';
const OTHER = '{"lockfileVersion":3,"packages":{"":{}}}';
const at = (time: string) => `2026-01-31T${time}:00Z`;

function request(target: string, content: string, requestedAt: string) {
  return {
    scan: ID,
    target: { id: target },
    lockfiles: [{ path: 'package-lock.json', content }],
    requestedAt,
  };
}

/** What a program of another language puts on the queue: the id that it chose is the key. */
function envelope(target: string, content: string, requestedAt: string) {
  return { version: 1, key: ID, payload: request(target, content, requestedAt) };
}

describe('the id of a scan belongs to its target', () => {
  it('for the library: two targets have a scan each, and another content is refused', async () => {
    const { producer, store, work } = await world.room('library');
    const first = await producer.enqueue(request('a/shop', OTHER, at('06:00')));
    const second = await producer.enqueue(request('b/bank', LOCKFILE, at('06:00')));
    expect([first.scan, second.scan]).toEqual([scanIdOf('a/shop', ID), scanIdOf('b/bank', ID)]);
    expect(await producer.enqueue(request('b/bank', LOCKFILE, at('07:00')))).toEqual(second);
    // The id that was answered names the same scan.
    const named = { ...request('b/bank', LOCKFILE, at('07:00')), scan: second.scan };
    expect(await producer.enqueue(named)).toEqual(second);
    await expect(producer.enqueue(request('b/bank', OTHER, at('07:00')))).rejects.toMatchObject({
      code: 'scan-exists',
    });
    const labelled = { ...request('b/bank', LOCKFILE, at('07:00')), partial: true };
    await expect(producer.enqueue(labelled)).rejects.toMatchObject({ code: 'scan-exists' });
    work();
    await until('both are judged', async () => (await store.scans.findChosen(ID)).length === 2);
    await until(
      'the second has its findings',
      async () => ((await store.targets.read('b/bank'))?.findings.length ?? 0) > 0,
    );
    expect((await store.targets.read('a/shop'))?.findings).toEqual([]);
  });

  it('for programs that write to the queue themselves, and another content is visibly rejected', async () => {
    const { store, work, outcome } = await world.room('by-hand');
    const queue = new Queue(INGEST_LOCKFILES.name, { connection: store.redis, prefix: store.prefix });
    const add = (data: object) => queue.add(INGEST_LOCKFILES.name, data);
    await add(envelope('a/shop', OTHER, at('06:00')));
    await add(envelope('b/bank', LOCKFILE, at('06:00')));
    work();
    for (const target of ['a/shop', 'b/bank']) {
      await until(`${target} is judged`, async () => (await store.targets.read(target)) !== undefined);
    }
    await outcome('deliver-notification', `${scanIdOf('b/bank', ID)}.default`);
    // A repetition changes nothing; another content is rejected, and the record of the first scan stays.
    const before = await store.scans.find(scanIdOf('b/bank', ID));
    const repeated = await add(envelope('b/bank', LOCKFILE, at('07:00')));
    const taken = await add(envelope('b/bank', OTHER, at('07:00')));
    await until('both are done', async () => {
      const states = await Promise.all([repeated, taken].map(({ id }) => queue.getJobState(id ?? '')));
      // Completed jobs are removed.
      return states.join() === 'unknown,failed';
    });
    expect(await store.rejected.list()).toMatchObject([
      {
        id: taken.id,
        issues: [{ path: 'payload.scan', reason: expect.stringContaining('another content') }],
      },
    ]);
    expect(await store.scans.find(scanIdOf('b/bank', ID))).toEqual(before);
    expect(before?.state).toBe('concluded');
    await queue.close();
  });

  it('in another shard than the one in which a program queued it', async () => {
    const { stores, work } = await world.room('misplaced', [], { shards: 3 });
    const own = stores.of('shop');
    const wrong = stores.shards.filter((shard) => shard !== own);
    const queues = wrong.map(
      ({ redis: connection, prefix }) => new Queue(INGEST_LOCKFILES.name, { connection, prefix }),
    );
    work();
    await queues[0]?.add(INGEST_LOCKFILES.name, envelope('shop', LOCKFILE, at('06:00')));
    await until('it is judged', async () => (await own.targets.read('shop')) !== undefined);
    const taken = await queues[1]?.add(INGEST_LOCKFILES.name, envelope('shop', OTHER, at('07:00')));
    await until('it is rejected', async () => (await wrong[1]?.rejected.list())?.[0]?.id === taken?.id);
    expect(await own.scans.find(scanIdOf('shop', ID))).toMatchObject({ state: 'concluded', packages: 4 });
    for (const queue of queues) await queue.close();
  });
});

it('a scan that was requested in the year 9999 does not supersede the next one', async () => {
  const { store, work, outcome } = await world.room('ahead');
  const queue = new Queue(INGEST_LOCKFILES.name, { connection: store.redis, prefix: store.prefix });
  const first = { ...envelope('shop', OTHER, at('06:00')), key: 'ahead' };
  const requestedAt = '9999-12-31T23:59:59Z';
  await queue.add(INGEST_LOCKFILES.name, {
    ...first,
    payload: { ...first.payload, scan: 'ahead', requestedAt },
  });
  work();
  await until('it is judged', async () => (await store.targets.read('shop')) !== undefined);
  const now = new Date().toISOString();
  expect((await store.targets.read('shop'))?.requestedAt.slice(0, 2)).toBe('20');
  await queue.add(INGEST_LOCKFILES.name, envelope('shop', LOCKFILE, now));
  await outcome('deliver-notification', `${scanIdOf('shop', ID)}.default`);
  expect(await store.scans.find(scanIdOf('shop', ID))).toMatchObject({ state: 'concluded' });
  await queue.close();
});
