import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { gatherDigest } from '../../src/jobs/gather-digest.ts';
import { followUp } from '../../src/jobs/job.ts';
import { selectionDue } from '../../src/jobs/refresh/select-targets.ts';
import { until } from '../until.ts';
import { LOCKFILE, SOUND } from './fixtures.ts';
import { ADVISORY, createInbox, enqueue, idle, refresh, scan, WORSE } from './fleet.ts';
import { createWorld, type World } from './world.ts';

const MS = { system: 'NPM', name: 'ms' } as const;
const HOLDERS = ['one', 'three', 'two'];
const each = (text: string) => HOLDERS.map((target) => `${target} ${text}`);

/** The bundled package of `SOUND` as it is, without its version, and with the version deprecated. */
function packagesOf({ services: { insights } }: World) {
  const ms = insights.findPackage(MS);
  if (ms === undefined) throw new Error('the bundled data has no ms');
  const versions = ms.versions.map((one) =>
    one.version === '2.1.3' ? { ...one, deprecated: 'Gone.' } : one,
  );
  const without = ms.versions.filter(({ version }) => version !== '2.1.3');
  return { ms, without: { ...ms, versions: without }, deprecated: { ...ms, versions } };
}

async function alertsOnce(world: World): Promise<void> {
  const { insights } = world.services;
  const room = await world.room('changes', [], {
    config: ['policy: { rules: { deprecated: { level: alert } } }'],
  });
  const inbox = createInbox(world, 'changes');
  room.work();
  for (const target of HOLDERS) await scan(room, target, SOUND);
  await scan(room, 'other', LOCKFILE);
  inbox();
  const { ms, without, deprecated } = packagesOf(world);
  const steps: readonly (readonly [change: () => unknown, alerts: readonly string[]])[] = [
    [() => undefined, []],
    [() => insights.learnAdvisory(ADVISORY), each('opened vulnerability medium')],
    [() => insights.learnAdvisory(WORSE), each('worsened vulnerability critical')],
    [() => insights.withdrawAdvisory(ADVISORY.id), each('resolved vulnerability critical')],
    [() => insights.putPackage(deprecated), each('opened deprecated low')],
    [() => insights.putPackage(ms), each('resolved deprecated low')],
    [() => insights.putPackage(without), each('opened vanished high')],
    [() => insights.putPackage(ms), each('resolved vanished high')],
  ];
  for (const [change, expected] of steps) {
    change();
    await refresh(room);
    expect(inbox()).toEqual(expected);
    await refresh(room);
    await refresh(room, 'young');
    expect(inbox()).toEqual([]);
  }
}

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterEach(() => world.services.insights.withdrawAdvisory(ADVISORY.id));
afterAll(() => world.close());

describe('a refresh of the fleet', () => {
  it('alerts once for each target that holds what changed, without a scan', async () => {
    await alertsOnce(world);
  });

  it('that a late job claims again after its end does not keep the next one from starting', async () => {
    const room = await world.room('late');
    room.work();
    await scan(room, 'one', SOUND);
    await refresh(room);
    const { fleet, redis, prefix } = room.store;
    const ended = (await fleet.lastRefresh('all'))?.refresh ?? '';
    await redis.set(`${prefix}:lock:refresh-all`, ended, 'PX', 3_600_000);
    expect(await fleet.refreshInProgress('all')).toBeUndefined();
    await refresh(room);
    expect((await fleet.lastRefresh('all'))?.refresh).not.toBe(ended);
    expect(await redis.get(`${prefix}:lock:refresh-all`)).toBeNull();
  });

  it('looks every package up once, whatever number of targets hold it', async () => {
    const { insights } = world.services;
    const room = await world.room('requests');
    room.work();
    for (const target of ['a', 'b', 'c', 'd']) await scan(room, target, LOCKFILE);
    await scan(room, 'e', SOUND);
    const before = insights.stats();
    await refresh(room);
    const after = insights.stats();
    // lodash, minimist, mkdirp, request and ms, in one page.
    expect(after.entries - before.entries).toBe(5);
    const since = (method: string) => (after.requests.get(method) ?? 0) - (before.requests.get(method) ?? 0);
    expect(since('insights.purlLookupBatch')).toBe(1);
    expect(since('insights.getAdvisory')).toBe((await room.store.fleet.advisoryIds()).length);
    expect(since('insights.getAdvisory')).toBeGreaterThan(3);
  });

  it('is not needed where a scan of one target learns of a change: the others are alerted', async () => {
    const room = await world.room('learned');
    const inbox = createInbox(world, 'learned');
    room.work();
    for (const target of HOLDERS) await scan(room, target, SOUND);
    inbox();
    world.services.insights.learnAdvisory(ADVISORY);
    // Answers are fresh for a millisecond in this configuration.
    await scan(room, 'one', SOUND);
    expect(inbox()).toEqual(['one opened vulnerability medium']);
    await enqueue(room, selectionDue(new Date()));
    await idle(room);
    expect(inbox()).toEqual(['three opened vulnerability medium', 'two opened vulnerability medium']);
  });

  it('sends one alert for each advisory to a route of mode `advisory`, with all targets', async () => {
    const room = await world.room('issues', [
      'firstScan: none',
      'routes:',
      '  - name: security',
      `    webhook: { url: "${world.services.receiver.url}/security", mode: advisory }`,
      '    match: { rules: [vulnerability] }',
    ]);
    room.work();
    for (const target of HOLDERS) await scan(room, target, SOUND);
    world.services.insights.learnAdvisory(ADVISORY);
    await refresh(room);
    await enqueue(
      room,
      followUp(gatherDigest, { of: 'issues', route: 'security', window: new Date().toISOString() }),
    );
    await idle(room);
    const alerts = world.services.receiver.deliveries().filter(({ path }) => path === '/security');
    expect(alerts).toHaveLength(1);
    const { changes } = JSON.parse(alerts[0]?.body ?? '{}');
    expect(changes.map((change: { target: string }) => change.target).sort()).toEqual(HOLDERS);
  });

  it('is scheduled: nothing but an advisory leads to the alert', async () => {
    const room = await world.room('scheduled', [], {
      config: ['watch: { every: 1s, young: 0s, jitter: 0s }'],
    });
    const inbox = createInbox(world, 'scheduled');
    room.work();
    await room.producer.enqueue({
      scan: 'first',
      target: { id: 'one' },
      lockfiles: [{ path: 'package-lock.json', content: SOUND }],
    });
    await room.verdict('first');
    world.services.insights.learnAdvisory(ADVISORY);
    await until('the alert arrives', () => inbox().includes('one opened vulnerability medium'));
  });
});
