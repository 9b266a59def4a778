import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeys } from '../../src/store/keys.ts';
import { HAS_REDIS, startNativeRedis } from '../native-redis.ts';
import { seededRandom } from '../seeded-random.ts';
import { until } from '../until.ts';
import { LOCKFILE, SOUND } from './fixtures.ts';
import { createWorld, type Room, type World } from './world.ts';

const SEED = Number(process.env['LEDGER_SEED'] ?? Math.floor(Math.random() * 1_000_000));
const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 2);

async function request(room: Room, scan: string, content: string): Promise<void> {
  const lockfiles = [{ path: 'package-lock.json', content }];
  await room.producer.enqueue({ scan, target: { id: 'target' }, lockfiles });
}

describe.skipIf(!HAS_REDIS)('the ledger of a target', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(await startNativeRedis('--appendonly', 'yes'));
  });
  afterAll(() => world?.close());

  it('has each scan and each alert once, whenever its worker is killed', async () => {
    process.stdout.write(`LEDGER_SEED=${SEED}\n`);
    const random = seededRandom(SEED);
    const room = await world.room('killed');
    const { redis } = room.store;
    const names: string[] = [];
    let worker = room.startWorker();
    for (let round = 0; round < ROUNDS; round += 1) {
      const scan = `s${round}`;
      names.push(scan);
      // The kill is at a command of Redis: before the verdict, with it, after it, and while its alert is delivered.
      const commands = async () =>
        Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))?.[1]);
      const killAt = (await commands()) + Math.floor(random() * 400);
      await request(room, scan, round % 2 === 0 ? LOCKFILE : SOUND);
      await until('the moment of the kill', async () => (await commands()) >= killAt);
      await worker.kill('SIGKILL');
      worker = room.startWorker();
      await room.verdict(scan);
      await room.outcome('deliver-notification', `${scan}.default`);
    }
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
    const [at, revision] = await redis.hmget(createKeys('{killed}').target('target'), 'ledger', 'revision');
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
