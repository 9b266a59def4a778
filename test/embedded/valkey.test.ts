import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedError } from '../../src/embedded/errors.ts';
import { type EmbeddedValkey, startValkey } from '../../src/embedded/valkey.ts';

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

  it('listens on a loopback port and hands its log to the caller', () => {
    expect(valkey.url).toMatch(/^redis:\/\/127\.0\.0\.1:\d+$/);
    expect(lines.join('\n')).toContain('Ready to accept connections');
  });

  it('answers at once, not at the next timer tick', async () => {
    const started = performance.now();
    for (let i = 0; i < 200; i++) expect(await redis.ping()).toBe('PONG');
    // Unmended, each of them waits for a tick of 100 ms: 20 s.
    expect(performance.now() - started).toBeLessThan(4_000);
  });

  it('knows the time and lets keys expire', async () => {
    const [seconds] = await redis.time();
    expect(Math.abs(Number(seconds) - Date.now() / 1000)).toBeLessThan(3);
    await redis.set('short-lived', 'yes', 'PX', 300);
    const left = await redis.pttl('short-lived');
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(300);
    await delay(400);
    expect(await redis.get('short-lived')).toBeNull();
  });

  it('runs Lua and survives its errors', async () => {
    expect(await redis.eval("return redis.call('INCRBY', KEYS[1], ARGV[1])", 1, 'counter', 5)).toBe(5);
    await expect(redis.eval("return error('on purpose')", 0)).rejects.toThrow('on purpose');
    expect(await redis.ping()).toBe('PONG');
  });

  it('wakes a blocked reader when something is pushed, and when its time is over', async () => {
    const blocked = redis.duplicate();
    const waiting = blocked.blpop('list', 10);
    await delay(50);
    const pushed = performance.now();
    await redis.rpush('list', 'item');
    expect(await waiting).toEqual(['list', 'item']);
    expect(performance.now() - pushed).toBeLessThan(1_000);
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

describe('the end of the embedded Valkey', () => {
  it('is waited for by close, which may be called again', async () => {
    const valkey = await startValkey();
    await valkey.close();
    await valkey.close();
    expect(isAlive(valkey.pid)).toBe(false);
  });

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

  it('comes with the end of its parent, even by SIGKILL', async () => {
    const parent = spawn(process.execPath, [fileURLToPath(new URL('valkey-parent.ts', import.meta.url))], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(createInterface({ input: parent.stdout }), 'line');
    const pid = Number(line);
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    for (let i = 0; i < 100 && isAlive(pid); i++) await delay(50);
    expect(isAlive(pid)).toBe(false);
  });

  it('does not come with a Ctrl-C that its parent outlives', async () => {
    const valkey = await startValkey();
    process.kill(valkey.pid, 'SIGINT');
    await delay(100);
    const redis = new Redis(valkey.url);
    expect(await redis.ping()).toBe('PONG');
    redis.disconnect();
    await valkey.close();
  });
});

/** False for a process that is gone or only waits to be reaped. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
