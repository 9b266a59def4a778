import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.generated.ts';
import { isConfigured } from '../../src/config/is-configured.ts';
import { loadConfig } from '../../src/config/load.ts';
import { loadOrDefault } from '../../src/config/load-or-default.ts';
import { DEFAULT_LIMITS } from '../../src/lockfiles/read-as.ts';

const before = process.cwd();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'configured-'));
  process.chdir(folder);
});
afterEach(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true });
});

describe('isConfigured', () => {
  it.each([{}, { PATH: '/bin', NOT_LOCKHOUND_: '1' }])('is false with %j', (environment) => {
    expect(isConfigured(environment)).toBe(false);
  });

  it.each([
    { LOCKHOUND_LOCKFILES_MAX_BYTES: '5' },
    { LOCKHOUND_CONFIG: 'a.yaml' },
    { REDIS_URL: 'redis://a' },
  ])('is true with %j', (environment) => expect(isConfigured(environment)).toBe(true));

  it('keeps the defaults of the schema', async () => {
    const { config } = loadConfig({ environment: {} });
    const { maxBytes, maxPackages } = config.lockfiles;
    expect({ maxBytes, maxPackages }).toEqual(DEFAULT_LIMITS);
    expect(DEFAULTS).toEqual(config);
  });

  it('decides whether commands load the schema, with one result', async () => {
    expect(await loadOrDefault(undefined)).toEqual(loadConfig());
    writeFileSync('lockhound.yaml', 'insights: { concurrency: 3 }');
    expect((await loadOrDefault(undefined)).config.insights.concurrency).toBe(3);
    expect((await loadOrDefault('lockhound.yaml')).config.insights.concurrency).toBe(3);
    await expect(loadOrDefault('absent.yaml')).rejects.toThrow(/absent\.yaml/);
  });

  it.each<Readonly<Record<string, string>>>([
    { LOCKHOUND_INSIGHTS_SOURCES: 'osv' },
    { LOCKHOUND_INSIGHTS_SOURCES: 'api,osv', LOCKHOUND_DATA_FOLDER: '/data' },
    { LOCKHOUND_INSIGHTS_SOURCES: ' osv , api' },
    { LOCKHOUND_DATA_FOLDER: './data' },
    { LOCKHOUND_DATA_FOLDER: './data', LOCKHOUND_LOG_LEVEL: 'debug' },
  ])('reads %j as the schema does', async (environment) => {
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    expect(await loadOrDefault(undefined)).toEqual(loadConfig());
    vi.unstubAllEnvs();
  });

  it.each([
    'insights: { sources: [osv] }\ndata: { folder: "/a b/c" }\n',
    'data:\r\n  folder: ./data\r\n\r\n# both\r\ninsights:\r\n    sources: [api, osv]',
    'insights: { sources: [api,osv] }',
    'data: { folder: "x" }',
    '# nothing\n',
    '',
    // These are left to the schema.
    'insights: { sources: [osv], concurrency: 3 }',
    'insights:\n  sources: [osv]\n  concurrency: 3\ndata:\n  folder: /a\n  kev: { every: 1h }',
    'insights:\n  sources: [osv] # alone\n',
    'insights:\n  sources: [osv, api]\n',
    'insights:\n  sources:\n    - osv\n',
    'insights: { sources: [osv] }\nlog: { level: debug }',
    'data: { folder: "\\x41" }',
  ])('reads the file %j as the schema does', async (content) => {
    const file = join(folder, 'lockhound.yaml');
    writeFileSync(file, content);
    expect(await loadOrDefault(undefined)).toEqual(loadConfig());
    expect(await loadOrDefault(file)).toEqual(loadConfig({ file }));
    vi.stubEnv('LOCKHOUND_INSIGHTS_SOURCES', 'api');
    expect(await loadOrDefault(file)).toEqual(loadConfig({ file }));
    vi.unstubAllEnvs();
  });

  it.each([
    'insights: { sources: [osv] }\ninsights: { sources: [api] }',
    'data: { folder: 5 }',
    'data: { folder: .5 }',
    'insights: { sources: [] }',
    'insights: { sources: [o sv] }',
    'insights: { sources: [osv] ',
    'insights:\n\tsources: [osv]',
    'data:\n  folder: /a}: b: c',
  ])('refuses the file %j as the schema does', async (content) => {
    writeFileSync('lockhound.yaml', content);
    expect(() => loadConfig()).toThrow();
    await expect(loadOrDefault(undefined)).rejects.toThrow();
  });

  it('takes a link to a file that does not exist as no file', async () => {
    symlinkSync(join(folder, 'absent.yaml'), 'lockhound.yaml');
    expect(await loadOrDefault(undefined)).toEqual(loadConfig());
  });

  it.each(['LOCKHOUND_INSIGHTS_SOURCES', 'LOCKHOUND_DATA_FOLDER'])('refuses an empty %s', async (name) => {
    vi.stubEnv(name, '');
    await expect(loadOrDefault(undefined)).rejects.toMatchObject({ code: 'config-invalid' });
    vi.unstubAllEnvs();
  });
});
