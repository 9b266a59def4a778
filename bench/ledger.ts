import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { heldIds } from '../src/fleet/id-list.ts';
import { chunks } from '../src/model/yielding.ts';
import { createFolderStorage } from '../src/storage/folder-storage.ts';
import { createLedger, headKeys } from '../src/store/fleet/ledger.ts';
import { createLedgerArchive } from '../src/store/fleet/ledger-archive.ts';
import type { Keys } from '../src/store/keys.ts';
import { closeRedis, connectRedis, type RedisClient } from '../src/store/redis/connection.ts';
import { startNativeRedis } from '../test/native-redis.ts';
import { seededRandom } from '../test/seeded-random.ts';
import { npmFile, openFleet } from '../test/store/fleet/fleet-room.ts';
import { rowsOf, type Subject, type Table } from './rows.ts';

const PACKAGES = 1_000;
const NAMES = 50_000;
const WEEKS = 52;
const CHANGED = 30;
const FIRST = Date.parse('2026-01-05T06:00:00Z');

const SUBJECTS: readonly Subject[] = [
  { name: 'save a scan, no ledger' },
  { name: 'save a scan', floor: 'save a scan, no ledger' },
];

/**
 * A year of weekly scans of [targets] × 1,000 packages, of which 30 change each week: the size of a ledger in Redis, the processor time
 * of this process for saving a scan with and without one, and the pass over the heads of all ledgers.
 * `npm run bench -- ledger [targets]`.
 */
export async function* measure([count = '100']: readonly string[]): AsyncGenerator<Table> {
  const server = await startNativeRedis();
  const redis = await connectRedis({ urls: server.url });
  const random = seededRandom(33);
  const draw = (limit: number) => Math.floor(random() * limit);
  const off = openFleet(redis, 'off', { keepMs: () => 0 });
  const on = openFleet(redis, 'on');
  const times = new Map<string, number[]>(SUBJECTS.map(({ name }) => [name, []]));
  const targets = Array.from({ length: Number(count) }, () =>
    Array.from({ length: PACKAGES }, () => ({ name: draw(NAMES), version: 0 })),
  );
  for (let week = 0; week < WEEKS; week += 1) {
    if (week > 0) for (const packages of targets) upgrade(packages, week, draw);
    const sides = [['save a scan, no ledger', off] as const, ['save a scan', on] as const];
    for (const [name, fleet] of week % 2 === 0 ? sides : sides.reverse()) {
      const before = process.cpuUsage();
      for (const [index, packages] of targets.entries()) {
        const requestedAt = new Date(FIRST + week * 7 * 86_400_000).toISOString();
        const commit = Array.from({ length: 40 }, () => draw(16).toString(16)).join('');
        await fleet.save(`org/target-${index}`, [fileOf(packages)], { ledger: { requestedAt, commit } });
      }
      const { user, system } = process.cpuUsage(before);
      times.get(name)?.push((user + system) / 1_000 / targets.length);
    }
  }
  yield {
    title: `saving a scan of ${PACKAGES} packages, processor time of this process`,
    rows: rowsOf(SUBJECTS, times),
  };
  const [without = 0, recorded = 0] = SUBJECTS.map(({ name }) =>
    (times.get(name) ?? []).reduce((sum, time) => sum + time, 0),
  );
  console.log(
    `recording adds ${((recorded - without) / WEEKS).toFixed(2)} ms to a scan; \`npm run bench -- worker\` measures whole ones`,
  );
  let [ledgers, heads] = [0, 0];
  for (let index = 0; index < targets.length; index += 1) {
    const target = `org/target-${index}`;
    ledgers += Number(await redis.memory('USAGE', on.keys.ledger(target), 'SAMPLES', 0));
    for (const key of headKeys(on.keys, target)) heads += target.length + (await redis.hstrlen(key, target));
  }
  const kilobytes = (bytes: number) => (bytes / targets.length / 1_024).toFixed(1);
  console.log(`a year in Redis: ${kilobytes(ledgers)} KB a ledger, and ${kilobytes(heads)} KB for its head`);
  await measureArchive(redis, on.keys, targets.length);
  const began = performance.now();
  let found = 0;
  for await (const { heads: part, wanted } of createLedger(redis, on.keys).heads([1, 1_001, 100_001]))
    for (const { ids } of part.values()) found += heldIds(ids, wanted).length;
  const each = (performance.now() - began) / targets.length;
  console.log(`a pass over all heads: ${(each * 1_000).toFixed(1)} µs a target (${found} found)`);
  await closeRedis(redis);
  await server.close();
}

/** The sizes of ledgers whose old blocks are in a folder, and the time for moving and reading them. */
async function measureArchive(redis: RedisClient, keys: Keys, targets: number): Promise<void> {
  const names = Array.from({ length: targets }, (_, index) => `org/target-${index}`);
  const folder = await mkdtemp(join(tmpdir(), 'ledgers-'));
  const storage = createFolderStorage(folder, 1_000_000);
  const per = (ms: number, count: number) => (ms / Math.max(1, count)).toFixed(2);
  const read = async () => {
    const ledger = createLedger(redis, keys, storage);
    const from = performance.now();
    for (const part of chunks(names, 32)) await Promise.all(part.map((target) => ledger.read(target)));
    return per(performance.now() - from, names.length);
  };
  const inRedis = await read();
  const archive = createLedgerArchive(redis, keys, { storage, afterMs: 1 });
  const [moving, used] = [performance.now(), process.cpuUsage()];
  const { archived } = await archive();
  const { user, system } = process.cpuUsage(used);
  const took = `${per(performance.now() - moving, archived)} ms, ${per((user + system) / 1_000, archived)} ms of processor time`;
  let left = 0;
  for (const target of names) left += Number(await redis.memory('USAGE', keys.ledger(target), 'SAMPLES', 0));
  console.log(
    `with ${archived} blocks in a folder: ${(left / targets / 1_024).toFixed(1)} KB a ledger; moving a block takes ${took}`,
  );
  console.log(
    `reading a ledger takes ${inRedis} ms from Redis, and ${await read()} ms from Redis and the folder`,
  );
  await rm(folder, { recursive: true });
}

interface Held {
  readonly name: number;
  version: number;
}

function upgrade(packages: readonly Held[], version: number, draw: (limit: number) => number): void {
  for (let change = 0; change < CHANGED; change += 1) {
    const one = packages[draw(packages.length)];
    if (one !== undefined) one.version = version;
  }
}

function fileOf(packages: readonly Held[]) {
  const ids = packages.map(({ name, version }) => `package-${name}@${version}.0.0`);
  const edges = Object.fromEntries(ids.map((id, at) => [id, [...ids.slice(2 * at + 1, 2 * at + 3)]]));
  return npmFile('package-lock.json', [...new Set(ids)], edges);
}
