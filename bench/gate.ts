import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { Agent, request } from 'undici';
import { openStore, type Store } from '../src/compose/store.ts';
import { loadConfig } from '../src/config/load.ts';
import { refreshDue } from '../src/jobs/refresh/refresh-fleet.ts';
import { type NativeRedis, startNativeRedis } from '../test/native-redis.ts';
import { enqueue, idle } from '../test/pipeline/fleet.ts';
import { seededRandom } from '../test/seeded-random.ts';
import { fillFleet } from './fleet-fill.ts';
import { cpuSecondsOf, memoryOf } from './process-usage.ts';
import { rowsOf, type Table } from './rows.ts';

const MAIN = process.env['LOCKHOUND_MAIN'] ?? join(import.meta.dirname, '..', 'bin', 'lockhound.js');
/** Options of Node for the server: `--cpu-prof --cpu-prof-dir=…`. */
const OPTIONS = process.env['SERVER_OPTIONS']?.split(' ') ?? [];
const SERVICE = join(import.meta.dirname, 'gate-service.ts');
const SIZE = { targets: 1_000, packages: 250, distinct: 5_000 };
/** Packages of one question, and those that questions are about. */
const [PER_QUESTION, ASKED] = [20, 1_000];
const LIMIT_MS = 600_000;
const ROUNDS = 3;
const FLOOR = 'an HTTP server, a constant';

/**
 * `packages.check` of 20 packages over HTTP at [requests a second] for [seconds]: alone, and beside refreshes of everything, one after the
 * other, by a worker with the default settings. An insights service that is asked over the internet answers after some 100 ms; one that
 * answers at once makes the worker use all of a core. The table has processor time of the server for each request.
 * `npm run bench -- gate [requests a second] [seconds]`.
 */
export async function* measure([rate = '200', seconds = '10']: readonly string[]): AsyncGenerator<Table> {
  const folder = await mkdtemp(join(tmpdir(), 'gate-'));
  const redis = await startNativeRedis();
  const [service, url] = await started([SERVICE, String(SIZE.distinct)]);
  const config = join(folder, 'lockhound.yaml');
  const watch = 'watch: { every: 0s, young: 0s, jitter: 0s }';
  const serve = 'serve: { requestsPerSecond: 1000000 }';
  await writeFile(config, `insights: { url: "${url}" }\nlog: { level: error }\n${watch}\n${serve}\n`);
  const loaded = loadConfig({ file: config, environment: { REDIS_URL: redis.url } });
  const store = await openStore(loaded, pino({ level: 'silent' }));
  try {
    await fillFleet(store, SIZE);
    const parts = { store, redis, config, service };
    // The first worker judges all targets; later refreshes change nothing.
    await (await startRefreshes(parts)).end();
    yield* measureGate(parts, { rate: Number(rate), seconds: Number(seconds) });
  } finally {
    service.kill('SIGKILL');
    await store.close();
    await redis.close();
    await rm(folder, { recursive: true });
  }
}

interface Parts {
  readonly store: Store;
  readonly redis: NativeRedis;
  readonly config: string;
  readonly service: ChildProcess;
}

interface Load {
  /** Questions a second. */
  readonly rate: number;
  readonly seconds: number;
}

async function* measureGate(parts: Parts, load: Load): AsyncGenerator<Table> {
  const { redis, config, service } = parts;
  const environment = { REDIS_URL: redis.url };
  const [server, line] = await started(
    [...OPTIONS, MAIN, 'serve', '--port', '0', '--config', config],
    environment,
  );
  const url = `${/http:\S+(?=\/api\/v1)/.exec(line)?.[0]}/api/v1`;
  while ((await fetch(`${url}/fleet`)).status !== 200) await sleep(50);
  // The store and the server are warm.
  const asked = ['', '@1.0.0'].flatMap((version) =>
    Array.from({ length: ASKED }, (_, index) => `package-${index}${version}`),
  );
  let bytes = 0;
  for (let at = 0; at < asked.length; at += PER_QUESTION)
    bytes = (await ask(`${url}/packages/check`, asked.slice(at, at + PER_QUESTION))).length;
  const [constant, floor] = await started([SERVICE, 'constant', String(bytes)]);
  const questions = { server, url: `${url}/packages/check` };
  try {
    const times = new Map<string, number[]>([[FLOOR, []]]);
    const run = async (name: string, by: Asked, others: readonly ChildProcess[] = []): Promise<void> => {
      const known = times.get(name) ?? [];
      times.set(name, known);
      known.push(await answering(name, by, load, others));
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      await run(FLOOR, { server: constant, url: floor });
      await run('nothing beside it', questions);
    }
    for (const latency of [100, 0]) {
      service.stdin?.write(`${latency}\n`);
      const name = latency === 0 ? 'a refresh at full speed' : `a refresh, answers after ${latency} ms`;
      const refreshes = await startRefreshes(parts);
      for (let round = 0; round < ROUNDS; round += 1) await run(name, questions, [refreshes.worker]);
      console.log(`refreshes that ended meanwhile: ${await refreshes.end()}`);
    }
    const subjects = [...times.keys()].map((name) => (name === FLOOR ? { name } : { name, floor: FLOOR }));
    yield { title: 'processor time of the server for a request', rows: rowsOf(subjects, times) };
    console.log(`memory of the server: at most ${(await memoryOf(server)).peak} MiB`);
  } finally {
    constant.kill('SIGKILL');
    await stop(server);
  }
}

interface Asked {
  readonly server: ChildProcess;
  readonly url: string;
}

const agent = new Agent({ connections: 64, pipelining: 1 });

async function ask(url: string, packages: readonly string[]): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ packages });
  const answer = await request(url, { method: 'POST', dispatcher: agent, headers, body });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${text.slice(0, 200)}`);
  return text;
}

/**
 * Sends questions at their times, whether earlier ones are answered or not. Prints latencies, which count from these times, and resolves to
 * the processor time of the server for each question, in ms.
 */
async function answering(
  name: string,
  { server, url }: Asked,
  { rate, seconds }: Load,
  others: readonly ChildProcess[],
): Promise<number> {
  const random = seededRandom(5);
  const usage = async () => await Promise.all([server, ...others].map(cpuSecondsOf));
  const before = await usage();
  const [times, open, began] = [[] as number[], [] as Promise<void>[], performance.now()];
  for (let index = 0; index < rate * seconds; index += 1) {
    const due = began + (index * 1_000) / rate;
    if (due > performance.now()) await sleep(due - performance.now());
    const packages = Array.from({ length: PER_QUESTION }, (_, at) => {
      const text = `package-${Math.floor(random() * ASKED)}`;
      return at % 2 === 0 ? text : `${text}@1.0.0`;
    });
    open.push(ask(url, packages).then(() => void times.push(performance.now() - due)));
  }
  await Promise.all(open);
  const took = (performance.now() - began) / 1_000;
  const [own = 0, other] = (await usage()).map((cpu, index) => cpu - (before[index] ?? 0));
  const sorted = times.toSorted((left, right) => left - right);
  const [half, most, all] = [0.5, 0.95, 0.99].map((share) => sorted[Math.floor(sorted.length * share)] ?? 0);
  const beside =
    other === undefined ? '' : `; the worker used ${Math.round((100 * other) / took)} % of a core`;
  console.log(
    `${name.padEnd(34)} ${(times.length / took).toFixed(0)}/s; 50 % ${half?.toFixed(1)}, 95 % ${most?.toFixed(1)}, 99 % ${all?.toFixed(1)} ms${beside}`,
  );
  return (1_000 * own) / times.length;
}

/** A worker that refreshes everything, one time after the other. `end` resolves to the number of refreshes after the first. */
async function startRefreshes({ store, redis, config }: Parts) {
  const [worker] = await started([MAIN, 'worker', '--config', config], { REDIS_URL: redis.url });
  const refresh = async (): Promise<void> => {
    await enqueue({ store }, refreshDue('all', new Date()));
    await idle({ store }, LIMIT_MS);
  };
  await refresh();
  let [isOver, ended] = [false, 0];
  const running = (async () => {
    for (; !isOver; ended += 1) await refresh();
  })();
  const end = async (): Promise<number> => {
    isOver = true;
    await running;
    await stop(worker);
    return ended;
  };
  return { worker, end };
}

/** Starts a process of Node, and resolves to it and to the first line that it writes. */
async function started(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const env = { PATH: process.env['PATH'], ...environment };
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const isQuiet = args.includes('worker');
  const lines = createInterface({ input: child.stdout });
  const line = isQuiet ? '' : String((await once(lines, 'line'))[0]);
  return [child, line] as const;
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
