import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { openStore, type Store } from '../src/compose/store.ts';
import { type LoadedConfig, loadConfig } from '../src/config/load.ts';
import { refreshDue } from '../src/jobs/refresh/refresh-fleet.ts';
import { type NativeRedis, startNativeRedis } from '../test/native-redis.ts';
import { enqueue, idle } from '../test/pipeline/fleet.ts';
import { advisoryIdsOf } from './fleet-data.ts';
import { distinctPackages } from './fleet-fill.ts';
import { markJudged } from './fleet-settings.ts';
import { fileOptions, IS_JUDGED, KEPT, keptFleet } from './kept-fleet.ts';
import { cpuSecondsOf } from './process-usage.ts';
import { rowsOf, type Subject, type Table } from './rows.ts';

const MAIN = join(import.meta.dirname, '..', 'bin', 'lockhound.js');
const PACKAGES = 1_000;
const LIMIT_MS = 1_800_000;
/** Targets that a new advisory affects. */
const AFFECTED = 200;
/** What a worker does; the work of both workers is timed in turn. */
const WORK = [
  'judge all targets by new settings',
  'refresh, no change',
  'refresh, another advisory',
] as const;

/**
 * What suppressions add to whole refreshes of everything: the processor time of a worker with them and of one without, each with its own
 * copy of one fleet. First each worker judges all targets by its settings, which is timed apart. Then each refreshes them in turn, without
 * a change and with another advisory on one package in about 200 targets, which are judged, stored and alerted about. The suppressions fit
 * a part of the open findings. Each time is printed when it is known.
 * `npm run bench -- suppressions [targets] [suppressions] [rounds]`; `FLEET_FILE=<file>.rdb` keeps the filled Redis; with `FLEET_JUDGED=1`
 * the workers do not judge all targets first: those of the package are judged by the suppressions in the first refresh, which does not count.
 */
export async function* measure([
  targets = '1000',
  count = '100',
  rounds = '5',
]: readonly string[]): AsyncGenerator<Table> {
  const size = {
    targets: Number(targets),
    packages: PACKAGES,
    distinct: distinctPackages(Number(targets), PACKAGES),
  };
  const folder = await mkdtemp(join(tmpdir(), 'suppressions-'));
  const service = spawnNode([join(import.meta.dirname, 'fleet-service.ts')]);
  const lines = createInterface({ input: service.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const url = String((await lines.next()).value);
  const sides: Side[] = [];
  const open = async (name: string, file: string, listed: readonly object[]): Promise<Side> => {
    const config = join(folder, `${sides.length}.yaml`);
    await writeFile(config, configText(url, listed));
    const side = await openSide(name, config, await startNativeRedis(...fileOptions(file)));
    sides.push(side);
    return side;
  };
  try {
    const file = KEPT ?? join(folder, 'fleet.rdb');
    const without = await open('without', file, []);
    const { filled } = await keptFleet(without.store, without.redis, size);
    if (KEPT === undefined) await without.redis.call('SAVE');
    await open(`with ${count}`, file, suppressions(Number(count)));

    const times: Times = new Map();
    for (const side of sides) await prepare(side, times);
    const index = affectedPackage(filled.holders);
    for (let round = 0; round <= Number(rounds); round += 1) {
      // The first refresh of a worker fills its memory.
      const kept: Times = round === 0 ? new Map() : times;
      const inTurn = round % 2 === 0 ? sides : sides.toReversed();
      for (const side of inTurn) await timed(WORK[1], side, kept, () => refresh(side));
      service.stdin?.write(`advisory ${index} GHSA-new-${round}\n`);
      // The service confirms the advisory; before that line come those of alerts.
      while (!String((await lines.next()).value).startsWith('added'));
      for (const side of inTurn) await timed(WORK[2], side, kept, () => refresh(side));
    }
    yield {
      title: `processor time of a worker for ${targets} targets × ${PACKAGES} packages`,
      rows: rowsOf(subjectsOf(sides), times),
    };
  } finally {
    for (const side of sides) await close(side);
    service.kill('SIGKILL');
    await rm(folder, { recursive: true });
  }
}

/** A worker with its settings and its fleet. */
interface Side {
  readonly name: string;
  readonly config: string;
  readonly loaded: LoadedConfig;
  readonly redis: NativeRedis;
  readonly store: Store;
  worker?: ChildProcess;
}

/** Milliseconds of processor time by work and side. */
type Times = Map<string, number[]>;

async function openSide(name: string, config: string, redis: NativeRedis): Promise<Side> {
  const loaded = loadConfig({ file: config, environment: { REDIS_URL: redis.url } });
  return { name, config, loaded, redis, store: await openStore(loaded, pino({ level: 'silent' })) };
}

async function close({ worker, store, redis }: Side): Promise<void> {
  if (worker !== undefined && worker.exitCode === null) {
    const ended = once(worker, 'exit');
    worker.kill('SIGTERM');
    await ended;
  }
  await store.close();
  await redis.close();
}

/** Adds the processor time that the worker of a side needs, and prints it with the changes and alerts. */
async function timed(what: string, side: Side, times: Times, work: () => Promise<void>): Promise<void> {
  const name = `${what}, ${side.name}`;
  const before = await usageOf(side);
  await work();
  const after = await usageOf(side);
  const [seconds, changes, alerts] = [0, 1, 2].map((at) => (after[at] ?? 0) - (before[at] ?? 0));
  console.log(`${name}: ${seconds?.toFixed(2)} s, ${changes} changes, ${alerts} alerts`);
  times.set(name, [...(times.get(name) ?? []), (seconds ?? 0) * 1_000]);
}

/** Processor time of the worker in seconds, changes in the log of the fleet, and delivered alerts. */
async function usageOf({ worker, store: { redis, prefix } }: Side): Promise<readonly number[]> {
  return [
    worker === undefined ? 0 : await cpuSecondsOf(worker),
    await redis.xlen(`${prefix}:changes`),
    await redis.zcard(`${prefix}:deliveries:delivered`),
  ];
}

/** Starts the worker of a side, which judges all targets by its settings unless they count as judged. */
async function prepare(side: Side, times: Times): Promise<void> {
  const { name, store, loaded } = side;
  if (IS_JUDGED) await markJudged(store, loaded);
  const before = await store.fleet.judgedSettings();
  side.worker = startWorker(side);
  if (IS_JUDGED) return;
  await timed(WORK[0], side, times, () => judgeAll(side, before));
  console.log(`${name}: ${await shareSuppressed(store)}`);
}

function startWorker({ config, redis }: Side): ChildProcess {
  const worker = spawnNode([MAIN, 'worker', '--config', config], { REDIS_URL: redis.url });
  worker.stderr?.pipe(process.stderr);
  worker.stdout?.resume();
  return worker;
}

/** Resolves when the worker has judged all targets by its settings. `before`: the settings by which they were judged. */
async function judgeAll({ store, worker }: Side, before: string | undefined): Promise<void> {
  const until = Date.now() + LIMIT_MS;
  while ((await store.fleet.judgedSettings()) === before) {
    if (Date.now() > until || worker?.exitCode !== null) throw new Error('the worker judges no targets');
    await sleep(50);
  }
  await idle({ store }, LIMIT_MS);
}

async function refresh({ store }: Side): Promise<void> {
  await enqueue({ store }, refreshDue('all', new Date()));
  await idle({ store }, LIMIT_MS);
}

/** The package without an advisory whose number of holders is nearest to the wanted one. */
function affectedPackage(holders: Uint32Array): number {
  const distance = (index: number) => Math.abs((holders[index] ?? 0) - AFFECTED);
  return [...holders.keys()]
    .filter((index) => advisoryIdsOf(index).length === 0)
    .reduce((best, index) => (distance(index) < distance(best) ? index : best));
}

function subjectsOf([without, suppressed]: readonly Side[]): readonly Subject[] {
  return WORK.flatMap((what, at) => {
    const floor = `${what}, ${without?.name}`;
    const rated = { name: `${what}, ${suppressed?.name}`, floor };
    return [{ name: floor }, at === 0 ? rated : { ...rated, aim: 1.05 }];
  });
}

/** How many of the open findings are suppressed. */
async function shareSuppressed(store: Store): Promise<string> {
  let [open, suppressed] = [0, 0];
  for (const target of await store.fleet.allTargets()) {
    for (const { finding, status } of (await store.targets.read(target))?.findings ?? []) {
      if (status !== 'open') continue;
      open += 1;
      if (finding.suppressed !== undefined) suppressed += 1;
    }
  }
  return `${suppressed} of ${open} open findings are suppressed`;
}

/** Suppressions of all kinds: an advisory everywhere, one for a team, a range of a package, and a rule for some targets. */
function suppressions(count: number): readonly object[] {
  const kinds = [
    (at: number) => ({ advisory: `GHSA-${at}` }),
    (at: number) => ({ advisory: `GHSA-${at}`, labels: { team: `team-${at % 50}` } }),
    (at: number) => ({ package: `pkg:npm/package-${at * 50 + 17}`, versions: 'vers:npm/<2.0.0' }),
    (at: number) => ({ rule: 'vulnerability', target: `team-${at % 50}/service-*7`, all: true }),
  ];
  return Array.from({ length: count }, (_, at) => ({ reason: 'bench', ...kinds[at % kinds.length]?.(at) }));
}

function spawnNode(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): ChildProcess {
  return spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

function configText(url: string, listed: readonly object[]): string {
  return JSON.stringify({
    insights: { url },
    log: { level: 'warn' },
    watch: { every: '0s', young: '0s', jitter: '0s', inspect: false },
    notify: { allowAddresses: ['127.0.0.1'], webhook: { name: 'bench', url: `${url}/alert` } },
    suppressions: listed,
  });
}
