import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { openStore, type Store } from '../src/compose/store.ts';
import { loadConfig } from '../src/config/load.ts';
import { refreshDue } from '../src/jobs/refresh/refresh-fleet.ts';
import type { Cadence } from '../src/model/fleet/refresh.ts';
import { type NativeRedis, startNativeRedis } from '../test/native-redis.ts';
import { enqueue, idle } from '../test/pipeline/fleet.ts';
import { distinctPackages, type Filled, type FleetSize, nearestHeld } from './fleet-fill.ts';
import { timeDeliveries, YOUNG_MS } from './fleet-latency.ts';
import { markJudged } from './fleet-settings.ts';
import { fileOptions, IS_JUDGED, KEPT, keptFleet } from './kept-fleet.ts';
import { cpuSecondsOf, memoryOf } from './process-usage.ts';

const ROOT = join(import.meta.dirname, '..');
const MAIN = process.env['LOCKHOUND_MAIN'] ?? join(ROOT, 'bin', 'lockhound.js');
/** Options of Node for the worker: `--cpu-prof --cpu-prof-dir=…`. */
const OPTIONS = process.env['WORKER_OPTIONS']?.split(' ') ?? [];
const LIMIT_MS = 1_800_000;
const PER_PAGE = 100;

/**
 * One worker on a native Redis keeps a fleet up to date: packages are drawn with cubic popularity. Measures refreshes of
 * everything without a change and with one advisory on about 200 targets, and of the young versions; memory of worker and Redis; the
 * time from an advisory to its deliveries.
 * `npm run bench -- fleet [targets] [packages] [distinct packages] [advisories for that time]`; `FLEET_FILE=<file>.rdb` keeps the filled Redis;
 * with `FLEET_JUDGED=1` the worker does not judge all targets first.
 */
export async function run([
  targets = '1000',
  packages = '1000',
  distinct,
  repetitions = '20',
]: readonly string[]): Promise<void> {
  const size = {
    targets: Number(targets),
    packages: Number(packages),
    distinct: Number(distinct ?? distinctPackages(Number(targets), Number(packages))),
  };
  const folder = await mkdtemp(join(tmpdir(), 'fleet-'));
  const redis = await startNativeRedis(...(KEPT === undefined ? [] : fileOptions(KEPT)));
  const service = spawnNode([join(import.meta.dirname, 'fleet-service.ts')]);
  service.stderr.pipe(process.stderr);
  const lines = createInterface({ input: service.stdout })[Symbol.asyncIterator]();
  const url = String((await lines.next()).value);
  const config = join(folder, 'lockhound.yaml');
  await writeFile(config, configText(url));
  const loaded = loadConfig({ file: config, environment: { REDIS_URL: redis.url } });
  const store = await openStore(loaded, pino({ level: 'silent' }));
  let worker: ReturnType<typeof spawnNode> | undefined;
  try {
    const filled = await filling(store, redis, size);
    if (IS_JUDGED) await markJudged(store, loaded);
    worker = startWorker(config, redis);
    await measure({ store, url, service, worker, lines }, filled);
    await printMemory(store, redis, worker);
    await stop(worker);
    if (Number(repetitions) === 0) return;
    await writeFile(config, configText(url, `${YOUNG_MS}ms`));
    worker = startWorker(config, redis);
    const next = async () => String((await lines.next()).value);
    await timeDeliveries(
      { write: (line) => service.stdin.write(line), next },
      filled.holders,
      Number(repetitions),
    );
  } finally {
    await stop(worker);
    service.kill('SIGKILL');
    await store.close();
    await redis.close();
    await rm(folder, { recursive: true });
  }
}

function startWorker(config: string, { url }: NativeRedis) {
  const worker = spawnNode([...OPTIONS, MAIN, 'worker', '--config', config], { REDIS_URL: url });
  worker.stderr.pipe(process.stderr);
  worker.stdout.pipe(process.stderr);
  return worker;
}

async function stop(worker: ChildProcess | undefined): Promise<void> {
  if (worker === undefined || worker.exitCode !== null) return;
  const ended = once(worker, 'exit');
  worker.kill('SIGTERM');
  await ended;
}

async function filling(store: Store, redis: NativeRedis, size: FleetSize): Promise<Filled> {
  const began = performance.now();
  const { filled, isKept } = await keptFleet(store, redis, size);
  const held = filled.holders.reduce((sum, count) => sum + Math.min(count, 1), 0);
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  console.log(
    `${size.targets} targets × ${size.packages} packages, ${held} different ones, ${filled.advisories} advisories; ` +
      `${isKept ? 'read from the file' : 'written'} in ${seconds} s; Redis ${await megabytesOf(redis)} MB`,
  );
  console.log(
    'refresh                              seconds   CPU s  MiB  requests (fewest)      changes  alerts  advice',
  );
  return filled;
}

interface Parts {
  readonly store: Store;
  readonly url: string;
  readonly service: ReturnType<typeof spawnNode>;
  readonly worker: ChildProcess;
  readonly lines: AsyncIterator<string>;
}

async function measure(parts: Parts, { holders, advisories }: Filled): Promise<void> {
  const { service, lines } = parts;
  const all = holders.reduce((sum, count) => sum + Math.min(count, 1), 0);
  const fewest = Math.ceil(all / PER_PAGE) + advisories;
  if (!IS_JUDGED) await judgedByNewSettings(parts);
  await refresh(parts, 'all', 'everything, no change', fewest);
  const [popular = 0] = nearestHeld(holders, 200, 1);
  service.stdin.write(`advisory ${popular} GHSA-new\n`);
  await lines.next();
  const affected = holders[popular] ?? 0;
  const { changes } = await refresh(parts, 'all', `one advisory on ${affected} targets`, fewest);
  if (changes !== affected) throw new Error(`${changes} changes on ${affected} targets`);
  await refresh(parts, 'young', 'young versions', undefined);
  await refresh(parts, 'all', 'everything, no change', fewest + 1);
}

/** A worker with settings by which the targets were not judged yet judges all of them. */
async function judgedByNewSettings({ store, worker }: Parts): Promise<void> {
  const began = performance.now();
  while ((await store.fleet.judgedSettings()) === undefined) await sleep(20);
  await idle({ store }, LIMIT_MS);
  const seconds = ((performance.now() - began) / 1_000).toFixed(2);
  const cpu = (await cpuSecondsOf(worker)).toFixed(1);
  console.log(
    `${'all targets, new settings (cold worker)'.padEnd(36)} ${seconds.padStart(7)} ${cpu.padStart(7)} ${String((await memoryOf(worker)).now).padStart(4)}`,
  );
}

async function refresh(parts: Parts, cadence: Cadence, what: string, fewest: number | undefined) {
  const { store, url, worker } = parts;
  const statsOf = async () => (await (await fetch(`${url}/stats`)).json()) as Record<string, number>;
  const [before, changesBefore] = [await statsOf(), await countOf(store, 'changes')];
  const alertsBefore = await countOf(store, 'alerts');
  const cpuBefore = await cpuSecondsOf(worker);
  const began = performance.now();
  await enqueue({ store }, refreshDue(cadence, new Date()));
  await idle({ store }, LIMIT_MS);
  const seconds = (performance.now() - began) / 1_000;
  const cpu = (await cpuSecondsOf(worker)) - cpuBefore;
  const after = await statsOf();
  const [pages = 0, advisories = 0, packages = 0] = ['pages', 'advisories', 'packages'].map(
    (name) => (after[name] ?? 0) - (before[name] ?? 0),
  );
  const requests = pages + advisories;
  const changes = (await countOf(store, 'changes')) - changesBefore;
  const alerts = (await countOf(store, 'alerts')) - alertsBefore;
  const least = fewest === undefined ? '' : ` (${fewest}: ${(requests / fewest).toFixed(3)})`;
  console.log(
    `${what.padEnd(36)} ${seconds.toFixed(2).padStart(7)} ${cpu.toFixed(1).padStart(7)} ${String((await memoryOf(worker)).now).padStart(4)}  ${`${requests}${least}`.padEnd(21)} ${String(changes).padStart(8)} ${String(alerts).padStart(7)} ${String(packages).padStart(7)}`,
  );
  return { changes };
}

/** Changes in the log of the fleet, or delivered alerts. */
async function countOf({ redis, prefix }: Store, what: 'changes' | 'alerts'): Promise<number> {
  return what === 'changes'
    ? await redis.xlen(`${prefix}:changes`)
    : await redis.zcard(`${prefix}:deliveries:delivered`);
}

async function printMemory(store: Store, redis: NativeRedis, worker: ChildProcess): Promise<void> {
  const { now, peak } = await memoryOf(worker);
  console.log(`worker: ${now} MiB, at most ${peak} MiB; Redis: ${await megabytesOf(redis)} MB`);
  const sizes = new Map<string, { bytes: number; keys: number }>();
  let cursor = '0';
  do {
    const [next, found] = await store.redis.scan(cursor, 'COUNT', 1_000);
    const bytes = await Promise.all(found.map((key) => store.redis.memory('USAGE', key, 'SAMPLES', 200)));
    for (const [index, key] of found.entries()) {
      const group = key.replace(store.prefix, '').replace(/:[0-9a-f]{40,}|:\d+$|:team-.*|:msg_.*/g, ':*');
      const sum = sizes.get(group) ?? { bytes: 0, keys: 0 };
      sizes.set(group, { bytes: sum.bytes + (bytes[index] ?? 0), keys: sum.keys + 1 });
    }
    cursor = next;
  } while (cursor !== '0');
  const largest = [...sizes].toSorted((left, right) => right[1].bytes - left[1].bytes).slice(0, 12);
  for (const [group, { bytes, keys }] of largest) {
    console.log(`  ${(bytes / 1e6).toFixed(1).padStart(7)} MB  ${String(keys).padStart(7)} keys  ${group}`);
  }
}

async function megabytesOf(redis: NativeRedis): Promise<string> {
  const used = /used_memory:(\d+)/.exec(String(await redis.call('INFO', 'memory')))?.[1];
  return (Number(used) / 1e6).toFixed(0);
}

function spawnNode(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  return spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

function configText(url: string, young = '0s'): string {
  return `
insights: { url: "${url}" }
log: { level: warn }
watch: { every: 0s, young: ${young}, jitter: 0s, inspect: false }
notify:
  allowAddresses: ["127.0.0.1"]
  webhook: { name: bench, url: "${url}/alert" }
`;
}
