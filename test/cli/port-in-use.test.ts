import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startRedis, type TestRedis } from '../redis.ts';
import { lockhound } from './lockhound.ts';

let taken: Server;
let port: string;
let valkey: TestRedis;

beforeAll(async () => {
  valkey = await startRedis();
  vi.stubEnv('REDIS_URL', valkey.url);
  vi.stubEnv('LOCKHOUND_LOG_LEVEL', 'silent');
  taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  port = String((taken.address() as { port: number }).port);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  taken.close();
  await valkey.close();
});

describe('a port that another process uses', () => {
  it.each([
    ['serve', ['serve', '--host', '127.0.0.1', '--port']],
    ['demo --serve, before its first step', ['demo', '--serve', '--port']],
    ['services', ['services', '--insights-port']],
  ])('is an error without a stack: %s', async (_, args) => {
    const { code, out, note } = await lockhound([...args, port]);
    expect(code).toBe(2);
    expect(out).not.toContain('Started');
    expect(note).toMatch(
      /could not listen on 127\.0\.0\.1:\d+: .*EADDRINUSE.* Choose another port.*\[cannot-listen\]/,
    );
    expect(note).not.toMatch(/^\s+at /m);
  });
});
