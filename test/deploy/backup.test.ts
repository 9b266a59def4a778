import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scanIdOf } from '../../src/model/scan/scan-id.ts';
import { createProducer } from '../../src/producer.ts';
import { HAS_REDIS, type NativeRedis, startNativeRedis } from '../native-redis.ts';
import { LOCKFILE, SOUND } from '../pipeline/fixtures.ts';
import { createWorld, type World } from '../pipeline/world.ts';

const run = promisify(execFile);
const DOCS = join(import.meta.dirname, '..', '..', 'docs');
const DEPLOY = join(import.meta.dirname, '..', '..', 'deploy');

/** The steps of docs/operating.md, "Backup and restore". */
describe.skipIf(!HAS_REDIS)('a backup of Redis (skipped without redis-server)', () => {
  let world: World;
  let redis: NativeRedis;
  let folder: string;
  let restored: NativeRedis | undefined;
  beforeAll(async () => {
    redis = await startNativeRedis();
    world = await createWorld(redis);
    folder = await mkdtemp(join(tmpdir(), 'backup-'));
  });
  afterAll(async () => {
    await world.close();
    await restored?.close();
    await rm(folder, { recursive: true });
  });

  it('is taken while workers run, and a worker on the restored Redis goes on without repeating an alert', async () => {
    const room = await world.room('backup', [], { platform: false });
    // The users of docs/redis.md and docs/operating.md, with the prefix of this test.
    const documented = async (page: string, name: string): Promise<readonly string[]> => {
      const text = await readFile(join(DOCS, page), 'utf8');
      const rule = new RegExp(`ACL SETUSER (${name} [^\n\`]+)`).exec(text)?.[1] ?? '';
      return rule.replaceAll('lockhound*', 'backup*').replaceAll('lockhound:*', 'backup:*').split(' ');
    };
    const { call } = redis;
    await call('ACL', 'SETUSER', ...(await documented('redis.md', 'lockhound')));
    await call('ACL', 'SETUSER', ...(await documented('operating.md', 'backup')));
    const worker = room.work({ REDIS_URL: redis.url.replace('//', '//lockhound:password@') });
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
    const back = (user: string) =>
      run('redis-cli', ['-p', String(redis.port), '--user', user, '--no-auth-warning', '--rdb', file], {
        env: { ...process.env, REDISCLI_AUTH: 'password' },
      });
    await expect(back('lockhound')).rejects.toThrow('NOPERM');
    await back('backup');
    await worker.stop();

    // Its settings are arguments, as in a container: it has no file for `CONFIG REWRITE`.
    restored = await startNativeRedis('--appendonly', 'yes', '--appendfsync', 'always');
    await restored.call('SET', 'of-before', '1');
    await restored.kill();
    const restore = (input: Buffer) =>
      spawnSync('sh', [join(DEPLOY, 'restore.sh')], { cwd: restored?.folder, input });
    const backup = await readFile(file);
    for (const damaged of [Buffer.from('no backup'), backup.subarray(0, -100)])
      expect(restore(damaged).status).toBe(1);
    expect(await readdir(restored.folder)).toEqual(['appendonlydir']);
    // `--rdb -`, as in a container.
    const piped = spawnSync('redis-cli', ['-p', String(redis.port), '--rdb', '-'], { maxBuffer: 1e9 }).stdout;
    for (const one of [piped, backup]) {
      expect(restore(one).status).toBe(0);
      await restored.start();
      expect(await restored.call('DBSIZE')).toBeGreaterThan(0);
      await restored.kill();
    }
    await restored.start();
    expect(await restored.call('GET', 'of-before')).toBeNull();
    // What is written now is there after another start.
    await restored.call('SET', 'of-after', '1');
    await restored.kill();
    await restored.start();
    expect(await restored.call('GET', 'of-after')).toBe('1');

    const later = room.work({ REDIS_URL: restored.url });
    const producer = await createProducer({ redis: restored.url, prefix: '{backup}' });
    await producer.enqueue(request('two', LOCKFILE));
    await producer.enqueue(request('three', SOUND));
    // The same findings change nothing; those that are gone are resolved, once.
    await expect.poll(() => taken().length).toBe(2);
    const events = taken().map(({ body }) => JSON.parse(body));
    expect(events.map((event) => event.scan)).toEqual(['one', 'three'].map((id) => scanIdOf('shop', id)));
    expect(new Set(events[1].changes.map((change: { transition: string }) => change.transition))).toEqual(
      new Set(['resolved']),
    );
    await producer.close();
    await later.stop();
  });
});
