import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { advisoriesPath } from '../src/advisories/database.ts';
import { importOsv } from '../src/advisories/import-osv.ts';
import { openStore, type Store } from '../src/compose/store.ts';
import { loadConfig } from '../src/config/load.ts';
import { SCHEDULES_QUEUE } from '../src/workers/schedules.ts';
import { createFeedServer } from '../test/advisories/feed-server.ts';
import { startNativeRedis } from '../test/native-redis.ts';
import { idle } from '../test/pipeline/fleet.ts';
import { distinctPackages, nearestHeld } from './fleet-fill.ts';
import { markJudged } from './fleet-settings.ts';
import { fileOptions, KEPT, keptFleet } from './kept-fleet.ts';
import { cpuSecondsOf, memoryOf } from './process-usage.ts';

const MAIN = process.env['LOCKHOUND_MAIN'] ?? join(import.meta.dirname, '..', 'bin', 'lockhound.js');
const HOLDERS = 200;
const FIRST = '2026-01-01T00:00:00Z';
const LIMITS = { p95Seconds: 60, cpuSeconds: 5 } as const;

/**
 * One worker follows a list of changed advisories, as configured by default. Measures the time from when the list names an advisory
 * about a package that some 200 targets hold to its deliveries, and the processor time of the worker meanwhile.
 * `npm run bench -- feed [targets] [packages] [advisories]`; `FLEET_FILE=<file>.rdb` keeps the filled Redis.
 */
export async function run([
  targets = '10000',
  packages = '1000',
  advisories = '5',
]: readonly string[]): Promise<void> {
  const size = {
    targets: Number(targets),
    packages: Number(packages),
    distinct: distinctPackages(Number(targets), Number(packages)),
  };
  const folder = await mkdtemp(join(tmpdir(), 'feed-'));
  const redis = await startNativeRedis(...(KEPT === undefined ? [] : fileOptions(KEPT)));
  const service = spawn(process.execPath, [join(import.meta.dirname, 'fleet-service.ts')]);
  const feed = await createFeedServer();
  const lines = createInterface({ input: service.stdout })[Symbol.asyncIterator]();
  const url = String((await lines.next()).value);
  const config = join(folder, 'lockhound.yaml');
  await writeFile(config, configText(folder, url, feed.url));
  const first = recordText('GHSA-first', 'no-package', FIRST);
  await writeFile(join(folder, 'one.json'), first);
  // An empty list is no list.
  feed.put('GHSA-first', FIRST, { body: first });
  await importOsv({
    path: advisoriesPath(folder),
    from: join(folder, 'one.json'),
    signal: new AbortController().signal,
  });
  const loaded = loadConfig({ file: config, environment: { REDIS_URL: redis.url } });
  const store = await openStore(loaded, pino({ level: 'silent' }));
  let worker: ReturnType<typeof spawn> | undefined;
  try {
    const { filled } = await keptFleet(store, redis, size);
    await markJudged(store, loaded);
    worker = spawn(process.execPath, [MAIN, 'worker', '--config', config], {
      env: { PATH: process.env['PATH'], REDIS_URL: redis.url },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    while ((await store.advisoryChanges.position('npm')) === undefined) await sleep(100);
    const chosen = nearestHeld(filled.holders, HOLDERS, Number(advisories));
    const [times, cpu]: [number[], number[]] = [[], []];
    for (const [count, index] of chosen.entries()) {
      await sleep(Math.random() * 30_000);
      await quiet(store);
      const before = await cpuSecondsOf(worker);
      const began = performance.now();
      const [id, modified] = [`GHSA-new-${count}`, new Date().toISOString()];
      feed.put(id, modified, { body: recordText(id, `package-${index}`, modified) });
      for (let left = filled.holders[index] ?? 0; left > 0; left -= 1) {
        await lines.next();
        times.push((performance.now() - began) / 1_000);
      }
      await quiet(store);
      cpu.push((await cpuSecondsOf(worker)) - before);
    }
    times.sort((left, right) => left - right);
    const p95 = times[Math.floor(0.95 * times.length)] ?? Number.NaN;
    const most = Math.max(...cpu);
    console.log(
      `${targets} targets × ${packages} packages, ${chosen.length} advisories, ${times.length} deliveries: ` +
        `p95 ${p95.toFixed(1)} s (limit ${LIMITS.p95Seconds}), longest ${times.at(-1)?.toFixed(1)} s; ` +
        `processor ${cpu.map((one) => one.toFixed(1)).join(', ')} s an advisory (limit ${LIMITS.cpuSeconds}); ${(await memoryOf(worker)).peak} MiB`,
    );
    if (p95 > LIMITS.p95Seconds || most > LIMITS.cpuSeconds) process.exitCode = 1;
  } finally {
    if (worker !== undefined && worker.exitCode === null) {
      const ended = once(worker, 'exit');
      worker.kill('SIGTERM');
      await ended;
    }
    service.kill('SIGKILL');
    await feed.close();
    await store.close();
    await redis.close();
    await rm(folder, { recursive: true });
  }
}

/** Resolves when nothing runs: no job, and no schedule, such as the daily removal of what no target needs, which a worker starts with. */
async function quiet(store: Store): Promise<void> {
  const { redis, prefix } = store;
  for (;;) {
    await idle({ store }, 600_000);
    const running = await Promise.all(
      ['active', 'wait'].map((state) => redis.llen(`${prefix}:${SCHEDULES_QUEUE}:${state}`)),
    );
    if (running.every((count) => count === 0)) return;
    await sleep(100);
  }
}

function recordText(id: string, name: string, modified: string): string {
  const affected = [{ package: { ecosystem: 'npm', name }, versions: ['1.0.0'] }];
  return JSON.stringify({ id, modified, summary: `Issue ${id}`, affected });
}

function configText(folder: string, url: string, feed: string): string {
  return `
insights: { url: "${url}", sources: [api, osv] }
log: { level: warn }
data: { folder: "${folder}", osv: { url: "${feed}", ecosystems: [npm] } }
watch: { every: 0s, young: 0s, jitter: 0s, inspect: false }
notify:
  allowAddresses: ["127.0.0.1"]
  webhook: { name: bench, url: "${url}/alert" }
`;
}
