import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openStores, type Stores } from '../../src/compose/store.ts';
import { keepPresence, measureLoad } from '../../src/compose/worker/worker-presence.ts';
import { loadConfig } from '../../src/config/load.ts';
import { startRedis, type TestRedis } from '../redis.ts';
import { lockhound } from './lockhound.ts';

let valkey: TestRedis;
let stores: Stores;
const log = pino({ level: 'silent' });
beforeAll(async () => {
  valkey = await startRedis();
  vi.stubEnv('REDIS_URL', valkey.url);
  stores = await openStores(loadConfig(), log);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await stores.close();
  await valkey.close();
});

const settings = { concurrency: 32 };

async function presence() {
  const load = measureLoad();
  const state = () => ({ load: load.read(), traces: 'off' as const });
  const kept = await keepPresence(stores, { shards: 1, lockDurationMs: 5_000, log, settings, state });
  return {
    load,
    close: async () => {
      await kept.close();
      load.close();
    },
  };
}

describe('lockhound health', () => {
  it('says for each question that it works with a worker', async () => {
    const worker = await presence();
    const { code, out } = await lockhound(['health']).finally(worker.close);
    expect(out).toMatch(/fine +flow +work flows: 0 jobs wait, 0 run in 1 worker\./);
    expect(out).toMatch(/fine +runs /);
    expect(out).toMatch(/fine +facts /);
    expect(out).toMatch(/fine +telemetry +1 worker of release \d/);
    // What the bottleneck is depends on the machine.
    expect(out).toMatch(/ limits /);
    expect(code).toBe(0);
  });

  it('is bad, with exit code 1, while jobs wait and no worker runs', async () => {
    const { prefix, redis } = stores.shards[0] as Stores['shards'][number];
    await redis.lpush(`${prefix}:judge-scan:wait`, 'one');
    await redis.hset(`${prefix}:judge-scan:one`, { timestamp: Date.now() - 600_000, opts: '{}' });
    const { code, out } = await lockhound(['health', '--json']);
    const verdict = JSON.parse(out);
    expect(verdict).toMatchObject({ verdict: 'broken', parts: expect.any(Array) });
    expect(verdict.parts[0]).toEqual({
      ...{ part: 'flow', verdict: 'broken', remedy: 'Start a worker: `lockhound worker`.' },
      says: 'no worker runs, and 1 job waits, the oldest for 10 minutes',
    });
    expect(code).toBe(1);
  });

  it('is bad when Redis is down', async () => {
    vi.stubEnv('REDIS_URL', 'redis://127.0.0.1:1');
    const { code, out } = await lockhound(['health']);
    vi.stubEnv('REDIS_URL', valkey.url);
    expect(out).toContain('Nothing works: Redis does not answer.');
    expect(code).toBe(1);
  });
});

describe('the records of workers', () => {
  it('are removed when a worker stops, and kept for an hour when it dies', async () => {
    const worker = await presence();
    const [first] = await stores.workers.list();
    expect(first).toMatchObject({ running: true, record: { pid: process.pid, concurrency: 32 } });
    // Locks are shorter.
    expect(await stores.workers.list(Date.now() + 25_000)).toMatchObject([{ running: true }]);
    await worker.close();
    expect(await stores.workers.list()).toEqual([]);
    const record = { ...(first as NonNullable<typeof first>).record, worker: 'died' };
    await stores.workers.write(record);
    expect(await stores.workers.list()).toMatchObject([{ running: false, record: { worker: 'died' } }]);
    expect(await stores.workers.list(Date.now() + 3_700_000)).toEqual([]);
    expect(await stores.workers.list()).toEqual([]);
  });
});
