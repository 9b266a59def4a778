import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isConfigured } from '../../src/config/is-configured.ts';
import { loadConfig } from '../../src/config/load.ts';
import { DEFAULT_LIMITS } from '../../src/lockfiles/read.ts';

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

  it('keeps the default limits of the schema', () => {
    const { maxBytes, maxPackages } = loadConfig({ environment: {} }).config.lockfiles;
    expect({ maxBytes, maxPackages }).toEqual(DEFAULT_LIMITS);
  });
});
