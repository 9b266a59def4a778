import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { Agent, request } from 'undici';
import { openStore, type Store } from '../src/compose/store.ts';
import { loadConfig } from '../src/config/load.ts';
import { startNativeRedis } from '../test/native-redis.ts';
import { seededRandom } from '../test/seeded-random.ts';
import { fillFleet } from './fleet-fill.ts';
import { cpuSecondsOf, memoryOf } from './process-usage.ts';

const MAIN = process.env['LOCKHOUND_MAIN'] ?? join(import.meta.dirname, '..', 'bin', 'lockhound.js');
/** Options of Node for the server: `--cpu-prof --cpu-prof-dir=…`. */
const OPTIONS = process.env['SERVER_OPTIONS']?.split(' ') ?? [];
const PACKAGES = 250;
const SECONDS = 20;

/**
 * `lockhound serve` on a native Redis answers mixed reads while targets change: [targets] [requests a second].
 * `npm run bench -- serve [targets] [requests a second]`.
 */
export async function run([targets = '10000', rate = '200']: readonly string[]): Promise<void> {
  const redis = await startNativeRedis();
  const environment = { REDIS_URL: redis.url, LOCKHOUND_LOG_LEVEL: 'warn' };
  const store = await openStore(loadConfig({ environment }), pino({ level: 'silent' }));
  try {
    const size = { targets: Number(targets), packages: PACKAGES, distinct: 20_000 };
    const began = performance.now();
    await fillFleet(store, size);
    console.log(`${targets} targets × ${PACKAGES} packages; written in ${seconds(began)} s`);
    await measureServer(store, environment, Number(targets), Number(rate));
  } finally {
    await store.close();
    await redis.close();
  }
}

async function measureServer(
  store: Store,
  environment: Readonly<Record<string, string>>,
  targets: number,
  rate: number,
): Promise<void> {
  const began = performance.now();
  const server = spawn(process.execPath, [...OPTIONS, MAIN, 'serve', '--port', '0'], {
    env: { PATH: process.env['PATH'], ...environment, LOCKHOUND_SERVE_REQUESTS_PER_SECOND: '1000000' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const agent = new Agent({ connections: 64, pipelining: 1 });
  try {
    const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
    const url = /http:\S+(?=\/api\/v1)/.exec(String((await lines.next()).value))?.[0] ?? '';
    const get = async (path: string): Promise<{ readonly status: number; readonly body: string }> => {
      const { statusCode: status, body } = await request(`${url}/api/v1/${path}`, { dispatcher: agent });
      return { status, body: await body.text() };
    };
    while ((await get('fleet')).status !== 200) await sleep(20);
    const { total } = JSON.parse((await get('findings?state=all&notes=true')).body);
    console.log(`the server has read ${total} findings in ${seconds(began)} s; ${await usageOf(server)}`);
    const paths = await mixOf(get, targets);
    const stop = new AbortController();
    const changing = changeTargets(store, stop.signal);
    const latencies = await send(get, paths, rate);
    stop.abort();
    await changing;
    print(latencies, rate);
    console.log(await usageOf(server));
  } finally {
    await agent.close();
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
  }
}

type Get = (path: string) => Promise<{ readonly status: number; readonly body: string }>;

/** Requests by their share in hundredths. */
async function mixOf(
  get: Get,
  targets: number,
): Promise<(random: () => number) => readonly [string, string]> {
  const { nextPageToken } = JSON.parse((await get('findings?pageSize=100')).body);
  const { findings } = JSON.parse((await get('findings?pageSize=100')).body);
  const one = findings[0];
  const finding = `targets/${encodeURIComponent(one.target)}/findings/${encodeURIComponent(one.finding.fingerprint)}`;
  const targetOf = (random: () => number) => {
    const index = Math.floor(random() * targets);
    return encodeURIComponent(`team-${index % 50}/service-${index}`);
  };
  const shares: readonly (readonly [number, string, (random: () => number) => string])[] = [
    [20, 'findings, first page', () => 'findings?pageSize=100'],
    [5, 'findings, next page', () => `findings?pageSize=100&pageToken=${nextPageToken}`],
    [
      15,
      'findings of a team',
      (random) => `findings?label=team%3Dteam-${Math.floor(random() * 50)}&severity=high`,
    ],
    [5, 'findings, search', (random) => `findings?search=package-${Math.floor(random() * 20_000)}`],
    [15, 'targets', (random) => `targets?label=team%3Dteam-${Math.floor(random() * 50)}`],
    [10, 'one target', (random) => `targets/${targetOf(random)}`],
    [5, 'inventory', (random) => `targets/${targetOf(random)}/inventory`],
    [5, 'one finding', () => finding],
    [10, 'fleet', () => 'fleet'],
    [3, 'changes', () => 'changes?pageSize=20'],
    [3, 'scans', () => 'scans?pageSize=50'],
    [2, 'deliveries', () => 'deliveries?pageSize=50'],
    [2, 'where', (random) => `packages/where?package=package-${Math.floor(random() * 20_000)}&limit=20`],
  ];
  const all = shares.flatMap(([share, name, path]) =>
    Array.from({ length: share }, () => [name, path] as const),
  );
  return (random) => {
    const [name, path] = all[Math.floor(random() * all.length)] ?? ['fleet', () => 'fleet'];
    return [name, path(random)];
  };
}

/** Sends requests at their times, whether earlier ones are answered or not. Latencies count from the time of a request. */
async function send(
  get: Get,
  mix: (random: () => number) => readonly [string, string],
  rate: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const random = seededRandom(11);
  const latencies = new Map<string, number[]>();
  const began = performance.now();
  const open: Promise<void>[] = [];
  for (let index = 0; index < rate * SECONDS; index += 1) {
    const due = began + (index * 1_000) / rate;
    if (due > performance.now()) await sleep(due - performance.now());
    const [name, path] = mix(random);
    open.push(
      get(path).then(({ status, body }) => {
        if (status !== 200) throw new Error(`${path}: ${status} ${body}`);
        latencies.set(name, [...(latencies.get(name) ?? []), performance.now() - due]);
      }),
    );
  }
  await Promise.all(open);
  return latencies;
}

/** Five targets a second get another state, as by scans. */
async function changeTargets(store: Store, signal: AbortSignal): Promise<void> {
  const random = seededRandom(3);
  while (!signal.aborted) {
    const size = { targets: 1, packages: PACKAGES, distinct: 20_000 - Math.floor(random() * 100) };
    await fillFleet(store, size, store.targets);
    await sleep(200, undefined, { signal }).catch(() => {});
  }
}

function print(latencies: ReadonlyMap<string, readonly number[]>, rate: number): void {
  const line = (name: string, times: readonly number[]): string => {
    const sorted = times.toSorted((left, right) => left - right);
    const at = (share: number) =>
      (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
    const cells = [String(times.length), at(0.5), at(0.95), at(0.99), at(1)].map((cell) => cell.padStart(8));
    return `${name.padEnd(22)}${cells.join('')}`;
  };
  console.log(
    `\n${`${rate} requests a second`.padEnd(22)}${['count', 'p50', 'p95', 'p99', 'most'].map((cell) => cell.padStart(8)).join('')} ms`,
  );
  for (const [name, times] of latencies) console.log(line(name, times));
  console.log(line('all', [...latencies.values()].flat()));
}

async function usageOf(server: Pick<ChildProcess, 'pid'>): Promise<string> {
  const { now, peak } = await memoryOf(server);
  return `server: ${now} MiB, at most ${peak} MiB, ${(await cpuSecondsOf(server)).toFixed(1)} s of CPU`;
}

function seconds(began: number): string {
  return ((performance.now() - began) / 1_000).toFixed(1);
}
