import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startRedis, type TestRedis } from '../redis.ts';
import { lockhound } from './lockhound.ts';

const folder = mkdtempSync(join(tmpdir(), 'missing-secrets-'));
const lockfile = join(import.meta.dirname, '..', '..', 'examples', 'shop', 'package-lock.json');
const config = join(folder, 'lockhound.yaml');
let valkey: TestRedis;

beforeAll(async () => {
  valkey = await startRedis();
  vi.stubEnv('REDIS_URL', undefined);
  writeFileSync(
    config,
    `
redis: { url: "${valkey.url}" }
notify:
  platform: { url: "http://127.0.0.1:1", apiKey: { env: TOK_API }, applicationKey: { file: ${join(folder, 'app-key')} } }
  webhook: { url: "https://receiver.example/alerts", headers: { authorization: "Bearer $TOK" } }
  variables: { TOK: { secret: { env: TOK } } }
  signingSecret: { env: TOK_SIGNING }
`,
  );
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await valkey.close();
  rmSync(folder, { recursive: true });
});

describe('a configuration whose secrets are not set', () => {
  it.each([
    [['parse', lockfile]],
    [['enqueue', lockfile, '--target', 'a']],
    [['deliveries']],
    [['insights', 'package', 'npm', 'lodash', '--local']],
    [['scan', '--local', lockfile, '--fail-on', 'never']],
  ])('does not stop what uses none of them: %j', async (args) => {
    const { out, note } = await lockhound([...args, '--config', config]);
    expect(out).not.toBe('');
    expect(note).toBe('');
  });

  it('does not stop a call of an API that has no credentials', async () => {
    const { note } = await lockhound(['api', 'call', 'insights', 'insights.getPackage', ...TO_NOWHERE]);
    expect(note).not.toContain('TOK');
    expect(note).toContain('connect-failed');
  });

  it.each([
    [['api', 'call', 'webhooks', 'webhooks.definitions.get', 'one'], 'notify.platform.apiKey'],
    [['webhook', 'plan'], 'app-key: no such file'],
    [['worker'], 'app-key: no such file'],
  ])('stops what needs one, and names it: %j', async (args, message) => {
    const { code, note } = await lockhound([...args, '--config', config]);
    expect(code).toBe(2);
    expect(note).toContain(message);
    expect(note).toContain('[secret-unavailable]');
  });

  it('lists every missing secret in `config check`', async () => {
    const { code, out } = await lockhound(['config', 'check', '--config', config]);
    expect(code).toBe(2);
    expect(out).toContain('notify.platform.apiKey: environment variable TOK_API is not set');
    expect(out).toMatch(/notify\.platform\.applicationKey: .*app-key/);
    expect(out).toContain('notify.variables.TOK.secret: environment variable TOK is not set');
    expect(out).toContain('notify.signingSecret: environment variable TOK_SIGNING');
    const json = await lockhound(['config', 'check', '--json', '--config', config]);
    expect(json.code).toBe(2);
    expect(JSON.parse(json.out)).toMatchObject({ missingSecrets: { length: 4 } });
  });
});

const TO_NOWHERE = ['NPM', 'lodash', '--root-url', 'http://127.0.0.1:1', '--config', config];
