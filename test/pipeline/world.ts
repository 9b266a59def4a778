import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { onTestFinished, TestRunner, vi } from 'vitest';
import { run } from '../../src/cli/program/program.ts';
import { openStores, type Store, type Stores } from '../../src/compose/store.ts';
import { runWorker } from '../../src/compose/worker.ts';
import { type LoadedConfig, loadConfig } from '../../src/config/load.ts';
import {
  type LocalServices,
  type LocalServicesOptions,
  startLocalServices,
} from '../../src/embedded/local-services.ts';
import type { Verdict } from '../../src/model/scan/verdict.ts';
import { VERDICT } from '../../src/model/stored/catalog.ts';
import { createProducer, type Producer } from '../../src/producer.ts';
import { bareEnvironment } from '../bare-environment.ts';
import { MAIN } from '../prepare.ts';
import { startRedis } from '../redis.ts';
import { until } from '../until.ts';

/** Secrets of a test run. The search for leaks looks for these texts. */
export const SECRETS = {
  apiKey: 'api-key-9f3b1c7e55aa',
  applicationKey: 'application-key-0d27c4e8bb31',
  alertToken: 'alert-token-"quoted"-71c2',
  signing: 'whsec_bG9ja2hvdW5kLXRlc3Qtc2lnbmluZy1zZWNyZXQ=',
} as const;

export interface World {
  readonly services: LocalServices;
  readonly redisUrl: string;
  /**
   * A separate key prefix with a store and a producer. `notify`: more lines of that part of the configuration.
   * `platform: false`: webhooks live in the configuration alone. `config`: more lines of the whole configuration.
   */
  room(name: string, notify?: readonly string[], options?: RoomOptions): Promise<Room>;
  close(): Promise<void>;
}

export interface RoomOptions {
  readonly platform?: boolean;
  readonly config?: readonly string[];
  /** `redis.shards`. */
  readonly shards?: number;
  /** How long records are fresh. Default: 1 ms, so that every scan asks the service. */
  readonly recordTtl?: string;
}

export interface Room {
  /** The first shard, which is the only one by default. */
  readonly store: Store;
  readonly stores: Stores;
  readonly producer: Producer;
  /** Its configuration. */
  readonly file: string;
  /** Loads it, for a worker in this process. */
  load(environment?: Readonly<Record<string, string>>): LoadedConfig;
  /**
   * Runs a worker in this process until `stop` or the end of the test: it has all parts of `lockhound worker`. Separate processes, which
   * take seconds to start, are for tests that kill or measure them. `shards`: as for `--shard`.
   */
  work(environment?: Readonly<Record<string, string>>, shards?: readonly number[]): LocalWorker;
  /**
   * Starts `lockhound worker` in a separate process, which is killed at the end of the test that started it. `main`: the command
   * line of another release.
   */
  startWorker(
    environment?: Readonly<Record<string, string>>,
    args?: readonly string[],
    main?: string,
  ): WorkerProcess;
  /** Starts another command line on the room's configuration. */
  start(...args: readonly string[]): WorkerProcess;
  /** Runs another command line on the room's configuration in this process, as if its output went to a file. */
  lockhound(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }>;
  verdict(scan: string): Promise<Verdict>;
  /** Resolves once the job has an outcome. */
  outcome(job: string, key: string): Promise<void>;
}

export interface LocalWorker {
  /** Its complete log. */
  output(): string;
  stop(): Promise<void>;
}

export interface WorkerProcess {
  readonly child: ChildProcess;
  /** Its complete output. */
  output(): string;
  kill(signal: NodeJS.Signals): Promise<number | null>;
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number | null>;
}

/** Valkey (or another Redis), the local services and a folder for configuration: everything that a worker needs. */
export async function createWorld(
  redis?: { readonly url: string; close(): Promise<void> },
  options: Pick<LocalServicesOptions, 'insights'> = {},
): Promise<World> {
  const valkey = redis ?? (await startRedis());
  const { apiKey, applicationKey } = SECRETS;
  // The service stands for the public one, which knows every package.
  const services = await startLocalServices({
    ...options,
    insights: { partial: false, ...options.insights },
    webhooks: { keys: [{ apiKey, applicationKey }] },
  });
  const folder = await mkdtemp(join(tmpdir(), 'pipeline-'));
  const closing: (() => Promise<unknown>)[] = [];
  /** Has something ended with the test that runs, or with the world: a worker that loses its Redis first waits for it to answer. */
  const atEnd = (step: () => Promise<unknown>): void => {
    closing.push(step);
    if (TestRunner.getCurrentTest() !== undefined) onTestFinished(async () => void (await step()));
  };
  return {
    services,
    redisUrl: valkey.url,
    async room(name, notify = [], { platform = true, config = [], shards = 1, recordTtl = '1ms' } = {}) {
      const prefix = `{${name}}`;
      const file = join(folder, `${name}.yaml`);
      await writeFile(
        file,
        configText(services, prefix, recordTtl, [...(platform ? platformLines(services) : []), ...notify]) +
          `redis: { prefix: "${prefix}", shards: ${shards} }\n` +
          [
            ...DEFAULTS.filter((line) => !config.some((own) => own.split(':')[0] === line.split(':')[0])),
            ...config,
          ]
            .map((line) => `${line}\n`)
            .join(''),
      );
      const load: Room['load'] = (extra = {}) =>
        loadConfig({ file, environment: { ...environment(KEPT_LOCK), REDIS_URL: valkey.url, ...extra } });
      const stores = await openStores(load(), pino({ level: 'silent' }));
      const store = stores.shards[0] as Store;
      const producer = await createProducer({ redis: valkey.url, prefix, shards });
      closing.push(producer.close, stores.close);
      const storeOf = (job: string, key: string) => storeWithOutcome(stores.shards, job, key);
      return {
        store,
        stores,
        producer,
        async outcome(job, key) {
          await storeOf(job, key);
        },
        file,
        load,
        work(extra = {}, shards) {
          const worker = workHere(load(extra), shards);
          atEnd(worker.stop);
          return worker;
        },
        startWorker(extra = {}, args = [], main = MAIN) {
          const env = { ...environment('4s'), REDIS_URL: valkey.url, ...extra };
          const worker = spawnLockhound(['worker', '--config', file, ...args], env, main);
          atEnd(() => worker.kill('SIGKILL'));
          return worker;
        },
        start(...args) {
          const env = { ...environment('2s'), REDIS_URL: valkey.url, LOCKHOUND_LOG_LEVEL: 'error' };
          return spawnLockhound([...args, '--config', file], env);
        },
        async lockhound(...args) {
          const env = { ...environment(KEPT_LOCK), REDIS_URL: valkey.url, LOCKHOUND_LOG_LEVEL: 'error' };
          for (const [variable, value] of Object.entries(env)) vi.stubEnv(variable, value);
          return await runHere([...args, '--config', file]);
        },
        async verdict(scan) {
          const {
            store: { outcomes },
            key,
          } = await storeOf('judge-scan', scan);
          return (await outcomes.readResult(VERDICT, 'judge-scan', key)) as Verdict;
        },
      };
    },
    async close() {
      for (const step of closing.reverse()) await step();
      vi.unstubAllEnvs();
      await services.close();
      await valkey.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Nothing in this process is killed, so that no test waits for the end of its locks; a busy machine may not let it renew a shorter one. */
const KEPT_LOCK = '20s';

/** `lock`: how long others wait for what a process had that was killed. */
function environment(lock: string): Record<string, string> {
  return {
    ...bareEnvironment(),
    LOCKHOUND_SECRET_API_KEY: SECRETS.apiKey,
    LOCKHOUND_SECRET_APPLICATION_KEY: SECRETS.applicationKey,
    LOCKHOUND_SECRET_ALERT_TOKEN: SECRETS.alertToken,
    LOCKHOUND_SECRET_SIGNING: SECRETS.signing,
    LOCKHOUND_WORKER_LOCK_DURATION: lock,
  };
}

function platformLines({ webhooks }: LocalServices): readonly string[] {
  return [
    'platform:',
    `  url: "${webhooks.url}"`,
    '  apiKey: { env: LOCKHOUND_SECRET_API_KEY }',
    '  applicationKey: { env: LOCKHOUND_SECRET_APPLICATION_KEY }',
  ];
}

/**
 * Tests start refreshes themselves. Their scans are dated months ago, so that notes about versions that are not indexed would be
 * overdue when a worker judges its targets by new settings.
 */
const DEFAULTS = ['watch: { every: 0s, young: 0s }', 'policy: { unindexedAfter: 3650d }'];

function configText(
  { insights, receiver }: LocalServices,
  prefix: string,
  recordTtl: string,
  notify: readonly string[],
): string {
  return `
insights: { url: "${insights.url}", recordTtl: ${recordTtl}, missTtl: ${recordTtl} }
notify:
  webhook:
    name: "hook-${prefix.slice(1, -1)}"
    url: "${receiver.url}/${prefix.slice(1, -1)}"
    headers: { authorization: "Bearer $ALERT_TOKEN" }
  variables:
    ALERT_TOKEN: { secret: { env: LOCKHOUND_SECRET_ALERT_TOKEN } }
  signingSecret: { env: LOCKHOUND_SECRET_SIGNING }
  allowAddresses: ["127.0.0.1"]
${notify.map((line) => `  ${line}\n`).join('')}log: { level: trace }
`;
}

function workHere(loaded: LoadedConfig, shards: readonly number[] | undefined): LocalWorker {
  let output = '';
  const log = {
    write(line: string) {
      output += line;
    },
  };
  const stopping = new AbortController();
  const starting = runWorker(loaded, { signal: stopping.signal, ephemeral: false, shards, log });
  return {
    output: () => output,
    async stop() {
      const worker = await starting;
      if (stopping.signal.aborted) return;
      stopping.abort();
      await worker.close();
    },
  };
}

async function runHere(args: readonly string[]) {
  let output = '';
  const write = (text: string) => {
    output += text;
  };
  const width = Number.POSITIVE_INFINITY;
  const shown = { colour: false, interactive: false, width, noteWidth: 80 };
  const code = await run(args, { out: write, note: write, ...shown });
  return { code, output };
}

function spawnLockhound(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  main = MAIN,
): WorkerProcess {
  const child = spawn(process.execPath, [main, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    child,
    output: () => chunks.join(''),
    ended,
    kill(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** Waits until one of the shards has the outcome of a job. `key`: may begin with an id that the producer of a scan chose. */
async function storeWithOutcome(
  shards: readonly Store[],
  job: string,
  key: string,
): Promise<{ readonly store: Store; readonly key: string }> {
  return until(`${job} "${key}" has an outcome`, async () => {
    for (const store of shards) {
      for (const own of await ownKeys(store, key))
        if (await store.outcomes.has(job, own)) return { store, key: own };
    }
    return undefined;
  });
}

async function ownKeys({ scans }: Store, key: string): Promise<readonly string[]> {
  const chosen = key.replace(/\.default$/, '');
  const records = await scans.findChosen(chosen);
  return [key, ...records.map(({ scan }) => scan + key.slice(chosen.length))];
}
