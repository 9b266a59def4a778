import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { examine } from '../../src/commands/doctor/doctor.ts';
import { WORK_CHECKS } from '../../src/commands/doctor/work-checks.ts';
import { openStores, type Store, type Stores } from '../../src/compose/store.ts';
import { type LoadedConfig, loadConfig } from '../../src/config/load.ts';
import { type LocalServices, startLocalServices } from '../../src/embedded/local-services.ts';
import { jobIdOf } from '../../src/jobs/job.ts';
import type { WorkerRecord } from '../../src/model/fleet/worker-record.ts';
import { Secret } from '../../src/model/secret.ts';
import { TARGET_SUMMARY } from '../../src/model/stored/catalog.ts';
import { doctorText } from '../../src/report/administration/diagnoses-text.ts';
import { createKeys } from '../../src/store/keys.ts';
import { writeText } from '../../src/store/values/stored-values.ts';
import { HAS_REDIS, startNativeRedis } from '../native-redis.ts';
import { startRedis, type TestRedis } from '../redis.ts';

const KEYS = { apiKey: 'doctor-api-key-71', applicationKey: 'doctor-application-key-72' };
const TOKEN = 'doctor-token-73';
let valkey: TestRedis;
let services: LocalServices;
let stores: Stores;
let store: Store;
let folder: string;
let rooms = 0;
let prefix = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'doctor-'));
  valkey = await startRedis();
  const reader = {
    apiKey: KEYS.apiKey,
    applicationKey: 'reader-74',
    permissions: ['integrations_read'],
  } as const;
  services = await startLocalServices({ webhooks: { keys: [KEYS, reader] } });
});
afterAll(async () => {
  await stores.close();
  await rm(folder, { recursive: true });
  await services.close();
  await valkey.close();
});
beforeEach(async () => {
  await stores?.close();
  rooms += 1;
  prefix = `{doctor-${rooms}}`;
  stores = await openStores(await load(), pino({ level: 'silent' }));
  store = stores.shards[0] as Store;
});

interface Changes {
  readonly notify?: readonly string[];
  readonly config?: readonly string[];
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly url?: string;
}

async function load({
  notify = [],
  config = [],
  environment = {},
  url,
}: Changes = {}): Promise<LoadedConfig> {
  const file = join(folder, 'lockhound.yaml');
  const lines = [
    `redis: { url: "${url ?? valkey.url}", prefix: "${prefix}" }`,
    ...(config.some((line) => line.startsWith('insights:'))
      ? []
      : [`insights: { url: "${services.insights.url}" }`]),
    ...config,
    ...(notify.length === 0 ? [] : ['notify:', ...notify.map((line) => `  ${line}`)]),
  ];
  await writeFile(file, lines.join('\n'));
  const secrets = { API_KEY: KEYS.apiKey, APP_KEY: KEYS.applicationKey, TOKEN };
  return loadConfig({ file, environment: { ...secrets, ...environment } });
}

const platform = (): readonly string[] => [
  'platform:',
  `  url: "${services.webhooks.url}"`,
  '  apiKey: { env: API_KEY }',
  '  applicationKey: { env: APP_KEY }',
];
const receiver = (url: string, ...more: readonly string[]): readonly string[] => [
  `webhook: { url: "${url}", headers: { authorization: "Bearer $TOKEN" } }`,
  'variables: { TOKEN: { secret: { env: TOKEN } } }',
  ...more,
];
const LOCAL = 'allowAddresses: ["127.0.0.1"]';

async function findings(loaded: LoadedConfig, more: { fix?: boolean; limitMs?: number } = {}) {
  const { fix = false, ...options } = more;
  const report = await examine(loaded, { fix, signal: new AbortController().signal, ...options });
  const text = doctorText(report, { colour: false, width: 80 });
  for (const secret of [KEYS.apiKey, KEYS.applicationKey, TOKEN]) {
    expect(text + JSON.stringify(report)).not.toContain(secret);
  }
  return report.diagnoses;
}

async function find(check: string, loaded: LoadedConfig, more = {}) {
  return (await findings(loaded, more)).filter((one) => one.check === check);
}

const record = (more: Partial<WorkerRecord>): WorkerRecord => ({
  ...{
    worker: 'w',
    host: 'host-a',
    pid: 1,
    release: '9.9.9',
    node: '24.0.0',
    concurrency: 32,
    traces: 'off',
  },
  ...{ startedAt: new Date().toISOString(), seenAt: new Date().toISOString() },
  load: {
    ...{
      periodMs: 1,
      loopUtilization: 0,
      loopDelayMs: 0,
      memoryBytes: 1,
      finished: 0,
      retried: 0,
      failed: 0,
    },
    ...{ requests: 0, limited: 0, unanswered: 0, busyMs: 0, budgetMs: 0, deliveries: 0, refused: 0 },
  },
  ...more,
});

async function runWorker(more: Partial<WorkerRecord> = {}): Promise<void> {
  const one = record(more);
  await stores.layouts.enter(one.worker, 1, 60_000);
  await stores.workers.write(one);
}

describe('an installation that works', () => {
  it('has no fault except what the embedded engine cannot do', async () => {
    await runWorker();
    const loaded = await load({
      notify: [...platform(), ...receiver(`${services.receiver.url}/hook`, LOCAL)],
    });
    const before = await findings(loaded);
    expect(before.filter(({ verdict }) => verdict === 'broken').map(({ check }) => check)).toEqual([
      'persistence',
    ]);
    // Nothing was written to the platform, nothing sent to the receiver, and no key stays.
    expect(services.webhooks.snapshot()).toMatchObject({ webhooks: [], variables: [] });
    expect(services.receiver.deliveries()).toEqual([]);
    expect(await store.redis.keys(`${prefix}:doctor*`)).toEqual([]);
    const platformCheck = before.find(({ check }) => check === 'credentials');
    expect(platformCheck?.says).toContain('0 of 1 webhooks exist; missing: lockhound');
    expect(before.find(({ check }) => check === 'service')).toMatchObject({
      says: expect.stringMatching(/answered a batch of 120 in \d+ ms; a page holds 100 answers$/),
    });
    expect(before.find(({ check }) => check === 'rights')?.verdict).toBe('fine');
  });

  it('is shown in lines that fit narrow terminals', async () => {
    const report = await examine(await load(), { fix: false, signal: new AbortController().signal });
    for (const width of [50, 80]) {
      const lines = doctorText(report, { colour: false, width }).split('\n');
      const words = (line: string) => line.trim().split(/\s+/).length;
      expect(lines.filter((line) => line.length > width && words(line) > 1)).toEqual([]);
    }
  });
});

describe('without Redis', () => {
  it('the other checks still run, and those of Redis are skipped', async () => {
    const found = await findings(await load({ url: 'redis://127.0.0.1:1' }));
    expect(found.find(({ check }) => check === 'connection')).toMatchObject({ verdict: 'broken' });
    expect(found.find(({ check }) => check === 'service')?.says).toContain('answered a batch');
    const skipped = found.filter(({ verdict }) => verdict === 'unknown').map(({ subject }) => subject);
    expect(new Set(skipped)).toEqual(new Set(['redis', 'receivers', 'work', 'health']));
    // They are one row for each subject.
    const text = doctorText({ at: '', diagnoses: found }, { colour: false, width: Number.POSITIVE_INFINITY });
    expect(text).toMatch(/unknown {2}11 checks {3}Redis does not answer \(latency, clock, version, /);
    expect(text.match(/Redis does not answer/g)).toHaveLength(4);
  });
});

describe('routes', () => {
  it('that no target reaches are named', async () => {
    const notify = [
      'webhook: { url: "http://127.0.0.1:1/default" }',
      'routes:',
      '  - { name: web, match: { labels: { team: web } }, webhook: { url: "http://127.0.0.1:1/web" } }',
      '  - { name: ops, match: { labels: { team: opps } }, webhook: { url: "http://127.0.0.1:1/ops" } }',
    ];
    const reach = async () =>
      (await findings(await load({ notify }))).filter(
        ({ subject, says }) =>
          subject === 'receivers' && (says.includes('no alerts') || says.includes('targets')),
      );
    expect(await find('reach', await load({ notify }))).toMatchObject([{ verdict: 'fine' }]);
    await scanned('shop/web', { team: 'web' });
    expect(await reach()).toMatchObject([
      { check: 'ops', verdict: 'degraded', says: expect.stringContaining('no target has the labels') },
      { check: 'default', verdict: 'degraded', says: expect.stringMatching(/^route web takes everything/) },
    ]);
    await scanned('shop/ops', { team: 'opps' });
    await scanned('shop/api', { team: 'api' });
    expect(await reach()).toMatchObject([
      { check: 'reach', verdict: 'fine', says: 'every route can get alerts of the 3 targets' },
    ]);
  });
});

/** Writes a target into the list of the fleet. */
async function scanned(target: string, labels: Readonly<Record<string, string>>): Promise<void> {
  const requestedAt = '2026-01-01T00:00:00.000Z';
  const summary = { labels, lockfiles: [], packages: 0, open: {}, openByRule: {}, requestedAt };
  await store.redis.hset(createKeys(prefix).targetSummaries, target, writeText(TARGET_SUMMARY, summary));
}

describe('services', () => {
  it('names an insights service that limits requests, one that is down and one that never answers', async () => {
    services.insights.faults.inject(
      { kind: 'answer', status: 429, headers: { 'retry-after': '600' } },
      { times: 9 },
    );
    expect(await find('service', await load())).toMatchObject([
      { verdict: 'degraded', remedy: expect.stringContaining('insights.requestsPerSecond') },
    ]);
    services.insights.faults.clear();
    const down = await load({ config: ['insights: { url: "http://127.0.0.1:1" }'] });
    expect(await find('service', down)).toMatchObject([
      { verdict: 'broken', says: expect.stringContaining('refused') },
    ]);
    services.insights.faults.inject({ kind: 'hang' }, { times: 99 });
    const hanging = await find('service', await load(), { limitMs: 1_500 });
    services.insights.faults.clear();
    expect(hanging).toMatchObject([{ verdict: 'unknown', says: 'it did not end within 1.5 s' }]);
  });

  it('names secrets that cannot be read, and keys that the platform refuses', async () => {
    const notify = [...platform(), ...receiver(`${services.receiver.url}/hook`, LOCAL)];
    expect(await find('secrets', await load({ notify, environment: { TOKEN: undefined } }))).toMatchObject([
      { verdict: 'broken', says: 'notify.variables.TOKEN.secret: environment variable TOKEN is not set' },
    ]);
    const [refused] = await find('credentials', await load({ notify, environment: { API_KEY: 'wrong' } }));
    expect(refused).toMatchObject({ verdict: 'broken', says: expect.stringContaining('403') });
    const [skipped] = await find('credentials', await load({ notify, environment: { API_KEY: undefined } }));
    expect(skipped).toMatchObject({ verdict: 'unknown', says: 'it needs a secret that cannot be read' });
    const [reader] = await find('credentials', await load({ notify, environment: { APP_KEY: 'reader-74' } }));
    expect(reader).toMatchObject({ verdict: 'broken', says: expect.stringContaining('not manage webhooks') });
    expect(services.webhooks.snapshot()).toMatchObject({ webhooks: [], variables: [] });
  });

  it.each([
    [
      'refused by the address guard',
      () => receiver(`${services.receiver.url}/hook`),
      /is not on the public internet/,
    ],
    ['where nothing listens', () => receiver('http://127.0.0.1:1/hook', LOCAL), /refused/],
    [
      'with an invalid certificate or no TLS',
      () => receiver(services.receiver.url.replace('http:', 'https:'), LOCAL),
      /./,
    ],
  ])('names a receiver %s, without its path', async (_name, notify, says) => {
    const found = await find('default', await load({ notify: notify() }));
    expect(found).toMatchObject([{ verdict: 'broken', says: expect.stringMatching(says) }]);
    expect(found[0]?.says).not.toContain('/hook');
  });
});

describe('work', () => {
  it('names failed jobs with their reasons, and contents that expired', async () => {
    const queue = new Queue('ingest-lockfiles', { connection: store.redis, prefix, skipVersionCheck: true });
    const { sha256 } = await store.blobs.put(Buffer.from('stored'));
    const data = (hash: string) => ({
      version: 1,
      key: hash,
      payload: { lockfiles: [{ path: 'a', sha256: hash }] },
    });
    await queue.add('one', data(sha256));
    await queue.add('two', data('0'.repeat(64)));
    await store.redis.zadd(`${prefix}:judge-scan:failed`, 1, 'j1');
    await store.redis.hset(`${prefix}:judge-scan:j1`, { failedReason: 'lock gone [blob-missing]' });
    await queue.close();
    const found = await findings(await load());
    expect(found.find(({ check }) => check === 'failed jobs')).toMatchObject({
      verdict: 'degraded',
      says: 'judge-scan: 1 failed permanently. Newest: lock gone [blob-missing]',
      remedy: expect.stringContaining('lockfiles.retention'),
    });
    expect(found.find(({ check }) => check === 'contents')).toMatchObject({
      verdict: 'broken',
      says: 'contents of 1 of the 2 oldest waiting scans are no longer stored',
    });
  });

  it('finds a lane that stands still, and --fix starts it', async () => {
    const payload = {
      id: 'msg_1',
      route: 'default',
      target: 'shop',
      scan: 's',
      date: '2026-05-01T00:00:00Z',
    };
    const id = jobIdOf('deliver-notification', 'k');
    const lane = 'default shop';
    const job = { id, job: 'deliver-notification', data: { version: 1, key: 'k', payload }, lane };
    await store.openJobs.open(job);
    expect(await find('lanes', await load())).toMatchObject([
      { verdict: 'broken', says: `1 lane stands still: ${lane}`, fix: expect.any(String) },
    ]);
    expect(await find('lanes', await load(), { fix: true })).toMatchObject([
      { verdict: 'broken', fixed: true },
    ]);
    const queue = new Queue('deliver-notification', {
      connection: store.redis,
      prefix,
      skipVersionCheck: true,
    });
    expect((await queue.getJob(id))?.data).toEqual(job.data);
    await queue.close();
    expect(await find('lanes', await load())).toMatchObject([{ verdict: 'fine' }]);
    // Waiting for a stopped route is intended.
    await store.redis.del(`${prefix}:deliver-notification:${id}`);
    await store.deliveries.stopRoute('default', 'answered 410', 0);
    const found = await findings(await load());
    expect(found.find(({ check }) => check === 'lanes')?.verdict).toBe('fine');
  });

  it('finds a storage of ledgers that does not work', async () => {
    expect(await find('ledger storage', await load())).toEqual([]);
    const usable = join(folder, 'ledgers');
    await mkdir(usable);
    const inFolder = (path: string) => load({ config: [`ledger: { storage: { folder: "${path}" } }`] });
    expect(await find('ledger storage', await inFolder(usable))).toMatchObject([{ verdict: 'fine' }]);
    const left = await readdir(usable, { recursive: true, withFileTypes: true });
    expect(left.filter((one) => one.isFile())).toEqual([]);
    expect(await find('ledger storage', await inFolder(`${usable}-missing`))).toMatchObject([
      { verdict: 'broken', says: expect.stringContaining('ledgers-missing'), remedy: expect.any(String) },
    ]);
    // It writes, does not answer a read, and keeps no object of the check.
    const loaded = await load();
    const objects = new Set<string>();
    const storage = {
      put: async (name: string) => void objects.add(name),
      get: () => Promise.reject(new Error('no answer')),
      remove: async (name: string) => void objects.delete(name),
    };
    const patient = { loaded, log: pino({ level: 'silent' }), signal: new AbortController().signal };
    const check = WORK_CHECKS.find(({ name }) => name === 'ledger storage');
    const found = await check?.run({ ...patient, stores: { ...stores, storage } });
    expect([found, objects.size]).toMatchObject([{ verdict: 'broken', says: 'no answer' }, 0]);
  });

  it('finds a schedule without a next start, and --fix stores it', async () => {
    await store.schedules.put({
      name: 'nightly',
      source: { kind: 'path', paths: ['/nowhere'], targets: 'all', exclude: [] },
      target: 'shop',
      labels: {},
      times: { everyMs: 3_600_000 },
      jitterMs: 0,
      origin: 'command',
      paused: false,
    });
    expect(await find('schedules', await load())).toMatchObject([
      { verdict: 'broken', says: 'schedule nightly never ran: it has no next start' },
    ]);
    expect(await find('schedules', await load(), { fix: true })).toMatchObject([{ fixed: true }]);
    expect(await find('schedules', await load())).toMatchObject([{ verdict: 'fine' }]);
  });
});

describe('health', () => {
  it('is part of it: shards without a worker, clocks, and what a stopped route holds', async () => {
    expect(await find('flow', await load())).toMatchObject([
      { subject: 'health', verdict: 'degraded', says: 'no worker runs' },
    ]);
    await runWorker({ shards: [1] });
    await runWorker({ worker: 'x', host: 'host-b', shards: [1], seenAt: '2099-01-01T00:00:00Z' });
    await store.deliveries.stopRoute('default', 'answered 410', 0);
    const found = await findings(await load());
    expect(found.find(({ check }) => check === 'flow')?.says).toBe('no worker runs the jobs of shard 0');
    expect(found.find(({ check }) => check === 'telemetry')).toMatchObject({
      verdict: 'degraded',
      says: expect.stringContaining('host-b (process 1) is ahead (2099-01-01T00:00:00Z)'),
    });
    expect(found.find(({ check }) => check === 'runs')).toMatchObject({
      verdict: 'broken',
      remedy: expect.stringContaining('lockhound deliveries resume default'),
    });
  });
});

describe.skipIf(!HAS_REDIS)('a native Redis (skipped without redis-server)', () => {
  it('is checked for eviction, memory, persistence and the rights of its user', async () => {
    const redis = await startNativeRedis(
      '--maxmemory',
      '2mb',
      '--maxmemory-policy',
      'allkeys-lru',
      '--appendonly',
      'yes',
    );
    try {
      await redis.call('ACL', 'SETUSER', 'few', 'on', '>pass', '~*', '+@all', '-eval', '-xadd');
      const rights = ['+@all', '-@dangerous', '+info', '+config|get'];
      await redis.call('ACL', 'SETUSER', 'enough', 'on', '>pass', `~${prefix}*`, '&*', ...rights);
      const withPassword = async (user: string) => {
        const loaded = await load({ url: redis.url.replace('//', `//${user}@`) });
        return { ...loaded, secrets: { ...loaded.secrets, redisPassword: new Secret('pass') } };
      };
      const found = await findings(await withPassword('few'));
      const verdictOf = (check: string) => found.find((one) => one.check === check);
      expect(verdictOf('eviction')).toMatchObject({
        verdict: 'broken',
        says: expect.stringContaining('allkeys-lru'),
      });
      expect(verdictOf('memory')?.verdict).not.toBe('fine');
      expect(verdictOf('persistence')).toMatchObject({
        verdict: 'fine',
        says: expect.stringContaining('everysec'),
      });
      expect(verdictOf('rights')?.says).toMatch(/^few may not run XADD, EVAL on keys of/);
      expect(verdictOf('role')?.says).toContain('is a primary with 0 replicas');
      expect(await find('rights', await withPassword('enough'))).toMatchObject([{ verdict: 'fine' }]);
    } finally {
      await redis.close();
    }
  });
});
