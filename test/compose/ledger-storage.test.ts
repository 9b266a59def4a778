import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLedgerStorage } from '../../src/compose/ledger-storage.ts';
import { openStores } from '../../src/compose/store.ts';
import { refreshSchedules } from '../../src/compose/worker/schedules.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createKeys } from '../../src/store/keys.ts';
import { startRedis, type TestRedis } from '../redis.ts';
import { ACCESS, startS3 } from '../storage/s3-server.ts';
import { npmFile, openFleet } from '../store/fleet/fleet-room.ts';
import { until } from '../until.ts';

const folder = mkdtempSync(join(tmpdir(), 'ledger-storage-'));
let s3: Awaited<ReturnType<typeof startS3>>;
let redis: TestRedis;
beforeAll(async () => {
  s3 = await startS3();
  redis = await startRedis();
});
afterAll(async () => {
  await s3.close();
  await redis.close();
  rmSync(folder, { recursive: true });
});

function load() {
  const file = join(folder, 'lockhound.yaml');
  const keys = 'accessKeyId: { env: ID }, secretAccessKey: { env: KEY }, sessionToken: { env: TOKEN }';
  const bucket = `endpoint: "${s3.url}", region: eu-test-1, bucket: ledgers, prefix: prod/, ${keys}`;
  writeFileSync(
    file,
    `redis: { url: "${redis.url}" }\nledger: { storage: { after: 1s, s3: { ${bucket} } } }\n`,
  );
  const environment = { ID: ACCESS.id, KEY: ACCESS.secret, TOKEN: ACCESS.token };
  return loadConfig({ file, environment });
}

describe('a bucket that is configured', () => {
  it('gets the old blocks, and Redis gets no credentials', async () => {
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const stores = await openStores(load(), log);
    const [store] = stores.shards;
    if (store === undefined) throw new RangeError('no shard');
    const fleet = openFleet(store.redis, createKeys().prefix);
    for (let scan = 0; scan < 16; scan += 1) await fleet.save('t', [npmFile('f', [`a@${scan}.0.0`])]);
    const before = await store.ledger.read('t');
    s3.state.fault = 'half';
    await expect(store.archiveLedgers?.()).rejects.toThrow(
      'it returns other bytes than those that were written',
    );
    delete s3.state.fault;
    expect(await store.archiveLedgers?.()).toEqual({ archived: 1, removed: 0 });
    expect(await store.ledger.read('t')).toEqual(before);
    expect([...s3.objects.keys()]).toEqual([
      expect.stringMatching(/^prod\/[0-9a-f]{32}$/),
      expect.stringMatching(/^prod\/[0-9a-f]{32}$/),
    ]);
    const values = await Promise.all((await store.redis.keys('*')).map((key) => store.redis.dumpBuffer(key)));
    for (const secret of Object.values(ACCESS))
      expect(lines.join() + Buffer.concat(values.flatMap((one) => one ?? []))).not.toContain(secret);
    await store.forgetTarget('t');
    expect(s3.objects.size).toBe(1);
    await stores.close();
  });

  it('is tried hourly until a pass succeeds, and daily from then on', async () => {
    const log = pino({ level: 'silent' });
    const config = load();
    const stores = await openStores(config, log);
    const [store] = stores.shards;
    if (store === undefined) throw new RangeError('no shard');
    const { watch } = config.config;
    const routing = { take: 'all', firstScan: 'none', rules: [] } as const;
    const schedules = refreshSchedules(store, watch, { settings: '', routing, listedEvery: 0, log });
    const archive = schedules.find(({ name }) => name === 'archive-ledgers');
    const pass = async (hours: number) => {
      await archive?.start(new Date(Date.now() + hours * 3_600_000));
      return await store.lastArchive();
    };
    // What no ledger uses is removed, which the bucket refuses.
    await store.redis.hset(createKeys().unusedObjects, 'a'.repeat(32), 0);
    s3.state.fault = 'down';
    expect((await pass(25))?.error).toContain('SlowDown');
    delete s3.state.fault;
    const first = await until('the bucket is asked again', async () => {
      const last = await pass(1);
      return last?.error === undefined ? last : undefined;
    });
    expect(first?.succeededAt).toBeDefined();
    expect(await pass(23)).toEqual(first);
    const second = await pass(25);
    expect(second?.succeededAt).toBeGreaterThan(first?.succeededAt ?? 0);
    await stores.close();
  });

  it('is asked once in a while when it does not answer', async () => {
    let now = 0;
    const storage = openLedgerStorage(load(), () => now);
    s3.state.fault = 'down';
    await expect(storage?.get('a')).rejects.toThrow('SlowDown');
    const asked = s3.log.length;
    await expect(storage?.get('b')).rejects.toThrow('SlowDown');
    expect(s3.log).toHaveLength(asked);
    delete s3.state.fault;
    now += 5_000;
    expect(await storage?.get('b')).toBeUndefined();
    await storage?.close();
  });
});
