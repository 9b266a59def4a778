import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { bareEnvironment } from '../bare-environment.ts';
import { freePort, HAS_REDIS, type NativeRedis, startNativeRedis } from '../native-redis.ts';
import { MAIN } from '../prepare.ts';
import { until } from '../until.ts';
import { lockhound } from './lockhound.ts';

let redis: NativeRedis | undefined;
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await redis?.close();
  redis = undefined;
  vi.unstubAllEnvs();
});

/** Starts a command that runs until it is stopped. */
function start(command: string, environment: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [MAIN, command], {
    env: { ...bareEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  ends.push(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    output: () => text,
    ended,
    stop: async () => {
      child.kill('SIGTERM');
      return await ended;
    },
  };
}

const at = async (port: number, path: string) => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
  return [answer?.status, await answer?.text()] as const;
};

const COMMANDS = [
  ['worker', 'LOCKHOUND_WORKER_HEALTH_PORT', 'worker ready'],
  ['serve', 'LOCKHOUND_SERVE_HEALTH_PORT', 'serving the API'],
] as const;

describe.skipIf(!HAS_REDIS)('without Redis at its start (skipped without redis-server)', () => {
  it('a worker ends by a signal while a server that takes no writes keeps it from starting', async () => {
    redis = await startNativeRedis('--replicaof', '127.0.0.1 1');
    const process = start('worker', { REDIS_URL: redis.url });
    const written = async () =>
      String(await redis?.call('INFO', 'errorstats')).includes('errorstat_READONLY');
    await until('it has tried to write', written);
    expect(await process.stop()).toBe(0);
  });

  it.each(COMMANDS)('%s waits visibly, and works when Redis comes', async (...row) => {
    const [command, variable, ready] = row;
    redis = await startNativeRedis('--appendonly', 'yes');
    await redis.kill();
    const port = await freePort();
    const process = start(command, {
      REDIS_URL: redis.url,
      [variable]: String(port),
      LOCKHOUND_SERVE_PORT: '0',
    });
    await until('it says that it runs', async () => (await at(port, '/healthz'))[0] === 200);
    expect((await at(port, '/readyz'))[0]).toBe(503);
    expect((await at(port, '/metrics'))[1]).toMatch(/^lockhound_redis_up 0$/m);
    // Longer than the time limit of commands.
    await until('it says that it waits', () => process.output().includes('waiting for Redis'));
    expect((await at(port, '/readyz'))[1]).toContain(`127.0.0.1:${redis.port}`);
    await redis.start();
    await until('it works', () => process.output().includes(ready));
    await until('Redis is up', async () =>
      /^lockhound_redis_up 1$/m.test((await at(port, '/metrics'))[1] ?? ''),
    );
    await until('it is ready', async () => (await at(port, '/readyz'))[0] === 200);
    expect(await process.stop()).toBe(0);
  });

  it('worker stops while it waits', async () => {
    const port = await freePort();
    const process = start('worker', {
      REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
      LOCKHOUND_WORKER_HEALTH_PORT: String(port),
    });
    await until('it says that it runs', async () => (await at(port, '/healthz'))[0] === 200);
    expect(await process.stop()).toBe(0);
    expect(process.output()).not.toMatch(/^ +at /m);
  });

  it('serve stops while it waits', async () => {
    const port = await freePort();
    vi.stubEnv('REDIS_URL', `redis://127.0.0.1:${await freePort()}`);
    vi.stubEnv('LOCKHOUND_SERVE_HEALTH_PORT', String(port));
    const others = new Set(process.listeners('SIGTERM'));
    const running = lockhound(['serve']);
    await until('it says that it runs', async () => (await at(port, '/healthz'))[0] === 200);
    for (const stop of process.listeners('SIGTERM')) if (!others.has(stop)) stop('SIGTERM');
    const { code, out, note } = await running;
    expect([code, out, note]).toEqual([0, '', expect.not.stringMatching(/^ +at /m)]);
    expect(await at(port, '/healthz')).toEqual([undefined, undefined]);
  });

  it('a process does not wait for a password to become right', async () => {
    redis = await startNativeRedis();
    await redis.call('CONFIG', 'SET', 'requirepass', 'right');
    vi.stubEnv('REDIS_URL', `redis://:wrong@127.0.0.1:${redis.port}`);
    const { code, note } = await lockhound(['worker']);
    expect([code, note]).toEqual([2, expect.stringContaining('refused the credentials')]);
  });
});
