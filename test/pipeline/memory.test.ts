import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { startPipeline } from '../../src/compose/pipeline.ts';
import { openStore, type Store } from '../../src/compose/store.ts';
import { loadConfig } from '../../src/config/load.ts';
import { startInsightsService } from '../../src/embedded/insights/service.ts';
import { scanIdOf } from '../../src/model/scan/scan-id.ts';
import { createProducer } from '../../src/producer.ts';
import { HAS_REDIS, startNativeRedis } from '../native-redis.ts';
import { LOCKFILE } from './fixtures.ts';

/** Without the vulnerable packages of the other one. */
const SOUND = JSON.stringify({
  lockfileVersion: 3,
  packages: { '': {}, 'node_modules/mkdirp': { version: '0.5.5' } },
});
const log = pino({ level: 'silent' });

/** Bytes of all keys except those that do not grow with scans and those that expire within 15 minutes. */
async function memoryOf({ redis, prefix }: Store): Promise<number> {
  let bytes = 0;
  for (const key of await redis.keys(`${prefix}:*`)) {
    if (/:(target|blob|cache|seen|spent|lock)[:-]/.test(key)) continue;
    bytes += Number(await redis.call('MEMORY', 'USAGE', key, 'SAMPLES', '0'));
  }
  return bytes;
}

describe.skipIf(!HAS_REDIS)('the memory of Redis', () => {
  it('a concluded scan with a delivered alert leaves at most 3 KB in addition to the state of its target', async () => {
    const redis = await startNativeRedis();
    const service = await startInsightsService();
    const loaded = loadConfig({
      environment: { REDIS_URL: redis.url, LOCKHOUND_INSIGHTS_URL: service.url },
    });
    const store = await openStore(loaded, log);
    const producer = await createProducer({ redis: redis.url, prefix: store.prefix });
    const rule = { name: 'default', mode: 'digest' as const, match: {}, rest: true };
    const pipeline = await startPipeline(loaded, store, {
      log,
      notifier: {
        portOf: () => ({
          deliver: async (route, read) => ({
            kind: 'delivered',
            receipt: { id: (await read()).id, route, status: 200, answer: 'ok' },
          }),
        }),
        routing: { take: 'all', firstScan: 'all', rules: [rule] },
      },
    });
    let made = 0;
    const scanned = async (count: number) => {
      for (const until = made + count; made < until; made += 1) {
        const scan = scanIdOf('shop/web', String(made).padStart(16, '0'));
        const content = made % 2 === 0 ? LOCKFILE : SOUND;
        await producer.enqueue({
          scan,
          target: { id: 'shop/web' },
          lockfiles: [{ path: 'package-lock.json', content }],
        });
        for (let tries = 0; (await store.scans.find(scan))?.delivered !== 1; tries += 1) {
          if (tries > 2_000) throw new Error(`scan ${scan} was not delivered`);
          await sleep(10);
        }
        await store.deliveries.addAttempt((await store.deliveries.list(['delivered']))[0] ?? '', {
          at: new Date().toISOString(),
          durationMs: 12,
          bytes: 2_000,
          status: 200,
          answer: 'ok',
        });
      }
      await sleep(200);
    };
    try {
      await scanned(60);
      const before = await memoryOf(store);
      await scanned(30);
      const each = ((await memoryOf(store)) - before) / 30;
      expect(each).toBeLessThanOrEqual(3_072);
      expect(each).toBeGreaterThan(100);
    } finally {
      await producer.close();
      await pipeline.close(1_000);
      await store.close();
      await service.close();
      await redis.close();
    }
  });
});
