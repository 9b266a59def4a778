import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { startRedis } from '../redis.ts';
import { lockhound } from './lockhound.ts';
import { runWorkerUntilReady } from './worker-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'worker-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

const worker = (args: readonly string[], environment?: Record<string, string>) =>
  runWorkerUntilReady(folder, args, environment);

describe('lockhound worker', () => {
  it('refuses to start without Redis, with the reason and the remedy', async () => {
    vi.stubEnv('REDIS_URL', undefined);
    const { code, out, note } = await lockhound(['worker']);
    expect([code, out]).toEqual([2, '']);
    expect(note).toMatch(
      /^error: redis\.url is not set\. .* would send every alert again after a restart\..*--ephemeral.*\n$/,
    );
  });

  it('runs without Redis with --ephemeral', async () => {
    const { code, output } = await worker(['--ephemeral']);
    expect(output).toContain('its data ends with this process');
    expect(output).toContain('worker stopped');
    expect(code).toBe(0);
  });

  it('does not run without Redis where one is configured', async () => {
    vi.stubEnv('REDIS_URL', 'redis://127.0.0.1:1');
    const { code, note } = await lockhound(['worker', '--ephemeral']);
    expect(code).toBe(2);
    expect(note).toContain('is set: remove one of them');
  });

  it('closes everything when it cannot start', async () => {
    const valkey = await startRedis();
    const platform = '{ url: "http://127.0.0.1:1", apiKey: { env: NO_A }, applicationKey: { env: NO_B } }';
    writeFileSync(
      join(folder, 'a.yaml'),
      `notify: { platform: ${platform}, webhook: { url: "https://a.example" } }\n`,
    );
    const { code, output } = await worker(['--config', 'a.yaml'], { REDIS_URL: valkey.url });
    await valkey.close();
    expect(code).toBe(2);
    expect(output).toMatch(/environment variable NO_[AB] is not set \[secret-unavailable\]/);
  });
});
