import { Queue } from 'bullmq';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { INGEST_LOCKFILES } from '../../src/jobs/payloads/ingest-lockfiles.ts';
import { until } from '../until.ts';
import { LOCKFILE, SOUND } from './fixtures.ts';
import { ADVISORY, createInbox, idle, refresh, scan } from './fleet.ts';
import { createWorld, type Room, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const at = (content: string) => [{ path: 'package-lock.json', content }];

async function release(room: Room, name: string, content: string, supportedUntil?: string) {
  return await room.producer.enqueue({
    target: { id: 'shop' },
    lockfiles: at(content),
    release: name,
    supportedUntil,
  });
}

const json = async (room: Room, ...args: readonly string[]) =>
  JSON.parse((await room.lockhound(...args, '--json')).output);

it('keeps a release, judges it while it is supported, and forgets it with its target', async () => {
  const room = await world.room('releases');
  const inbox = createInbox(world, 'releases');
  room.work();
  await scan(room, 'shop', LOCKFILE);
  await scan(room, 'shop-2', SOUND);
  await release(room, '1.0.0', SOUND, '2020-01-31');
  await release(room, '2.4.1', SOUND, '2999-12-31');
  await idle(room);
  inbox();

  // The same lockfiles change nothing; others are refused, before and after the release was judged.
  await release(room, '2.4.1', SOUND, '2999-12-31');
  await idle(room);
  await expect(release(room, '2.4.1', LOCKFILE)).rejects.toMatchObject({ code: 'release-exists' });
  await room.store.redis.del(...(await room.store.redis.keys('{releases}:request:_release*')));
  await expect(release(room, '2.4.1', LOCKFILE)).rejects.toMatchObject({ code: 'release-exists' });
  expect(inbox()).toEqual([]);

  world.services.insights.learnAdvisory(ADVISORY);
  await refresh(room);
  expect(inbox()).toEqual([
    'shop-2 opened vulnerability medium',
    'shop@release:2.4.1 opened vulnerability medium',
  ]);
  const listed = await json(room, 'targets', '--search', '@release:');
  expect(listed.targets).toMatchObject([
    {
      release: { target: 'shop', release: '2.4.1', supportedUntil: '2999-12-31', supported: true },
      open: { medium: 1 },
    },
    {
      release: { target: 'shop', release: '1.0.0', supportedUntil: '2020-01-31', supported: false },
      open: {},
    },
  ]);
  const text = (await room.lockhound('targets')).output.replaceAll(/\s+/g, ' ');
  expect(text).toContain('release 1.0.0 of shop, not judged since its support ended on 2020-01-31');
  expect(text).toContain('release 2.4.1 of shop, supported until 2999-12-31');
  const held = await json(room, 'where', 'ms', '--ever');
  expect(held.periods.map(({ target }: { target: string }) => target)).toEqual([
    'shop-2',
    'shop@release:1.0.0',
    'shop@release:2.4.1',
  ]);

  // Its support is extended: the same lockfiles with another day.
  await release(room, '1.0.0', SOUND, '2999-01-01');
  await idle(room);
  expect(inbox()).toEqual(['shop@release:1.0.0 opened vulnerability medium']);

  expect(await json(room, 'targets', 'forget', 'shop', '--yes')).toMatchObject({ releases: 2, lockfiles: 3 });
  expect((await json(room, 'targets')).targets.map(({ target }: { target: string }) => target)).toEqual([
    'shop-2',
  ]);
  // Its name is free again.
  await release(room, '2.4.1', LOCKFILE);
  await idle(room);
  expect((await json(room, 'targets', '--search', 'shop@')).total).toBe(1);
});

it('keeps a release from what other programs put on the queue', async () => {
  const room = await world.room('by-hand');
  const { store } = room;
  const queue = new Queue(INGEST_LOCKFILES.name, { connection: store.redis, prefix: store.prefix });
  const add = (scanned: string, payload: object) =>
    queue.add(INGEST_LOCKFILES.name, {
      version: 1,
      key: scanned,
      payload: { scan: scanned, target: { id: 'shop' }, requestedAt: new Date().toISOString(), ...payload },
    });
  // Nobody reserved the lockfiles: both are read before one of them is judged.
  await add('a', { release: '1', lockfiles: at(SOUND) });
  await add('b', { release: '1', lockfiles: at(LOCKFILE) });
  const invalid = [
    { target: { id: 'shop@release:1' }, lockfiles: at(LOCKFILE) },
    { target: { id: 'shop@release:1' }, release: '2', lockfiles: at(LOCKFILE) },
    { release: '2', partial: true, lockfiles: at(LOCKFILE) },
    { release: '2', lockfiles: [{ path: 'go.sum', unread: { code: 'gone', message: 'gone' } }] },
    { release: '@release:', lockfiles: at(LOCKFILE) },
    { release: 'x'.repeat(100), target: { id: 'y'.repeat(100) }, lockfiles: at(LOCKFILE) },
    { supportedUntil: '2028-01-01', lockfiles: at(LOCKFILE) },
    { release: '2', supportedUntil: '2028-02-31', lockfiles: at(LOCKFILE) },
  ];
  for (const [index, payload] of invalid.entries()) await add(`bad${index}`, payload);
  room.work();
  await until('all are done', async () => {
    const scans = await store.scans.list({ from: 0, count: 10 });
    const states = scans.map(({ state }) => state).sort();
    return states.join() === 'concluded,failed';
  });
  const [failed] = (await store.scans.list({ from: 0, count: 10 })).filter(({ state }) => state === 'failed');
  expect(failed).toMatchObject({
    target: 'shop@release:1',
    reason: expect.stringContaining('has other lockfiles'),
  });
  expect(await store.fleet.allTargets()).toEqual(['shop@release:1']);
  await until('the others are rejected', async () => (await store.rejected.list()).length >= invalid.length);
  await queue.close();
});
