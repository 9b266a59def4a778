import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProducer } from '../../src/producer.ts';
import { HAS_REDIS, type NativeRedis, startNativeRedis } from '../native-redis.ts';
import { LOCKFILE, SOUND } from '../pipeline/fixtures.ts';
import { createWorld, type World } from '../pipeline/world.ts';

const run = promisify(execFile);

/** The steps of docs/operating.md, "Backup and restore". */
describe.skipIf(!HAS_REDIS)('a backup of Redis (skipped without redis-server)', () => {
  let world: World;
  let folder: string;
  let restored: NativeRedis | undefined;
  beforeAll(async () => {
    world = await createWorld(await startNativeRedis());
    folder = await mkdtemp(join(tmpdir(), 'backup-'));
  });
  afterAll(async () => {
    await world.close();
    await restored?.close();
    await rm(folder, { recursive: true });
  });

  it('is taken while workers run, and a worker on the restored Redis goes on without repeating an alert', async () => {
    const room = await world.room('backup', [], { platform: false });
    const worker = room.startWorker();
    const scan = { target: { id: 'shop', labels: {} }, path: 'package-lock.json' };
    const request = (id: string, content: string) => ({
      scan: id,
      target: scan.target,
      lockfiles: [{ path: scan.path, content }],
    });
    await room.producer.enqueue(request('one', LOCKFILE));
    const first = await room.verdict('one');
    expect(first.changes.length).toBeGreaterThan(0);
    const taken = () => world.services.receiver.deliveries().filter(({ path }) => path === '/backup');
    await expect.poll(() => taken().length).toBe(1);
    await expect.poll(() => room.store.deliveries.list(['delivered'])).toHaveLength(1);
    const file = join(folder, 'backup.rdb');
    await run('redis-cli', ['-u', world.redisUrl, '--rdb', file]);
    await worker.kill('SIGTERM');

    restored = await startNativeRedis('--appendonly', 'no');
    await restored.kill();
    await copyFile(file, join(restored.folder, 'dump.rdb'));
    await restored.start();
    await restored.call('CONFIG', 'SET', 'appendonly', 'yes');

    const later = room.startWorker({ REDIS_URL: restored.url });
    const producer = await createProducer({ redis: restored.url, prefix: '{backup}' });
    await producer.enqueue(request('two', LOCKFILE));
    await producer.enqueue(request('three', SOUND));
    // The same findings change nothing; those that are gone are resolved, once.
    await expect.poll(() => taken().length).toBe(2);
    const events = taken().map(({ body }) => JSON.parse(body));
    expect(events.map((event) => event.scan)).toEqual(['one', 'three']);
    expect(new Set(events[1].changes.map((change: { transition: string }) => change.transition))).toEqual(
      new Set(['resolved']),
    );
    await producer.close();
    await later.kill('SIGTERM');
  });
});
