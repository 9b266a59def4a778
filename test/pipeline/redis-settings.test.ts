import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_REDIS, type NativeRedis, startNativeRedis } from '../native-redis.ts';
import { createWorld, type Room, type World } from './world.ts';

describe.skipIf(!HAS_REDIS)('a worker checks the settings of Redis', () => {
  let redis: NativeRedis;
  let world: World;
  let room: Room;
  beforeAll(async () => {
    redis = await startNativeRedis();
    world = await createWorld(redis);
    const config = ['worker: { healthPort: 0, recheck: { open: 1s } }'];
    room = await world.room('settings', [], { platform: false, config });
  });
  afterAll(() => world?.close());

  it('and refuses one that evicts keys and says what to set', async () => {
    await redis.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    const worker = room.startWorker();
    expect(await worker.ended).toBe(2);
    await redis.call('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    expect(worker.output()).toContain('maxmemory-policy allkeys-lru');
    expect(worker.output()).toContain('Set `maxmemory-policy noeviction`');
    expect(worker.output()).not.toMatch(/IMPORTANT!|^ {4}at /m);
  });

  it('and warns of one that does not write to disk, in its log and in /readyz', async () => {
    const worker = room.work();
    const url = async (): Promise<string> => /"health":"([^"]+)"/.exec(worker.output())?.[1] ?? '';
    await expect.poll(url).not.toBe('');
    expect(worker.output()).toContain('"level":"warn"');
    expect(worker.output()).toContain('Redis does not write to disk');
    const ready = async () => {
      const answer = await fetch(`${await url()}/readyz`);
      const { checks } = (await answer.json()) as {
        checks: { name: string; fault?: string; note?: string }[];
      };
      return { status: answer.status, ...checks.find(({ name }) => name === 'redis') };
    };
    await expect.poll(ready).toMatchObject({ note: expect.stringContaining('appendonly') });
    expect((await ready()).fault).toBeUndefined();
    // Connections are kept, and every write is refused.
    await redis.call('REPLICAOF', '127.0.0.1', '1');
    await expect.poll(ready).toMatchObject({ status: 503, fault: expect.stringMatching(/write|connection/) });
    await redis.call('REPLICAOF', 'NO', 'ONE');
    await expect.poll(async () => (await ready()).fault).toBeUndefined();
    const lines = worker.output().trimEnd().split('\n');
    expect(lines.filter((line) => !line.startsWith('{"level"'))).toEqual([]);
    expect(lines.filter((line) => line.includes('"level":"warn"')).length).toBeLessThan(50);
    await worker.stop();
  });
});
