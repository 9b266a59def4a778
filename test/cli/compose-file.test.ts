import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { runWorker } from '../../src/compose/worker.ts';
import { loadConfig } from '../../src/config/load.ts';
import { type LocalServices, startLocalServices } from '../../src/embedded/local-services.ts';
import { freePort, HAS_REDIS } from '../native-redis.ts';
import { lockhound } from './lockhound.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');
const { services } = parse(read('docker-compose.yml'));
const RUN = /^docker compose run --rm (\S+) (.+?)(?: {2,}#.*)?$/m;

const folder = mkdtempSync(join(tmpdir(), 'compose-file-'));
let redis: ChildProcess;
let local: LocalServices;
let stopWorker: (() => Promise<void>) | undefined;

beforeAll(async () => {
  if (!HAS_REDIS) return;
  const port = await freePort();
  const [, ...settings] = services.valkey.command as string[];
  redis = spawn('redis-server', [...settings, '--port', String(port), '--dir', folder], { stdio: 'ignore' });
  local = await startLocalServices({
    webhooks: { keys: [{ apiKey: 'local-api-key', applicationKey: 'local-application-key' }] },
  });
  const config = read('examples/lockhound.compose.yaml')
    .replace('http://services:8701', local.insights.url)
    .replace('http://services:8702', local.webhooks.url)
    .replace('http://services:8703', local.receiver.url)
    .replace('[services]', '[127.0.0.1]');
  const file = join(folder, 'lockhound.yaml');
  writeFileSync(file, `${config}log: { level: silent }\n`);
  vi.stubEnv('REDIS_URL', `redis://127.0.0.1:${port}`);
  vi.stubEnv('LOCKHOUND_CONFIG', file);
  const environment = { REDIS_URL: `redis://127.0.0.1:${port}`, ...secretsOf(services.worker.environment) };
  const { signal } = new AbortController();
  const worker = await runWorker(loadConfig({ file, environment }), { signal, ephemeral: false });
  stopWorker = worker.close;
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await stopWorker?.();
  await local?.close();
  // It would not end while it cannot write its file, whose folder is removed.
  redis?.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** The default values of secrets in the file: `${NAME:-value}`. */
function secretsOf(environment: Readonly<Record<string, string>>): Record<string, string> {
  const secrets = Object.entries(environment).filter(([name]) => name.startsWith('LOCKHOUND_SECRET_'));
  return Object.fromEntries(secrets.map(([name, text]) => [name, /:-(.*)\}$/.exec(text)?.[1] ?? text]));
}

describe('docker-compose.yml', () => {
  it('says how to enqueue the example, as the README does', () => {
    const [, service, args] = RUN.exec(read('README.md')) ?? [];
    expect(service).toBe('worker');
    expect(services.worker.environment.REDIS_URL).toBe('redis://valkey:6379');
    expect(read('docker-compose.yml')).toContain(`docker compose run --rm worker ${args}`);
  });

  it.skipIf(!HAS_REDIS)('has that line print the findings, and the receiver get one alert', async () => {
    const args = RUN.exec(read('README.md'))?.[2]?.split(' ') ?? [];
    const { code, out } = await lockhound(args);
    expect(code).toBe(1);
    expect(out).toMatch(/\d+ findings in \d+ packages/);
    await expect.poll(() => local.receiver.deliveries().length).toBe(1);
  });
});
