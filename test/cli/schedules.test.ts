import { Queue } from 'bullmq';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openStore, openStores, type Store } from '../../src/compose/store.ts';
import { storeConfiguredSchedules } from '../../src/compose/worker/watch.ts';
import { loadConfig } from '../../src/config/load.ts';
import { configSchema } from '../../src/config/schema.ts';
import { TARGET_SUMMARY } from '../../src/model/stored/catalog.ts';
import { createKeys } from '../../src/store/keys.ts';
import { writeText } from '../../src/store/values/stored-values.ts';
import { startRedis, type TestRedis } from '../redis.ts';
import { lockhound } from './lockhound.ts';

let valkey: TestRedis;
let store: Store;
let starts: Queue;
const log = pino({ level: 'silent' });

beforeAll(async () => {
  valkey = await startRedis();
  vi.stubEnv('REDIS_URL', valkey.url);
  store = await openStore(loadConfig({ environment: { REDIS_URL: valkey.url } }), log);
  starts = new Queue('schedules', { connection: store.redis, prefix: store.prefix });
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await starts.close();
  await store.close();
  await valkey.close();
});

const schedule = (...args: readonly string[]) => lockhound(['schedules', ...args]);
const json = async (...args: readonly string[]) => JSON.parse((await schedule(...args, '--json')).out);
const startNames = async () => (await starts.getJobSchedulers()).map(({ key }) => key).sort();

/** Writes these schedules as a worker with this configuration does. */
async function configured(...schedules: readonly object[]): Promise<void> {
  const config = configSchema.parse({ schedules });
  await storeConfiguredSchedules({ config, secrets: { variables: new Map() }, file: undefined }, store, log);
}

describe('lockhound schedules', () => {
  it('adds, lists, shows, pauses, resumes and removes', async () => {
    const added = await schedule(
      ...['add', 'shop', '--git', 'https://git.example/shop.git', '--every', '6h'],
      ...['--label', 'team=web', '--jitter', '5m', '--exclude', 'old/'],
    );
    expect(added).toEqual({ code: 0, out: 'Schedule shop is added.\n', note: '' });
    expect(await startNames()).toEqual(['watch-shop']);
    const [only, ...others] = (await json('list')).schedules;
    expect(others).toEqual([]);
    expect(only).toMatchObject({
      name: 'shop',
      source: { kind: 'git', repositories: [{ url: 'https://git.example/shop.git' }], exclude: ['old/'] },
      everyMs: 21_600_000,
      jitterMs: 300_000,
      labels: { team: 'web' },
      origin: 'command',
      nextRun: expect.stringMatching(/^20/),
      targets: 0,
    });
    expect((await schedule('get', 'shop')).out).toMatch(/runs +none\n/);
    expect((await schedule('pause', 'shop')).out).toBe('Schedule shop is paused.\n');
    expect(await startNames()).toEqual([]);
    expect((await schedule()).out).toContain('paused');
    expect((await schedule('resume', 'shop')).code).toBe(0);
    expect(await startNames()).toEqual(['watch-shop']);
    expect((await schedule('remove', 'shop')).code).toBe(0);
    expect(await startNames()).toEqual([]);
    expect(await json()).toEqual({ schedules: [] });
    expect(await schedule('get', 'shop')).toMatchObject({
      code: 2,
      note: expect.stringContaining('there is no schedule shop'),
    });
  });

  it('puts a run on the queue', async () => {
    await schedule('add', 'now', '--path', '/srv/*', '--cron', '0 6 * * *', '--time-zone', 'Europe/Berlin');
    expect(await schedule('run', 'now')).toMatchObject({ code: 0, note: '' });
    const queue = new Queue('run-schedule', { connection: store.redis, prefix: store.prefix });
    const [job] = await queue.getJobs(['waiting']);
    await queue.close();
    expect(job?.data).toMatchObject({ version: 1, payload: { schedule: 'now', trigger: 'command' } });
    const { template: _, ...start } = (await starts.getJobScheduler('watch-now')) ?? {};
    expect(start).toMatchObject({ pattern: '0 6 * * *', tz: 'Europe/Berlin' });
    await schedule('remove', 'now');
  });

  it.each([
    [['add', 'a', '--every', '6h'], 'name a source: one of --git, --url and --path'],
    [['add', 'a', '--git', '/a', '--url', 'https://a.example', '--every', '6h'], 'name a source: one of'],
    [['add', 'a', '--git', '/a'], 'every: name either `every` or `cron`'],
    [['add', 'a', '--git', '/a', '--cron', 'noon'], 'cron: a cron expression'],
    [['add', 'a', '--git', '/a', '--cron', '0 6 * *'], 'it has 4 of the five fields'],
    [['add', 'a', '--git', '/a', '--cron', '0 6 * * *', '--time-zone', 'Mars'], 'timeZone: a time zone'],
    [['add', 'a', '--git', 'ext::sh -c x', '--every', '6h'], 'expected a URL without `\\`, spaces'],
    [['add', 'a', '--git', '/a', '--ref=--upload-pack=x', '--every', '6h'], 'expected the name of a branch'],
    [
      ['add', 'a', '--git', 'https://u:secret-5f@a.example/x', '--every', '6h'],
      'without user name and password',
    ],
    [['add', '../a', '--git', '/a', '--every', '6h'], 'name: at most 40 letters'],
    [['run', 'nothing'], 'there is no schedule nothing'],
    [['forget', 'nothing', 'x'], 'there is no schedule nothing'],
  ])('refuses %j', async (args, message) => {
    const { code, note, out } = await schedule(...args);
    expect(code).toBe(2);
    expect(note).toContain(message);
    expect(note + out).not.toContain('secret-5f');
  });

  it('replaces one only when asked', async () => {
    await schedule('add', 'twice', '--git', '/a', '--every', '6h');
    expect((await schedule('add', 'twice', '--git', '/a', '--every', '12h')).note).toContain('add --replace');
    expect((await schedule('add', 'twice', '--git', '/a', '--every', '12h', '--replace')).code).toBe(0);
    expect((await starts.getJobScheduler('watch-twice'))?.every).toBe(43_200_000);
    await schedule('remove', 'twice');
  });

  it('takes over a target that others scan only when asked', async () => {
    const summary = {
      labels: { team: 'web' },
      lockfiles: [],
      packages: 1,
      open: {},
      openByRule: {},
      requestedAt: '2026-01-01T00:00:00Z',
    };
    const key = createKeys(store.prefix).targetSummaries;
    await store.redis.hset(key, 'acme/taken', writeText(TARGET_SUMMARY, summary));
    const add = (...more: string[]) => schedule('add', 'taker', '--every', '6h', ...more);
    const url = 'https://git.example/acme/taken.git';
    expect((await add('--git', url)).note).toContain('target acme/taken exists already');
    expect((await add('--git', '/srv/x', '--target', 'acme/taken')).note).toContain(
      'or take it over with --replace',
    );
    expect((await add('--path', '/srv/x', '--target', 'acme/taken')).note).toContain('exists already');
    expect((await add('--git', url, '--target', 'other')).code).toBe(0);
    expect((await add('--git', url, '--replace')).code).toBe(0);
    await schedule('remove', 'taker');
    await store.redis.hdel(key, 'acme/taken');
  });

  it('pauses schedules of the configuration, and does not remove or change them', async () => {
    const source = { kind: 'git', repositories: '/srv/a.git' };
    await configured({ name: 'fixed', source, every: '6h' }, { name: 'other', source, every: '6h' });
    expect((await schedule('remove', 'fixed')).note).toContain('is part of the configuration');
    expect((await schedule('add', 'fixed', '--git', '/b', '--every', '1h', '--replace')).note).toContain(
      'change it there',
    );
    expect((await schedule('pause', 'fixed')).code).toBe(0);
    // A worker that starts again leaves it paused, and takes over changes; what the configuration lacks is removed.
    await configured({ name: 'fixed', source, every: '12h' });
    expect((await json()).schedules).toMatchObject([
      { name: 'fixed', paused: true, everyMs: 43_200_000, origin: 'configuration' },
    ]);
    await configured();
    expect(await json()).toEqual({ schedules: [] });
  });

  it('stores a schedule in every shard, which runs it for its own targets', async () => {
    vi.stubEnv('LOCKHOUND_REDIS_SHARDS', '3');
    vi.stubEnv('LOCKHOUND_REDIS_PREFIX', '{sharded}');
    try {
      await schedule('add', 'wide', '--git', '/srv/a.git', '--git', '/srv/b.git', '--every', '6h');
      const environment = {
        REDIS_URL: valkey.url,
        LOCKHOUND_REDIS_SHARDS: '3',
        LOCKHOUND_REDIS_PREFIX: '{sharded}',
      };
      const stores = await openStores(loadConfig({ environment }), log);
      const stored = () => Promise.all(stores.shards.map(({ schedules }) => schedules.find('wide')));
      expect((await stored()).map((one) => one?.name)).toEqual(['wide', 'wide', 'wide']);
      const at = '2026-01-01T00:00:00.000Z';
      for (const [index, { schedules }] of stores.shards.entries()) {
        const target = { id: `t${index}`, labels: {} };
        const source = { kind: 'git', repository: '/srv/a.git', ref: 'HEAD', exclude: [] } as const;
        const entry = { target, source, definition: 'd', run: '1', due: at, at, ending: 'scanned' as const };
        await schedules.update({
          kind: 'reading',
          schedule: 'wide',
          run: '1',
          target: target.id,
          ending: 'scanned',
          at,
          entry,
        });
      }
      const shown = await json('get', 'wide');
      expect(shown.schedule.targets).toBe(3);
      expect(shown.watched.map((one: { target: string }) => one.target)).toEqual(['t0', 't1', 't2']);
      expect((await schedule('forget', 'wide', 't2')).code).toBe(0);
      await schedule('remove', 'wide');
      expect((await stored()).map((one) => one?.removed)).toEqual([true, true, true]);
      await stores.close();
    } finally {
      vi.stubEnv('LOCKHOUND_REDIS_SHARDS', undefined);
      vi.stubEnv('LOCKHOUND_REDIS_PREFIX', undefined);
    }
  });
});
