import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { JOBS } from '../src/jobs/catalog.ts';
import { createProducer, type Producer } from '../src/producer.ts';
import { type NativeRedis, startNativeRedis } from '../test/native-redis.ts';
import { median } from './median.ts';

const ROOT = join(import.meta.dirname, '..');
/** Another build of the command line, for comparisons. */
const MAIN = process.env['LOCKHOUND_MAIN'] ?? join(ROOT, 'bin', 'lockhound.js');
/** Options of Node for the workers, for comparisons. */
const OPTIONS = process.env['WORKER_OPTIONS']?.split(' ') ?? [];
/** How long a ledger is kept, to compare with none: `0d`. */
const LEDGER = process.env['WORKER_LEDGER'];
/** A collector of traces and the part of the scans, for comparisons: `http://127.0.0.1:4318/v1/traces 0.1`. */
const [TRACES, RATIO = '1'] = process.env['WORKER_TRACES']?.split(' ') ?? [];
const SERVICES = join(import.meta.dirname, 'worker-services.ts');
const LOCKFILE = join(ROOT, 'examples', 'shop', 'package-lock.json');
const WORKERS = 2;
const IDLE_ROUNDS = 21;
const LIMIT_MS = 600_000;
/** Rarely, because this process shares the cores with the workers. */
const POLL_MS = 100;

/** Open jobs that are looked at one by one: the last ones. */
const MAX_OTHERS = 10;

/** What is expected on an idle machine of two cores. */
const LIMITS = {
  first: { scans: 80, commands: 20 },
  unchanged: { scans: 400, commands: 12 },
  idleMs: 60,
} as const;
/** Scans whose commands are listed one by one, which slows Redis down. */
const COUNTED = 40;

/**
 * Two workers on a native Redis scan the example (616 packages, 55 findings, one alert) for many targets, then all of them
 * again unchanged, then single ones while idle. The time begins when all are enqueued: workers are stopped until then. The first 200
 * scans of a process take about a sixth more CPU time, because V8 compiles meanwhile: compare runs with equal numbers of targets. Own
 * commands are those of workers outside BullMQ's queues; each is at most one round trip.
 * `npm run bench -- worker [targets]`; `LOCKHOUND_MAIN` names another build, `WORKER_OPTIONS` options of Node, `WORKER_LEDGER`
 * `0d` for scans that are not recorded, `WORKER_TRACES` a collector.
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
  const world: World = { redis, workers, services, producer, content: await readFile(LOCKFILE, 'utf8') };
  try {
    await scanAll(world, 'warm-up', ['warm-up']);
    const ids = Array.from({ length: Number(targets) }, (_, index) => `target-${index}`);
    console.log(
      'phase           scans/s (limit)  CPU ms a scan: workers, Redis, services  own commands a scan (limit)',
    );
    for (const name of ['first', 'unchanged'] as const) {
      const phase = await scanAll(world, name, ids);
      const counted = ids.slice(0, COUNTED).map((id) => (name === 'first' ? `counted-${id}` : id));
      const own = await ownCommands(redis, counted.length, () => scanAll(world, `${name}-counted`, counted));
      print(phase, own, LIMITS[name]);
    }
    const latencies = await idleLatencies(world, lines);
    console.log(
      `idle            enqueue to POST: median ${median(latencies).toFixed(0)} ms (limit: ${LIMITS.idleMs}), worst ${Math.max(...latencies).toFixed(0)} ms`,
    );
  } finally {
    for (const child of [...workers, services]) child.removeAllListeners('exit');
    await Promise.all(workers.map(end));
    services.kill('SIGKILL');
    await producer.close();
    await redis.close();
    await rm(folder, { recursive: true });
  }
}

/** Ends a worker in order, so that Node writes the profiles that `WORKER_OPTIONS` request. */
async function end(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null) return;
  const ended = once(worker, 'exit');
  worker.kill('SIGTERM');
  await ended;
}

interface World {
  readonly redis: NativeRedis;
  readonly workers: readonly ChildProcess[];
  readonly services: ChildProcess;
  readonly producer: Producer;
  readonly content: string;
}

interface Phase {
  readonly name: string;
  readonly scans: number;
  readonly seconds: number;
  readonly cpuMs: number;
  readonly redisMs: number;
  readonly servicesMs: number;
}

/** Enqueues a scan of every target, lets the workers continue and waits until Redis holds no job. */
async function scanAll(world: World, name: string, targets: readonly string[]): Promise<Phase> {
  const { redis, workers, services, producer, content } = world;
  for (const worker of workers) worker.kill('SIGSTOP');
  for (const target of targets) {
    await producer.enqueue({
      scan: `${name}-${target}`,
      target: { id: target },
      lockfiles: [{ path: 'package-lock.json', content }],
    });
  }
  const [cpuBefore, redisBefore] = [await cpuOf(workers), await redisCpuMs(redis)];
  const servicesBefore = await cpuOf([services]);
  const began = performance.now();
  for (const worker of workers) worker.kill('SIGCONT');
  await drained(redis, targets.length, began);
  return {
    name,
    scans: targets.length,
    seconds: (performance.now() - began) / 1_000,
    cpuMs: (await cpuOf(workers)) - cpuBefore,
    redisMs: (await redisCpuMs(redis)) - redisBefore,
    servicesMs: (await cpuOf([services])) - servicesBefore,
  };
}

function print(
  { name, scans, seconds, cpuMs, redisMs, servicesMs }: Phase,
  own: ReadonlyMap<string, number>,
  limit: { readonly scans: number; readonly commands: number },
): void {
  const total = [...own.values()].reduce((sum, count) => sum + count, 0);
  const each = [...own]
    .toSorted((left, right) => right[1] - left[1])
    .map(([command, count]) => `${command} ${count.toFixed(1)}`);
  console.log(
    `${name.padEnd(12)} ${(scans / seconds).toFixed(1).padStart(10)} (${limit.scans})  ` +
      `${(cpuMs / scans).toFixed(1).padStart(20)}, ${(redisMs / scans).toFixed(1)}, ${(servicesMs / scans).toFixed(1)}  ` +
      `${total.toFixed(1).padStart(16)} (${limit.commands}): ${each.join(', ')}`,
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
    const open = await openJobs(redis);
    const waiting = Number(await redis.call('LLEN', '{lockhound}:ingest-lockfiles:wait'));
    const active = Number(await redis.call('LLEN', '{lockhound}:ingest-lockfiles:active'));
    if (open + waiting + active === 0) return;
    if (performance.now() - began > LIMIT_MS) {
      throw new Error(
        `${scans} scans were not done after ${LIMIT_MS} ms: ${open} open, ${waiting} waiting, ${active} active`,
      );
    }
    await sleep(POLL_MS);
  }
}

/** The number of open jobs of scans. Those for advice and refreshes wait for a second at a time until no scan waits. */
async function openJobs(redis: NativeRedis): Promise<number> {
  const open = Number(await redis.call('HLEN', '{lockhound}:open-jobs'));
  if (open === 0 || open > MAX_OTHERS) return open;
  const jobs = (await redis.call('HVALS', '{lockhound}:open-jobs')) as readonly unknown[];
  return jobs.filter((job) => /"job":"(?:judge-scan|deliver-notification)"/.test(String(job))).length;
}

/**
 * The commands a scan that workers send while `work` runs, by name and first key, without BullMQ's and those of the producer (blobs,
 * and the number of shards).
 */
async function ownCommands(
  redis: NativeRedis,
  scans: number,
  work: () => Promise<unknown>,
): Promise<ReadonlyMap<string, number>> {
  // `monitor` of ioredis fails when Redis sends a command together with its first answer.
  const monitor = connect(redis.port, '127.0.0.1');
  monitor.write('MONITOR\r\n');
  const counts = new Map<string, number>();
  createInterface({ input: monitor }).on('line', (line) => {
    const source = / lua\] /.test(line.slice(0, 60)) ? 'lua' : 'client';
    const [name = '', ...args] = [...line.slice(0, 1_000).matchAll(/"([^"]*)"/g)].map(
      ([, text = '']) => text,
    );
    const command = name.toLowerCase();
    const key = /^eval/.test(command) ? (args[2] ?? '') : (args[0] ?? '');
    const kind = /^\{lockhound\}:([^:]*)/.exec(key)?.[1];
    if (source === 'lua' || kind === undefined || QUEUES.has(kind) || POLLED.has(command)) return;
    if (kind === 'shards' || (kind === 'blob' && command !== 'getex')) return;
    const what = `${command} ${kind}`;
    counts.set(what, (counts.get(what) ?? 0) + 1 / scans);
  });
  await work();
  await sleep(100);
  monitor.destroy();
  return counts;
}

/** BullMQ's keys begin with the name of a queue. */
const QUEUES: ReadonlySet<string> = new Set([...JOBS.map(({ name }) => name), 'schedules']);
/** What this process polls. */
const POLLED: ReadonlySet<string> = new Set(['hlen', 'hvals', 'llen']);

/** CPU time of Redis so far, in ms. */
async function redisCpuMs(redis: NativeRedis): Promise<number> {
  const text = String(await redis.call('INFO', 'cpu'));
  return [...text.matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm)].reduce(
    (sum, [, seconds]) => sum + Number(seconds) * 1_000,
    0,
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
${LEDGER === undefined ? '' : `ledger: { keep: ${LEDGER} }`}
${TRACES === undefined ? '' : `traces: { endpoint: "${TRACES}", ratio: ${RATIO} }`}
notify:
  allowAddresses: ["127.0.0.1"]
  webhook: { name: bench, url: "${receiver}/alert" }
`;
}
