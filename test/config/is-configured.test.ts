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
  it.each([{}, { PATH: '/bin', NOT_LOCKHOUND_: '1' }])('is false with %j and no file', (environment) => {
    expect(isConfigured(environment)).toBe(false);
  });

  it.each([
    { LOCKHOUND_LOCKFILES_MAX_BYTES: '5' },
    { LOCKHOUND_CONFIG: 'a.yaml' },
    { REDIS_URL: 'redis://a' },
  ])('is true with %j', (environment) => expect(isConfigured(environment)).toBe(true));

  it('is true with a file, also with a link to a file that does not exist', () => {
    symlinkSync(join(folder, 'absent.yaml'), 'lockhound.yaml');
    expect(isConfigured({})).toBe(true);
    rmSync('lockhound.yaml');
    writeFileSync('lockhound.yaml', '');
    expect(isConfigured({})).toBe(true);
  });

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

  it.each(['LOCKHOUND_INSIGHTS_SOURCES', 'LOCKHOUND_DATA_FOLDER'])('refuses an empty %s', async (name) => {
    vi.stubEnv(name, '');
    await expect(loadOrDefault(undefined)).rejects.toMatchObject({ code: 'config-invalid' });
    vi.unstubAllEnvs();
  });
});
