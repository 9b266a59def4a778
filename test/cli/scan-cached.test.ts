import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type InsightsService, startInsightsService } from '../../src/embedded/insights/service.ts';
import { LOCKFILE as FIXTURE } from '../pipeline/fixtures.ts';
import { lockhound } from './lockhound.ts';

/** All its versions are in the bundled data. */
const LOCKFILE = FIXTURE.replaceAll('0.5.5', '0.5.6');

const folder = mkdtempSync(join(tmpdir(), 'cli-cached-'));
const config = join(folder, 'lockhound.yaml');
const lockfile = join(folder, 'package-lock.json');
let service: InsightsService;
let cache: string;

beforeAll(async () => {
  service = await startInsightsService();
  writeFileSync(config, JSON.stringify({ insights: { url: service.url } }));
  writeFileSync(lockfile, LOCKFILE);
});
beforeEach(() => {
  cache = mkdtempSync(join(folder, 'cache-'));
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

/** Runs a scan; returns its result and the number of its requests. */
async function scan(...options: readonly string[]) {
  const count = () => [...service.stats().requests.values()].reduce((sum, requests) => sum + requests, 0);
  const before = count();
  const { code, out, note } = await lockhound(['scan', lockfile, '--config', config, ...options]);
  return { code, out, note, requests: count() - before };
}

const findings = (out: string) =>
  JSON.parse(out).findings.map(({ fingerprint }: { fingerprint: string }) => fingerprint);

describe('look-ups between runs', () => {
  it('answer the second scan without a request, with the same result', async () => {
    const first = await scan('--json', '--cache-dir', cache);
    const second = await scan('--json', '--cache-dir', cache);
    expect(first.requests).toBeGreaterThan(0);
    expect(second.requests).toBe(0);
    expect(second.code).toBe(first.code);
    expect(findings(second.out)).toEqual(findings(first.out));
    expect((await scan('--json', '--cache-dir', cache, '--no-cache')).requests).toBe(first.requests);
  });

  it('are not stored for a service on this machine, unless a folder is named', async () => {
    vi.stubEnv('XDG_CACHE_HOME', cache);
    await scan();
    expect(readdirSync(cache)).toEqual([]);
    vi.unstubAllEnvs();
  });

  it('are used alone offline, and their age is in every report', async () => {
    const online = await scan('--json', '--cache-dir', cache);
    const offline = await scan('--json', '--cache-dir', cache, '--offline');
    expect(offline.requests).toBe(0);
    expect(findings(offline.out)).toEqual(findings(online.out));
    const { oldest, newest } = JSON.parse(offline.out).offline;
    expect(Date.parse(oldest)).toBeLessThanOrEqual(Date.parse(newest));
    const text = await scan(
      '--cache-dir',
      cache,
      '--offline',
      '--report',
      `markdown=${join(folder, 'comment.md')}`,
    );
    expect(text.out).toContain(`Offline: nothing was requested. Its look-ups are from ${oldest}`);
  });

  it('that are missing offline leave their package open, and none at all is an error', async () => {
    await scan('--cache-dir', cache);
    const more = LOCKFILE.replace(
      '"node_modules/lodash"',
      '"node_modules/ms": {"version": "2.1.3"}, "node_modules/lodash"',
    );
    writeFileSync(lockfile, more);
    const { out, requests } = await scan('--json', '--cache-dir', cache, '--offline');
    writeFileSync(lockfile, LOCKFILE);
    expect(requests).toBe(0);
    expect(JSON.parse(out).gaps).toEqual([
      expect.objectContaining({ kind: 'package', reason: expect.stringContaining('it is not in the cache') }),
    ]);
    const empty = await scan('--cache-dir', join(cache, 'empty'), '--offline');
    expect(empty.code).toBe(2);
    expect(empty.note).toContain('no package is in the cache');
    expect(empty.note).toContain('LOCKHOUND_INSIGHTS_SOURCES=osv');
  });

  it('that cannot be stored are a warning', async () => {
    writeFileSync(join(cache, 'file'), '');
    const { code, note } = await scan('--cache-dir', join(cache, 'file'));
    expect(code).toBe(1);
    expect(note).toContain('warning: the look-ups are not cached');
  });
});
