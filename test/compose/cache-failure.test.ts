import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/compose/store.ts';
import { loadConfig } from '../../src/config/load.ts';
import { startRedis, type TestRedis } from '../redis.ts';

let valkey: TestRedis;
beforeAll(async () => {
  valkey = await startRedis();
});
afterAll(() => valkey.close());

describe('the cache of package records', () => {
  it('is left out with a warning, not more than one a minute, when Redis fails', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const store = await openStore(loadConfig({ environment: { REDIS_URL: valkey.url } }), log);
    store.redis.disconnect();
    for (let round = 0; round < 3; round += 1) {
      expect(await store.cache.getMany('version', ['a', 'b'])).toEqual([undefined, undefined]);
    }
    const warnings = lines.filter((line) => line.includes('the cache of package records'));
    expect(warnings).toHaveLength(1);
    expect(JSON.parse(warnings[0] ?? '')).toMatchObject({
      level: expect.anything(),
      error: expect.any(String),
    });
    await store.close();
  });
});
