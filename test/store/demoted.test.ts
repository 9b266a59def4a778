import { Worker } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeys } from '../../src/store/keys.ts';
import { closeRedis, connectRedis } from '../../src/store/redis/connection.ts';
import { readServerSettings } from '../../src/store/redis/server-settings.ts';
import { createWriteProbe } from '../../src/store/redis/write-probe.ts';
import { HAS_REDIS, type NativeRedis, startNativeRedis } from '../native-redis.ts';
import { until } from '../until.ts';

describe.skipIf(!HAS_REDIS)('a primary that is demoted while connections are kept', () => {
  let server: NativeRedis;
  beforeAll(async () => {
    server = await startNativeRedis();
  });
  afterAll(() => server.close());
  const demote = () => server.call('REPLICAOF', '127.0.0.1', '1');
  const promote = () => server.call('REPLICAOF', 'NO', 'ONE');

  it('makes commands wait until writes are accepted, without many errors or connections', async () => {
    const changes: string[] = [];
    const redis = await connectRedis({
      urls: server.url,
      refused: 'wait',
      onChange: (change) => changes.push(change.kind === 'lost' ? change.error.message : change.kind),
    });
    const errors: string[] = [];
    const worker = new Worker('queue', async () => undefined, { connection: redis, prefix: '{demoted}' });
    worker.on('error', ({ message }) => errors.push(message));
    await worker.waitUntilReady();
    const probe = createWriteProbe(redis, createKeys('demoted'));
    expect(await probe(2_000)).toBeUndefined();
    const before = Number(
      /total_connections_received:(\d+)/.exec(String(await server.call('INFO', 'stats')))?.[1],
    );
    await demote();
    const written = redis.set('x', 'y');
    expect(await probe(300)).toMatch(/not answered within 300 ms/);
    await until('the refusal is reported', () => changes.length > 0);
    expect(changes[0]).toMatch(/accepts no writes; reconnecting \(READONLY/);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const after = Number(
      /total_connections_received:(\d+)/.exec(String(await server.call('INFO', 'stats')))?.[1],
    );
    expect(after - before).toBeLessThan(40);
    expect(errors.length).toBeLessThan(20);
    await promote();
    expect(await written).toBe('OK');
    expect(await probe(5_000)).toBeUndefined();
    await until('the recovery is reported', () => changes.includes('restored'));
    expect(changes).toHaveLength(2);
    await worker.close();
    await closeRedis(redis);
  });

  it('is an error for commands that do not wait; the next command uses a new connection', async () => {
    const redis = await connectRedis({ urls: server.url });
    await demote();
    await expect(redis.set('x', 'z')).rejects.toThrow('READONLY');
    await promote();
    expect(await redis.set('x', 'z')).toBe('OK');
    await closeRedis(redis);
  });
});

describe.skipIf(!HAS_REDIS)('the settings that Redis reports', () => {
  let server: NativeRedis;
  beforeAll(async () => {
    server = await startNativeRedis('--appendonly', 'no');
  });
  afterAll(() => server.close());
  const settings = async (user = '') => {
    const redis = await connectRedis({ urls: server.url.replace('://', `://${user}`) });
    try {
      return await readServerSettings(redis);
    } finally {
      await closeRedis(redis);
    }
  };

  it('are the eviction policy and persistence', async () => {
    expect(await settings()).toEqual({ evictionPolicy: 'noeviction', persistent: false });
    await server.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru', 'save', '3600 1');
    expect(await settings()).toEqual({ evictionPolicy: 'allkeys-lru', persistent: true });
    await server.call('CONFIG', 'SET', 'save', '', 'appendonly', 'yes');
    expect((await settings()).persistent).toBe(true);
  });

  it('are read without CONFIG where it is forbidden, and undefined where nothing reports them', async () => {
    await server.call('ACL', 'SETUSER', 'guest', 'on', '>pass', '~*', '&*', '+@all', '-config');
    await server.call('CONFIG', 'SET', 'maxmemory-policy', 'volatile-ttl', 'appendonly', 'no');
    expect(await settings('guest:pass@')).toEqual({ evictionPolicy: 'volatile-ttl' });
    await server.call('CONFIG', 'SET', 'appendonly', 'yes');
    expect(await settings('guest:pass@')).toEqual({ evictionPolicy: 'volatile-ttl', persistent: true });
    await server.call('ACL', 'SETUSER', 'guest', '-info');
    expect(await settings('guest:pass@')).toEqual({});
  });
});
