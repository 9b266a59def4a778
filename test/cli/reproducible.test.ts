import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { REPORTS } from '../../src/report/catalog.ts';
import { LOCKFILE } from '../pipeline/fixtures.ts';
import { lockhound } from './lockhound.ts';

const folder = mkdtempSync(join(tmpdir(), 'reproducible-'));
const lockfile = join(folder, 'package-lock.json');
writeFileSync(lockfile, LOCKFILE);
const FORMATS = REPORTS.map(({ name }) => name);

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Every report of a scan at a time, by format. */
async function scanAt(time: string): Promise<Readonly<Record<string, string>>> {
  vi.setSystemTime(time);
  const fileOf = (format: string) => join(folder, `report.${format}`);
  const reports = FORMATS.flatMap((format) => ['--report', `${format}=${fileOf(format)}`]);
  const { code, note } = await lockhound(['scan', '--local', lockfile, '--quiet', ...reports]);
  expect({ code, note }).toEqual({ code: 1, note: '' });
  return Object.fromEntries(FORMATS.map((format) => [format, readFileSync(fileOf(format), 'utf8')]));
}

const MORNING = '2026-05-01T08:00:00.123Z';
const EVENING = '2026-05-01T20:30:10.456Z';

describe('reports of the same lockfile at two times', () => {
  it('have the same bytes with SOURCE_DATE_EPOCH, in every format', async () => {
    vi.stubEnv('SOURCE_DATE_EPOCH', '1700000000');
    const first = await scanAt(MORNING);
    expect(await scanAt(EVENING)).toEqual(first);
    expect(first['cyclonedx']).toContain('2023-11-14T22:13:20.000Z');
    expect(JSON.parse(first['json'] ?? '')).toMatchObject({ requestedAt: '2023-11-14T22:13:20.000Z' });
  });

  it('differ without it in the time and the id of the scan alone', async () => {
    const masked = (reports: Readonly<Record<string, string>>) =>
      Object.entries(reports).map(([format, text]) => [
        format,
        text
          .replaceAll(/2026-05-01[T ][\d:.]+(?:Z| UTC)/g, 'time')
          .replace(/"scan":"[-.\da-f]{36,}"/, '"scan":"id"'),
      ]);
    const [first, second] = [await scanAt(MORNING), await scanAt(EVENING)];
    expect(masked(second)).toEqual(masked(first));
    const same = FORMATS.filter((format) => first[format] === second[format]);
    expect(same).toEqual(['table', 'sarif', 'csv', 'markdown']);
  });

  it('of `sbom` have no time, or that of SOURCE_DATE_EPOCH', async () => {
    expect(JSON.parse((await lockhound(['sbom', lockfile])).out).metadata).not.toHaveProperty('timestamp');
    vi.stubEnv('SOURCE_DATE_EPOCH', '0');
    const { out } = await lockhound(['sbom', lockfile]);
    expect(JSON.parse(out).metadata.timestamp).toBe('1970-01-01T00:00:00.000Z');
  });

  it.each(['now', '-1', '1e9', '9999999999999'])('refuse another SOURCE_DATE_EPOCH: %s', async (text) => {
    vi.stubEnv('SOURCE_DATE_EPOCH', text);
    const { code, note } = await lockhound(['scan', '--local', lockfile]);
    expect(code).toBe(2);
    expect(note).toContain('SOURCE_DATE_EPOCH has to be a number of seconds since 1970');
  });
});
