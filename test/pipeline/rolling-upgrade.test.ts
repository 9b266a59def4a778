import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scanIdOf } from '../../src/model/scan/scan-id.ts';
import { HAS_REDIS, startNativeRedis } from '../native-redis.ts';
import { until } from '../until.ts';
import { LOCKFILE, SOUND } from './fixtures.ts';
import { createWorld, type Room, type World } from './world.ts';

/** The command lines of two installed releases, as `.ci/rolling-upgrade` sets them. */
const { OLD_RELEASE: OLD, NEW_RELEASE: NEW } = process.env;

let world: World;
beforeAll(async () => {
  if (OLD !== undefined)
    world = await createWorld(HAS_REDIS ? await startNativeRedis('--appendonly', 'yes') : undefined);
});
afterAll(() => world?.close());

const TARGETS = 30;

interface Change {
  readonly target: string;
  readonly transition: string;
  readonly fingerprint: string;
}

/** Ids of the alerts that said a change, by target, finding and whether it was opened or resolved. */
function alertsByChange(): ReadonlyMap<string, ReadonlySet<string>> {
  const alerts = new Map<string, Set<string>>();
  for (const { id = '', body } of world.services.receiver.deliveries()) {
    for (const { target, transition, fingerprint } of JSON.parse(body).changes as readonly Change[]) {
      const key = `${target} ${transition} ${fingerprint}`;
      alerts.set(key, (alerts.get(key) ?? new Set()).add(id));
    }
  }
  return alerts;
}

/** How many targets of a phase got an alert about a change of this kind. */
function targetsWith(transition: string, phase: string): number {
  const targets = [...alertsByChange().keys()].flatMap((key) => {
    const [target = '', own] = key.split(' ');
    return own === transition && target.startsWith(`${phase}-`) ? [target] : [];
  });
  return new Set(targets).size;
}

async function enqueue(
  room: Room,
  phase: string,
  lockfile = LOCKFILE,
  from = phase,
): Promise<readonly string[]> {
  const scans = Array.from({ length: TARGETS }, (_, index) => ({
    scan: `${phase}-${lockfile === LOCKFILE ? 'bad' : 'sound'}-${index}`,
    target: { id: `${from}-${index}` },
    lockfiles: [{ path: 'package-lock.json', content: lockfile }],
  }));
  for (const one of scans) await room.producer.enqueue(one);
  return scans.map(({ scan, target }) => scanIdOf(target.id, scan));
}

/** A room, and functions that start a worker of each release on it. */
async function openRoom(name: string) {
  const room = await world.room(name, ['retries: { firstDelay: 200ms, longestDelay: 1s }']);
  return {
    room,
    startOld: () => room.startWorker({}, [], OLD),
    startNew: () => room.startWorker({}, [], NEW),
  };
}

describe.skipIf(OLD === undefined)('workers of one release that are replaced by those of another one', () => {
  it('lose nothing and repeat nothing', async () => {
    const { receiver } = world.services;
    const { room, startOld, startNew } = await openRoom('rolling');

    // The old release alone: finished scans, waiting deliveries, waiting scans.
    const [first, second] = [startOld(), startOld()];
    const before = await enqueue(room, 'old');
    for (const scan of before) await room.verdict(scan);
    receiver.faults.inject({ kind: 'answer', status: 503 }, { every: 2 });
    const waiting = await enqueue(room, 'waiting');
    await until('alerts are sent while others wait', () => receiver.deliveries().length > TARGETS);
    // Both beside each other, with changes of what the old one knows.
    const replaced = startNew();
    const ended = first.kill('SIGTERM');
    const beside = [...(await enqueue(room, 'beside')), ...(await enqueue(room, 'fixed', SOUND, 'old'))];
    await until('the new worker is ready', () => replaced.output().includes('worker ready'));
    await until('both releases are named', async () =>
      /several releases run: .*99\.0\.0/.test((await room.lockhound('health')).output),
    );
    expect(await ended).toBe(0);
    // One dies, and the new release goes on alone.
    await second.kill('SIGKILL');
    const another = startNew();
    const after = [...(await enqueue(room, 'after')), ...(await enqueue(room, 'again', SOUND, 'waiting'))];
    receiver.faults.clear();
    for (const scan of [...waiting, ...beside, ...after]) await room.verdict(scan);
    await until('all alerts are delivered', async () => (await room.store.deliveries.counts()).open === 0);
    // A repetition would follow.
    await sleep(2_000);

    expect([...alertsByChange()].filter(([, ids]) => ids.size > 1)).toEqual([]);
    for (const phase of ['old', 'waiting', 'beside', 'after'])
      expect([phase, targetsWith('opened', phase)]).toEqual([phase, TARGETS]);
    for (const phase of ['old', 'waiting'])
      expect([phase, targetsWith('resolved', phase)]).toEqual([phase, TARGETS]);
    // A graceful stop repeats nothing; the worker that was killed may have sent its last alerts twice, under the same id.
    const ids = receiver.deliveries().map(({ id }) => id);
    expect(ids.length - new Set(ids).size).toBeLessThanOrEqual(8);
    expect(await room.store.deliveries.counts()).toMatchObject({ open: 0, failed: 0 });
    const { diagnoses } = JSON.parse((await room.lockhound('doctor', '--json')).output);
    const faults = diagnoses.filter(({ verdict }: { verdict: string }) => verdict === 'fault');
    expect(faults).toEqual([]);
    for (const worker of [replaced, another]) expect(await worker.kill('SIGTERM')).toBe(0);
  });

  it('go on after a downgrade, and lose nothing', async () => {
    const { receiver } = world.services;
    const { room, startOld, startNew } = await openRoom('back');
    const judged = async (...of: Parameters<typeof enqueue>) => {
      for (const scan of await enqueue(...of)) await room.verdict(scan);
    };
    const old = startOld();
    await judged(room, 'known');
    const beside = startNew();
    expect(await old.kill('SIGTERM')).toBe(0);
    await judged(room, 'newer');
    await judged(room, 'fixed', SOUND, 'known');
    await until('its alerts are delivered', async () => (await room.store.deliveries.counts()).open === 0);
    receiver.faults.inject({ kind: 'answer', status: 503 }, { every: 1 });
    await judged(room, 'held');
    expect(await beside.kill('SIGTERM')).toBe(0);

    const queued = await enqueue(room, 'queued');
    receiver.faults.clear();
    const back = startOld();
    for (const scan of queued) await room.verdict(scan);
    await judged(room, 'again', LOCKFILE, 'known');
    await judged(room, 'again-fixed', SOUND, 'newer');
    expect(await back.kill('SIGTERM')).toBe(0);

    const again = startNew();
    await judged(room, 'last', LOCKFILE, 'known');
    await until('all alerts are delivered', async () => (await room.store.deliveries.counts()).open === 0);
    // A repetition would follow.
    await sleep(2_000);
    const all = ['known', 'newer', 'held', 'queued'];
    expect(all.map((phase) => targetsWith('opened', phase))).toEqual(all.map(() => TARGETS));
    expect(['known', 'newer'].map((phase) => targetsWith('resolved', phase))).toEqual([TARGETS, TARGETS]);
    expect(targetsWith('reopened', 'known')).toBe(TARGETS);
    expect([...alertsByChange()].filter(([, ids]) => ids.size > 1)).toEqual([]);
    expect(await room.store.deliveries.counts()).toMatchObject({ open: 0, failed: 0 });
    expect(await again.kill('SIGTERM')).toBe(0);
  });
});
