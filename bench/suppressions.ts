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
import { refreshDue } from '../src/jobs/payloads/refresh-fleet.ts';
import { type NativeRedis, startNativeRedis } from '../test/native-redis.ts';
import { enqueue, idle } from '../test/pipeline/fleet.ts';
import { fillFleet } from './fleet-fill.ts';
import { cpuSecondsOf } from './process-usage.ts';
import { rowsOf, type Subject, type Table } from './rows.ts';

const MAIN = join(import.meta.dirname, '..', 'bin', 'lockhound.js');
const PACKAGES = 200;
const DISTINCT = 20_000;
const LIMIT_MS = 1_800_000;
/** Refreshes of one round, each with a new advisory on another package. */
const REFRESHES = 4;
/** Packages without an advisory that about a quarter of all targets hold. */
const FIRST_PACKAGE = 12;

/**
 * What suppressions add to a whole refresh: the processor time of a worker for refreshes of everything, each with one new advisory on a
 * popular package, so that about a quarter of the targets is judged again, stored, and alerted about. Workers without suppressions and with
 * them take turns on one fleet. The suppressions fit a part of the open findings, which is printed.
 * `npm run bench -- suppressions [targets] [suppressions] [rounds]`.
 */
export async function* measure([
  targets = '1000',
  count = '100',
  rounds = '5',
]: readonly string[]): AsyncGenerator<Table> {
  const folder = await mkdtemp(join(tmpdir(), 'suppressions-'));
  const redis = await startNativeRedis();
  const service = spawnNode([join(import.meta.dirname, 'fleet-service.ts')]);
  const lines = createInterface({ input: service.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const url = String((await lines.next()).value);
  const environment = { REDIS_URL: redis.url };
  const store = await openStore(loadConfig({ environment }), pino({ level: 'silent' }));
  const subjects: readonly (Subject & { readonly listed: readonly object[] })[] = [
    { name: 'without', listed: [] },
    { name: `with ${count}`, floor: 'without', aim: 1.05, listed: suppressions(Number(count)) },
  ];
  const times = new Map<string, number[]>(subjects.map(({ name }) => [name, []]));
  try {
    await fillFleet(store, { targets: Number(targets), packages: PACKAGES, distinct: DISTINCT });
    let next = FIRST_PACKAGE;
    // The first round warms up Redis and the states.
    for (let round = 0; round <= Number(rounds); round += 1) {
      // In this order alone, each worker has other settings than the one before, and judges all targets by them first.
      for (const { name, listed } of subjects) {
        const config = join(folder, `${round}.yaml`);
        await writeFile(config, configText(url, listed));
        const worker = await startWorker(config, { redis, store });
        try {
          const before = await cpuSecondsOf(worker);
          for (let refresh = 0; refresh < REFRESHES; refresh += 1) {
            service.stdin?.write(`advisory ${next} GHSA-new-${next}\n`);
            next += 1;
            // The service confirms the advisory; before that line come those of alerts.
            while (!String((await lines.next()).value).startsWith('added'));
            await enqueue({ store }, refreshDue('all', new Date()));
            await idle({ store }, LIMIT_MS);
          }
          if (round > 0) times.get(name)?.push(((await cpuSecondsOf(worker)) - before) * 1_000);
        } finally {
          await stop(worker);
        }
        if (round === 0) console.log(`${name}: ${await shareSuppressed(store)}`);
      }
    }
    yield {
      title: `processor time of ${REFRESHES} refreshes of ${targets} targets × ${PACKAGES} packages`,
      rows: rowsOf(subjects, times),
    };
  } finally {
    service.kill('SIGKILL');
    await store.close();
    await redis.close();
    await rm(folder, { recursive: true });
  }
}

/** A worker that has judged all targets by its settings, and has refreshed them once. */
async function startWorker(
  config: string,
  { redis, store }: { readonly redis: NativeRedis; readonly store: Store },
): Promise<ChildProcess> {
  const before = await store.fleet.judgedSettings();
  const worker = spawnNode([MAIN, 'worker', '--config', config], { REDIS_URL: redis.url });
  worker.stderr?.pipe(process.stderr);
  worker.stdout?.resume();
  const until = Date.now() + LIMIT_MS;
  while ((await store.fleet.judgedSettings()) === before) {
    if (Date.now() > until || worker.exitCode !== null) throw new Error('the worker judges no targets');
    await sleep(50);
  }
  await idle({ store }, LIMIT_MS);
  await enqueue({ store }, refreshDue('all', new Date()));
  await idle({ store }, LIMIT_MS);
  return worker;
}

async function stop(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null) return;
  const ended = once(worker, 'exit');
  worker.kill('SIGTERM');
  await ended;
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
    (at: number) => ({ rule: 'vulnerability', target: `team-${at % 50}/service-*7` }),
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
