import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createProducer, type Producer } from '../src/producer.ts';
import { type NativeRedis, startNativeRedis } from '../test/native-redis.ts';
import { median } from './median.ts';

const ROOT = join(import.meta.dirname, '..');
/** Another build of the command line, for comparisons. */
const MAIN = process.env['LOCKHOUND_MAIN'] ?? join(ROOT, 'bin', 'lockhound.js');
/** Options of Node for the workers, for comparisons. */
const OPTIONS = process.env['WORKER_OPTIONS']?.split(' ') ?? [];
const SERVICES = join(import.meta.dirname, 'worker-services.ts');
const LOCKFILE = join(ROOT, 'examples', 'shop', 'package-lock.json');
const WORKERS = 2;
const IDLE_ROUNDS = 21;
const LIMIT_MS = 600_000;

/**
 * Two workers on a native Redis scan the example (616 packages, 55 findings, one alert) for many targets, then all of them
 * again unchanged, then single ones while idle. CPU time is that of the workers only; Redis counts the commands.
 * `npm run bench -- worker [targets]`.
 */
export async function run([targets = '1000']: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'worker-'));
  const redis = await startNativeRedis();
  const services = spawnNode([SERVICES]);
  const lines = createInterface({ input: services.stdout })[Symbol.asyncIterator]();
  const [insights = '', receiver = ''] = ((await lines.next()).value as string).split(' ');
  const config = join(folder, 'lockhound.yaml');
  await writeFile(config, configText(insights, receiver));
  const workers = Array.from({ length: WORKERS }, () =>
    spawnNode([...OPTIONS, MAIN, 'worker', '--config', config], { REDIS_URL: redis.url }),
  );
  for (const worker of workers) worker.stderr.pipe(process.stderr);
  for (const worker of workers) worker.stdout.resume();
  for (const worker of workers) {
    worker.once('exit', (code) => {
      throw new Error(`a worker ended with ${code}`);
    });
  }
  const producer = await createProducer({ redis: redis.url });
  const world: World = { redis, workers, producer, content: await readFile(LOCKFILE, 'utf8') };
  try {
    await scanAll(world, 'warm-up', ['warm-up']);
    const ids = Array.from({ length: Number(targets) }, (_, index) => `target-${index}`);
    console.log("phase        scans/s  CPU ms/scan  commands/scan (scripts, BullMQ's among them)  alerts");
    print(await scanAll(world, 'first', ids));
    print(await scanAll(world, 'unchanged', ids));
    const latencies = await idleLatencies(world, lines);
    console.log(
      `idle         enqueue to POST: median ${median(latencies).toFixed(0)} ms, worst ${Math.max(...latencies).toFixed(0)} ms`,
    );
  } finally {
    for (const child of [...workers, services]) child.removeAllListeners('exit').kill('SIGKILL');
    await producer.close();
    await redis.close();
    await rm(folder, { recursive: true });
  }
}

interface World {
  readonly redis: NativeRedis;
  readonly workers: readonly ChildProcess[];
  readonly producer: Producer;
  readonly content: string;
}

interface Phase {
  readonly name: string;
  readonly scans: number;
  readonly seconds: number;
  readonly cpuMs: number;
  readonly commands: ReadonlyMap<string, number>;
}

/** Enqueues a scan of every target and waits until Redis holds no job. */
async function scanAll(world: World, name: string, targets: readonly string[]): Promise<Phase> {
  const { redis, workers, producer, content } = world;
  await redis.call('CONFIG', 'RESETSTAT');
  const cpuBefore = await cpuOf(workers);
  const began = performance.now();
  for (const target of targets) {
    await producer.enqueue({
      scan: `${name}-${target}`,
      target: { id: target },
      lockfiles: [{ path: 'package-lock.json', content }],
    });
  }
  await drained(redis, targets.length, began);
  const seconds = (performance.now() - began) / 1_000;
  return {
    name,
    scans: targets.length,
    seconds,
    cpuMs: (await cpuOf(workers)) - cpuBefore,
    commands: await commandsOf(redis),
  };
}

function print({ name, scans, seconds, cpuMs, commands }: Phase): void {
  const total = [...commands.values()].reduce((sum, count) => sum + count, 0);
  const most = [...commands]
    .toSorted((left, right) => right[1] - left[1])
    .slice(0, 12)
    .map(([command, count]) => `${command} ${(count / scans).toFixed(1)}`);
  console.log(
    `${name.padEnd(12)} ${(scans / seconds).toFixed(1).padStart(7)}  ${(cpuMs / scans).toFixed(1).padStart(11)}  ${(total / scans).toFixed(0)}: ${most.join(', ')}`,
  );
}

/** The time from enqueueing a new target's scan to its alert, one after the other. */
async function idleLatencies(world: World, alerts: AsyncIterator<string>): Promise<readonly number[]> {
  const { producer, content } = world;
  const latencies: number[] = [];
  const arrivals = countAlerts(alerts);
  for (let round = 0; round < IDLE_ROUNDS; round += 1) {
    await sleep(200);
    const next = arrivals.next();
    const began = performance.now();
    await producer.enqueue({
      scan: `idle-${round}`,
      target: { id: `idle-${round}` },
      lockfiles: [{ path: 'package-lock.json', content }],
    });
    latencies.push((await next) - began);
  }
  return latencies;
}

/** Skips earlier alerts, then returns the time of each further one. */
function countAlerts(alerts: AsyncIterator<string>): { next(): Promise<number> } {
  const waiting: ((time: number) => void)[] = [];
  void (async () => {
    for (let line = await alerts.next(); line.done !== true; line = await alerts.next()) {
      waiting.shift()?.(performance.now());
    }
  })();
  return { next: () => new Promise((resolve) => waiting.push(resolve)) };
}

/** Waits until all scans have a verdict and all alerts are delivered. */
async function drained(redis: NativeRedis, scans: number, began: number): Promise<void> {
  for (;;) {
    const open = Number(await redis.call('HLEN', '{lockhound}:open-jobs'));
    const waiting = Number(await redis.call('LLEN', '{lockhound}:ingest-lockfiles:wait'));
    const active = Number(await redis.call('LLEN', '{lockhound}:ingest-lockfiles:active'));
    if (open + waiting + active === 0) return;
    if (performance.now() - began > LIMIT_MS) {
      throw new Error(
        `${scans} scans were not done after ${LIMIT_MS} ms: ${open} open, ${waiting} waiting, ${active} active`,
      );
    }
    await sleep(20);
  }
}

/** Calls by command, without this process's own polling. */
async function commandsOf(redis: NativeRedis): Promise<ReadonlyMap<string, number>> {
  const text = String(await redis.call('INFO', 'commandstats'));
  const ours = new Set(['hlen', 'llen', 'info', 'config|resetstat']);
  return new Map(
    [...text.matchAll(/cmdstat_(\S+?):calls=(\d+)/g)]
      .map(([, name = '', calls]): [string, number] => [name, Number(calls)])
      .filter(([name]) => !ours.has(name)),
  );
}

/** CPU time of processes so far, in ms (Linux: `utime` and `stime` in ticks of 10 ms). */
async function cpuOf(processes: readonly ChildProcess[]): Promise<number> {
  let ticks = 0;
  for (const { pid } of processes) {
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * 10;
}

function spawnNode(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  return spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

function configText(insights: string, receiver: string): string {
  return `
insights: { url: "${insights}" }
log: { level: warn }
notify:
  allowAddresses: ["127.0.0.1"]
  webhook: { name: bench, url: "${receiver}/alert" }
`;
}
