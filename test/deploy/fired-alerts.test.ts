import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createKeys } from '../../src/store/keys.ts';
import { bareEnvironment } from '../bare-environment.ts';
import { freePort, type NativeRedis, startNativeRedis } from '../native-redis.ts';
import { LOCKFILE } from '../pipeline/fixtures.ts';
import { createWorld, type Room, type WorkerProcess, type World } from '../pipeline/world.ts';
import { MAIN } from '../prepare.ts';
import { until } from '../until.ts';

const RULES = join(import.meta.dirname, '..', '..', 'deploy', 'prometheus', 'alerts.yml');
const NAMES = (
  parse(readFileSync(RULES, 'utf8')) as { groups: { rules: { alert: string }[] }[] }
).groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));

/** The rules with a second in place of each minute, and a minute in place of a day. */
function fasterRules(text: string): string {
  const seconds = (count: string, unit: string) =>
    Number(count) * { m: 1, h: 60, d: 60 }[unit as 'm' | 'h' | 'd'];
  return text
    .replaceAll(/\b(\d+)([mhd])\b(?=[\])]|\s|$)/gm, (_all, count, unit) => `${seconds(count, unit)}s`)
    .replaceAll(/> (600|900)\b/g, (_all, limit) => `> ${Number(limit) / 60}`)
    .replaceAll('86400', '20');
}

let world: World;
let room: Room;
let redis: NativeRedis;
let prometheus: ChildProcess;
let worker: WorkerProcess;
let folder: string;
let api: string;
let ports: { readonly worker: number; readonly serve: number };

/** Names of the alerts that fire, each with the queue or process that it is about. */
async function firing(): Promise<ReadonlyMap<string, string>> {
  const answer = await fetch(`${api}/api/v1/alerts`);
  const { data } = (await answer.json()) as {
    data: { alerts: { state: string; labels: Readonly<Record<string, string>> }[] };
  };
  return new Map(
    data.alerts
      .filter(({ state }) => state === 'firing')
      .map(({ labels }) => [labels['alertname'] ?? '', labels['queue'] ?? labels['job'] ?? '']),
  );
}

const fired = new Set<string>();
const fires = (name: string, about?: string) =>
  until(`${name} fires`, async () => {
    const all = await firing();
    for (const one of all.keys()) fired.add(one);
    return all.has(name) && (about === undefined || all.get(name) === about);
  });

let scans = 0;
const enqueue = () =>
  room.producer.enqueue({
    scan: `scan-${++scans}`,
    target: { id: `target-${scans}`, labels: {} },
    lockfiles: [{ path: 'package-lock.json', content: LOCKFILE }],
  });

/** Repeats something every half second while something else is waited for. */
async function during(work: () => Promise<unknown>, waiting: Promise<unknown>): Promise<void> {
  let isOver = false;
  const ended = waiting.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await work();
    await Promise.race([sleep(500), ended.catch(() => {})]);
  }
  await ended;
}

async function startWorker(environment: Readonly<Record<string, string>> = {}): Promise<void> {
  worker = room.startWorker({ LOCKHOUND_WORKER_HEALTH_PORT: String(ports.worker), ...environment });
  await until('the worker is ready', () => worker.output().includes('worker ready'));
}

describe.skipIf(process.env['FIRE_ALERTS'] === undefined)('an alert rule (by `.ci/deployment`)', () => {
  beforeAll(async () => {
    redis = await startNativeRedis('--appendonly', 'yes');
    world = await createWorld(redis);
    folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
    mkdirSync(join(folder, 'ledgers'));
    const config = [`ledger: { storage: { folder: "${join(folder, 'ledgers')}" } }`];
    room = await world.room('alerts', ['retries: { firstDelay: 200ms, longestDelay: 1s }'], {
      platform: false,
      config,
    });
    ports = { worker: await freePort(), serve: await freePort() };
    writeFileSync(join(folder, 'alerts.yml'), fasterRules(readFileSync(RULES, 'utf8')));
    const job = (name: 'worker' | 'serve') =>
      `{ job_name: ${name}, static_configs: [{ targets: ["127.0.0.1:${ports[name]}"] }] }`;
    writeFileSync(
      join(folder, 'prometheus.yml'),
      `global: { scrape_interval: 3s, scrape_timeout: 3s, evaluation_interval: 1s }\nrule_files: [alerts.yml]\nscrape_configs: [${job('worker')}, ${job('serve')}]\n`,
    );
    const port = await freePort();
    api = `http://127.0.0.1:${port}`;
    await startWorker();
    spawnServe();
    await until(
      'serve answers',
      async () => (await fetch(`http://127.0.0.1:${ports.serve}/readyz`).catch(() => undefined))?.ok,
    );
    prometheus = spawn(
      'prometheus',
      [
        '--config.file=prometheus.yml',
        '--storage.tsdb.path=data',
        `--web.listen-address=127.0.0.1:${port}`,
        '--query.lookback-delta=10s',
      ],
      { cwd: folder, stdio: 'ignore' },
    );
    await until('Prometheus answers', async () => (await fetch(`${api}/-/ready`).catch(() => undefined))?.ok);
  }, 180_000);
  afterAll(async () => {
    serve?.kill('SIGKILL');
    if (prometheus !== undefined) {
      prometheus.kill('SIGKILL');
      await once(prometheus, 'exit');
    }
    await world?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('stays silent while everything works', { timeout: 120_000 }, async () => {
    await enqueue();
    await room.verdict('scan-1');
    await sleep(15_000);
    expect([...(await firing()).keys()]).toEqual([]);
  });

  it('fires for a receiver that refuses, and alerts that are not delivered', {
    timeout: 300_000,
  }, async () => {
    const { faults } = world.services.receiver;
    faults.inject({ kind: 'answer', status: 400 }, { every: 1 });
    await during(enqueue, fires('LockhoundReceiverRefuses'));
    await fires('LockhoundAlertsNotDelivered');
    await fires('LockhoundJobsFailed');
    faults.clear();
  });

  it('fires for a payload that is refused', { timeout: 150_000 }, async () => {
    const { redis: connection, prefix } = room.store;
    const queue = new Queue('ingest-lockfiles', { connection, prefix, skipVersionCheck: true });
    await queue.add('ingest-lockfiles', { nonsense: true });
    await queue.close();
    await fires('LockhoundPayloadsRejected');
  });

  it('fires for a service that limits requests', { timeout: 200_000 }, async () => {
    const { faults } = world.services.insights;
    faults.inject({ kind: 'answer', status: 429 }, { every: 2 });
    await during(enqueue, fires('LockhoundRateLimited'));
    faults.clear();
  });

  it('fires for a source that cannot be read', { timeout: 200_000 }, async () => {
    const added = await room.lockhound(
      'schedules',
      'add',
      'bad',
      '--url',
      'http://127.0.0.1:1/package-lock.json',
      '--every',
      '1m',
    );
    expect(added.output).toContain('bad');
    await room.lockhound('schedules', 'run', 'bad');
    await fires('LockhoundSourcesUnreadable');
  });

  it('fires for a storage that takes no ledgers', { timeout: 300_000 }, async () => {
    rmSync(join(folder, 'ledgers'), { recursive: true });
    const { redis: connection, prefix } = room.store;
    const keys = createKeys(prefix);
    await connection.hset(keys.unusedObjects, 'a'.repeat(32), 0);
    // The pass of today has succeeded.
    await connection.del(keys.ledgerArchive);
    const queue = new Queue('schedules', { connection, prefix, skipVersionCheck: true });
    const waiting = await queue.getDelayed();
    await waiting.find(({ name }) => name === 'archive-ledgers')?.promote();
    await queue.close();
    await fires('LockhoundLedgersNotArchived');
  });

  it('fires for a Redis whose memory is nearly full', { timeout: 120_000 }, async () => {
    const info = String(await redis.call('INFO', 'memory'));
    const used = Number(/^used_memory:(\d+)/m.exec(info)?.[1]);
    await redis.call('CONFIG', 'SET', 'maxmemory', String(Math.round(used * 1.08)));
    await fires('LockhoundRedisMemory');
    await redis.call('CONFIG', 'SET', 'maxmemory', '0');
  });

  it('fires for traces that are lost, facts that are old and a process without CPU', {
    timeout: 400_000,
  }, async () => {
    await worker.kill('SIGTERM');
    world.services.insights.faults.inject({ kind: 'answer', status: 503 }, { every: 1 });
    await startWorker({
      LOCKHOUND_TRACES_ENDPOINT: 'http://127.0.0.1:1/v1/traces',
      LOCKHOUND_WATCH_EVERY: '10s',
      LOCKHOUND_WATCH_STALE_AFTER: '5s',
    });
    await during(enqueue, fires('LockhoundTracesLost'));
    await fires('LockhoundFactsOld');
    world.services.insights.faults.clear();
    const stall = async () => {
      worker.child.kill('SIGSTOP');
      await sleep(1_400);
      worker.child.kill('SIGCONT');
    };
    await during(stall, fires('LockhoundEventLoopLate'));
  });

  it('fires for a Redis that is frozen, when only serve is scraped, and for the last worker that died', {
    timeout: 400_000,
  }, async () => {
    await worker.kill('SIGKILL');
    await fires('LockhoundNoWorker');
    await fires('LockhoundDown', 'worker');
    await enqueue();
    await fires('LockhoundStandsStill', 'ingest-lockfiles');
    await fires('LockhoundQueueLate', 'ingest-lockfiles');
    const pid = Number(/^process_id:(\d+)/m.exec(String(await redis.call('INFO', 'server')))?.[1]);
    process.kill(pid, 'SIGSTOP');
    await fires('LockhoundRedisDown', 'serve');
    process.kill(pid, 'SIGCONT');
  });

  it('was fired by its fault, each of them', () => {
    expect(NAMES.filter((name) => !fired.has(name))).toEqual([]);
  });
});

let serve: ChildProcess | undefined;
function spawnServe(): void {
  serve = spawn(process.execPath, [MAIN, 'serve', '--port', '0', '--config', room.file], {
    env: {
      ...bareEnvironment(),
      REDIS_URL: redis.url,
      LOCKHOUND_SERVE_HEALTH_PORT: String(ports.serve),
      LOCKHOUND_SECRET_ALERT_TOKEN: 'token-of-a-test',
      LOCKHOUND_SECRET_SIGNING: 'whsec_bG9ja2hvdW5kLXRlc3Qtc2lnbmluZy1zZWNyZXQ=',
    },
    stdio: 'ignore',
  });
}
