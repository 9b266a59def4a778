import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startRedis } from '../redis.ts';
import { runWorkerUntilReady } from './worker-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'worker-'));
afterAll(() => rmSync(folder, { recursive: true }));

const worker = (args: readonly string[], environment?: Record<string, string>) =>
  runWorkerUntilReady(folder, args, environment);

describe('lockhound worker', () => {
  it('refuses to start without Redis, with the reason and the remedy', async () => {
    const { code, output } = await worker([]);
    expect(code).toBe(2);
    expect(output).toMatch(
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
    const { code, output } = await worker(['--ephemeral'], { REDIS_URL: 'redis://127.0.0.1:1' });
    expect(code).toBe(2);
    expect(output).toContain('is set: remove one of them');
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
