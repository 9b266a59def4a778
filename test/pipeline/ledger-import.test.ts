import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_REDIS } from '../native-redis.ts';
import { seededRandom } from '../seeded-random.ts';
import { openRepositories } from '../sources/repositories.ts';
import { until } from '../until.ts';
import { ADVISORY, idle } from './fleet.ts';
import { createWorld, type Room, type World } from './world.ts';

const COMMITS = Number(process.env['IMPORT_COMMITS'] ?? 200);
const SCANS = 6;
const SEED = Number(process.env['IMPORT_SEED'] ?? 1);

function lockfile(versions: Readonly<Record<string, string>>): string {
  const packages = Object.entries(versions).map(([name, version]) => [`node_modules/${name}`, { version }]);
  const own = { '': { dependencies: versions }, ...Object.fromEntries(packages) };
  return JSON.stringify({ lockfileVersion: 3, packages: own });
}

describe.skipIf(!HAS_REDIS)('imports beside real workers', () => {
  const repositories = openRepositories();
  const random = seededRandom(SEED);
  let world: World;
  let room: Room;
  beforeAll(async () => {
    world = await createWorld();
    room = await world.room('import', [], { config: ['ledger: { keep: 36500d }'] });
  });
  afterAll(async () => {
    await world?.close();
    repositories.close();
  });

  function createHistory(): string {
    const { folder } = repositories.create('shop');
    const versions = { ms: '2.1.3', b: '1.0.0', c: '1.0.0' };
    const stream: string[] = [];
    for (let index = 0; index < COMMITS; index += 1) {
      const name = (['ms', 'b', 'c'] as const)[Math.floor(random() * 3)] ?? 'b';
      versions[name] = `2.1.${Math.floor(random() * 6)}`;
      const text = lockfile(versions);
      const time = 1_700_000_000 + index * 3_600;
      stream.push(
        `commit refs/heads/main\ncommitter A <a@a.example> ${time} +0000\ndata 0\n`,
        `M 100644 inline package-lock.json\ndata ${text.length}\n${text}\n`,
      );
    }
    execFileSync('git', ['-C', folder, 'fast-import', '--quiet', '--force'], { input: stream.join('') });
    return folder;
  }

  async function scan(target: string, round: number): Promise<void> {
    const content = lockfile({ ms: `2.1.${round % 4}`, d: `1.0.${round}` });
    const lockfiles = [{ path: 'package-lock.json', content }];
    await room.producer.enqueue({ scan: `${target}-${round}`, target: { id: target }, lockfiles });
    await room.verdict(`${target}-${round}`);
  }

  /** An answer about a target without what differs between two targets: names of scans and times of this test. */
  async function answer(target: string, ...args: readonly string[]): Promise<unknown> {
    const { code, output } = await room.lockhound(...args, '--json');
    expect([code, output]).toEqual([0, expect.stringContaining(target)]);
    const hide = (key: string, value: unknown): unknown => {
      if (key !== 'periods') return key === 'scan' ? undefined : value;
      const own = (value as { target?: string }[]).filter((one) => (one.target ?? target) === target);
      return own.map((one) => JSON.stringify(one, hide).replaceAll(NOW, '"now"'));
    };
    const text = JSON.stringify(JSON.parse(output), hide);
    return JSON.parse(text.replaceAll(NOW, '"now"').replaceAll(target, 'T'));
  }

  it(`lose nothing when either is killed (seed ${SEED})`, async () => {
    world.services.insights.learnAdvisory(ADVISORY);
    const folder = createHistory();
    let worker = room.startWorker();
    const importing = (target: string) =>
      room.start('ledger', 'import', folder, '--target', target, '--ref', 'main', '--json');
    for (let round = 0; round < SCANS; round += 1) await scan('calm', round);
    expect(await importing('calm').ended).toBe(0);

    // Scans, the death of a worker and of an import, and a second import of the same target.
    await scan('raced', 0);
    const elements = () => room.store.redis.llen('{import}:ledger:raced');
    const imports = async () => {
      const [killed, other] = [importing('raced'), importing('raced')];
      const stored = until('something is stored', async () => (await elements()) > SCANS);
      await Promise.race([killed.ended, other.ended, stored]);
      await killed.kill('SIGKILL');
      await stored;
      if ((await other.ended) !== 0) expect(other.output()).toContain('ledger-changed');
    };
    const scans = async () => {
      for (let round = 1; round < SCANS; round += 1) {
        if (round === 3) {
          await worker.kill('SIGKILL');
          worker = room.startWorker();
        }
        await scan('raced', round);
      }
    };
    await Promise.all([imports(), scans()]);
    const last = importing('raced');
    expect([await last.ended, last.output()]).toEqual([0, expect.stringContaining(`"commits":${COMMITS},`)]);

    await until('nothing is left to do', () =>
      idle(room, 100).then(
        () => true,
        () => false,
      ),
    );
    const answers = async (target: string) => ({
      history: await answer(target, 'targets', 'history', target),
      blame: await answer(target, 'targets', 'blame', target, 'ms'),
      where: await answer(target, 'where', 'ms', '--ever'),
    });
    expect(await answers('raced')).toEqual(await answers('calm'));
    expect(await worker.kill('SIGTERM')).toBe(0);
  });
});

/** The times of this test; those of the commits are in the past. */
const NOW = /"20(?:2[6-9]|[3-9]\d)-[^"\\]*"/g;
