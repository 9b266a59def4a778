import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeys } from '../../src/store/keys.ts';
import { LOCKFILE, SOUND } from './fixtures.ts';
import { createWorld, type Room, type World } from './world.ts';

const ROUNDS = 3;

async function request(room: Room, scan: string, content: string): Promise<void> {
  const lockfiles = [{ path: 'package-lock.json', content }];
  await room.producer.enqueue({ scan, target: { id: 'target' }, lockfiles });
}

describe('the ledger of a target', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => world.close());

  // Histories of the simulation compare it after kills.
  it('has each scan and each alert once', async () => {
    const room = await world.room('each');
    const { redis } = room.store;
    const names: string[] = [];
    const worker = room.work();
    for (let round = 0; round < ROUNDS; round += 1) {
      const scan = `s${round}`;
      names.push(scan);
      await request(room, scan, round % 2 === 0 ? LOCKFILE : SOUND);
      await room.verdict(scan);
      await room.outcome('deliver-notification', `${scan}.default`);
    }
    await worker.stop();
    const entries = await room.store.ledger.read('target');
    const scans = entries.filter(({ delivered }) => delivered === undefined);
    expect(scans.map(({ scan }) => scan.replace(/\..*/, ''))).toEqual(names);
    expect(scans.map(({ start = false }) => start)).toEqual(names.map((_, index) => index === 0));
    for (const [index, { files = [], findings = [] }] of scans.entries()) {
      const [came, went] = [files[0]?.came.length ?? 0, files[0]?.went.length ?? 0];
      expect([came, went]).toEqual(index === 0 ? [0, 0] : index % 2 === 0 ? [4, 1] : [1, 4]);
      expect(findings.length).toBeGreaterThan(0);
      expect(findings[0]?.routes).toEqual(['default']);
    }
    const delivered = entries.filter((entry) => entry.delivered === 'default').map(({ scan }) => scan);
    expect(delivered).toEqual(scans.map(({ scan }) => scan));
    const [at, revision] = await redis.hmget(createKeys('{each}').target('target'), 'ledger', 'revision');
    expect(at).toBe(revision);
  });

  it('names the revision that a producer states, and has none where it is turned off', async () => {
    const room = await world.room('stated', [], {
      config: ['ledger:', '  byLabel:', '    - labels: {team: quiet}', '      keep: 0d'],
    });
    const worker = room.work();
    const commit = 'c0ffee'.padEnd(40, '0');
    const lockfiles = [{ path: 'package-lock.json', content: LOCKFILE }];
    const revision = { commit, committedAt: '2026-01-01T00:00:00Z' };
    await room.producer.enqueue({ scan: 'loud', target: { id: 'loud' }, lockfiles, revision });
    const quiet = { id: 'quiet', labels: { team: 'quiet' } };
    await room.producer.enqueue({ scan: 'quiet', target: quiet, lockfiles, revision });
    await room.outcome('deliver-notification', 'loud.default');
    await room.outcome('deliver-notification', 'quiet.default');
    await worker.stop();
    expect(await room.store.ledger.read('loud')).toMatchObject([
      { start: true, ...revision },
      { delivered: 'default' },
    ]);
    expect(await room.store.ledger.read('quiet')).toEqual([]);
  });
});
