import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sentinels } from '../../src/commands/doctor/redis-connection.ts';
import { redisUrls } from '../../src/compose/redis-connection.ts';
import { loadConfig } from '../../src/config/load.ts';
import { Secret } from '../../src/model/secret.ts';
import { formatAddresses, parseAddresses } from '../../src/store/redis/address.ts';
import { closeRedis, connectRedis } from '../../src/store/redis/connection.ts';
import { HAS_REDIS } from '../native-redis.ts';
import { MASTER, type NativeSentinel, startNativeSentinel } from '../native-sentinel.ts';

describe('the configuration of Sentinels', () => {
  const environment = (more: Readonly<Record<string, string>>) => ({
    LOCKHOUND_REDIS_SENTINELS: 'one:26380, rediss://two',
    LOCKHOUND_REDIS_MASTER: 'mymaster',
    ...more,
  });

  it('becomes addresses with credentials, which no message shows', () => {
    const loaded = loadConfig({
      environment: environment({
        LOCKHOUND_REDIS_USERNAME: 'us:er',
        LOCKHOUND_REDIS_PASSWORD: 'p@ss%',
        LOCKHOUND_REDIS_SENTINEL_PASSWORD: 'sentinel&pass',
      }),
    });
    expect(JSON.stringify(loaded.config)).not.toMatch(/p@ss|sentinel&pass/);
    const addresses = parseAddresses(redisUrls(loaded.config.redis.url ?? '', loaded.secrets));
    const credentials = { username: 'us:er', password: 'p@ss%' };
    const sentinel = { master: 'mymaster', password: 'sentinel&pass' };
    expect(addresses).toEqual([
      { host: 'one', port: 26_380, cluster: false, sentinel, options: credentials },
      {
        host: 'two',
        port: 26_379,
        cluster: false,
        sentinel,
        options: { ...credentials, tls: { rejectUnauthorized: true } },
      },
    ]);
    expect(formatAddresses(addresses)).toBe('one:26380, two:26379');
  });

  it('can be one URL for all Sentinels, for workers and for producers', () => {
    const url = 'redis+sentinel://user:p%40ss@one:26380,two/mymaster';
    const { config, secrets } = loadConfig({ environment: { REDIS_URL: url } });
    const all = parseAddresses(redisUrls(config.redis.url ?? '', secrets));
    expect(all).toEqual(parseAddresses(url));
    expect(
      all.map(({ host, port, sentinel, options }) => [host, port, sentinel?.master, options.password]),
    ).toEqual([
      ['one', 26_380, 'mymaster', 'p@ss'],
      ['two', 26_379, 'mymaster', 'p@ss'],
    ]);
    expect(JSON.stringify(config)).not.toContain('p%40ss');
    expect(() => loadConfig({ environment: { REDIS_URL: 'redis://[half' } })).toThrow(
      'redis.url: a `redis://`',
    );
  });

  it.each([
    [{ REDIS_URL: 'redis://other' }, 'exclude each other'],
    [{ LOCKHOUND_REDIS_MASTER: '' }, 'redis.master'],
    [{ LOCKHOUND_REDIS_SENTINELS: 'user:secret@host' }, 'host:port'],
  ])('is refused with %j', (more, message) => {
    expect(() => loadConfig({ environment: environment(more) })).toThrow(message);
  });

  it('needs the name of the primary', () => {
    expect(() => parseAddresses('redis+sentinel://host:26379')).toThrow('does not name the primary');
    expect(redisUrls('redis://host', { redisPassword: new Secret('a') })).toEqual(['redis://:a@host']);
  });
});

describe.skipIf(!HAS_REDIS)('with real Sentinels (skipped without redis-server)', () => {
  let sentinel: NativeSentinel;
  beforeAll(async () => {
    sentinel = await startNativeSentinel();
  });
  afterAll(() => sentinel?.close());

  it("a Sentinel's own URL as that of Redis is refused with what to do", async () => {
    await expect(connectRedis({ urls: `redis://127.0.0.1:${sentinel.port}` })).rejects.toMatchObject({
      code: 'address-invalid',
      message: expect.stringContaining('is a Sentinel, not a Redis: set redis.sentinels and redis.master'),
    });
  });

  it('a name that they do not monitor is an error in time', async () => {
    const urls = sentinel.url.replace(MASTER, 'unknown');
    await expect(connectRedis({ urls, timeoutMs: 1_000 })).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('lockhound doctor asks each Sentinel', async () => {
    const loaded = loadConfig({
      environment: {
        LOCKHOUND_REDIS_SENTINELS: `127.0.0.1:${sentinel.port},127.0.0.1:1`,
        LOCKHOUND_REDIS_MASTER: MASTER,
      },
    });
    const found = await sentinels.run({
      loaded,
      log: pino({ level: 'silent' }),
      signal: new AbortController().signal,
    });
    expect(found).toMatchObject([
      {
        verdict: 'fine',
        says: expect.stringMatching(/names 127\.0\.0\.1:\d+ as the primary: OK 1 usable Sentinels/),
      },
      { verdict: 'degraded', says: expect.stringContaining('127.0.0.1:1') },
    ]);
  });

  it('a failover under load loses nothing that the replica acknowledged, and queues go on', async () => {
    const changes: string[] = [];
    const redis = (await connectRedis({
      urls: sentinel.url,
      refused: 'wait',
      onChange: ({ kind }) => changes.push(kind),
    })) as Redis;
    const options = { connection: redis, prefix: '{failover}', skipVersionCheck: true };
    const queue = new Queue('work', options);
    const done = new Set<string>();
    const worker = new Worker('work', async (job) => void done.add(String(job.name)), options);
    queue.on('error', () => {});
    worker.on('error', () => {});
    const acknowledged: string[] = [];
    let sent = 0;
    const send = async (): Promise<void> => {
      const name = `job-${sent}`;
      sent += 1;
      await queue.add(name, {}, { jobId: name });
      await redis.set(`{failover}:${name}`, '1');
      if ((await redis.wait(1, 1_000)) >= 1) acknowledged.push(name);
    };
    while (acknowledged.length < 50) await send();
    await sentinel.primary.kill();
    const atFailover = [...acknowledged];
    // The next command waits for the promoted replica.
    await send();
    expect(String(await sentinel.replica.call('INFO', 'replication'))).toContain('role:master');
    const kept = await redis.mget(atFailover.map((name) => `{failover}:${name}`));
    expect(kept.filter((value) => value === null)).toEqual([]);
    await expect.poll(() => atFailover.filter((name) => !done.has(name))).toEqual([]);
    await expect.poll(() => done.has(`job-${sent - 1}`)).toBe(true);
    expect(changes.slice(0, 2)).toEqual(['lost', 'restored']);
    await Promise.all([worker.close(true), queue.close()]);
    await closeRedis(redis);
  });
});
