import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Pipeline, startPipeline } from '../../src/compose/pipeline.ts';
import { openStore, type Store } from '../../src/compose/store.ts';
import { loadConfig } from '../../src/config/load.ts';
import { startInsightsService } from '../../src/embedded/insights/service.ts';
import { SOUND } from '../pipeline/fixtures.ts';
import { startRedis, type TestRedis } from '../redis.ts';
import { digestOf, layoutOf, tarOf } from '../sources/image/image-room.ts';
import { lockhound } from './lockhound.ts';

const folder = mkdtempSync(join(tmpdir(), 'enqueue-image-'));
const lockfile = join(folder, 'package-lock.json');
const log = pino({ level: 'silent' });
const [NODE, ALPINE, OWN] = [digestOf('node'), digestOf('alpine'), digestOf('own')];
const images = [
  { chainId: NODE, repositories: ['library/node', 'acme/node'] },
  { chainId: ALPINE, repositories: ['library/alpine'] },
];
let valkey: TestRedis;
let insights: Awaited<ReturnType<typeof startInsightsService>>;
let store: Store;
let pipeline: Pipeline;

beforeAll(async () => {
  writeFileSync(lockfile, SOUND);
  valkey = await startRedis();
  insights = await startInsightsService({ data: { packages: [], advisories: [], images } });
  vi.stubEnv('REDIS_URL', valkey.url);
  vi.stubEnv('LOCKHOUND_INSIGHTS_URL', insights.url);
  vi.stubEnv('LOCKHOUND_LOG_LEVEL', 'silent');
  const loaded = loadConfig({
    environment: { REDIS_URL: valkey.url, LOCKHOUND_INSIGHTS_URL: insights.url },
  });
  store = await openStore(loaded, log);
  pipeline = await startPipeline(loaded, store, { log });
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await pipeline.close(0);
  await store.close();
  await insights.close();
  await valkey.close();
  rmSync(folder, { recursive: true });
});

function imageOn(...layers: readonly string[]): string {
  const file = join(folder, `${layers[0]?.slice(7, 17)}.tar`);
  writeFileSync(file, tarOf(layoutOf([{ layers }])));
  return file;
}

const enqueue = (...args: readonly string[]) => lockhound(['enqueue', '--wait', ...args]);
const titles = (json: string) =>
  JSON.parse(json)
    .findings.filter((one: { rule: string }) => one.rule === 'base-image')
    .map((one: { rule: string; title: string }) => [one.rule, one.title]);

describe('lockhound enqueue --image', () => {
  it('finds the base, and each change of it, for an image alone and with lockfiles', async () => {
    const first = await enqueue('--image', imageOn(NODE, OWN), '-t', 'shop');
    expect(first.note).toMatch(/^Enqueued scan \S+ of shop: image shop:1\.0\n$/);
    expect(first.out).toContain(
      'Image shop:1.0 (linux/amd64): built on acme/node, library/node, with 1 layer above it.',
    );
    expect(first.code).toBe(0);

    const both = await enqueue(lockfile, '--image', imageOn(ALPINE, OWN), '-t', 'shop', '--json');
    const report = JSON.parse(both.out);
    expect(report).toMatchObject({
      image: { reference: 'shop:1.0', layers: 2, base: { layers: 1, repositories: ['library/alpine'] } },
      counts: { lockfiles: 1, packages: 1 },
    });
    expect(titles(both.out)).toEqual([['base-image', 'Built on library/alpine, and before on library/node']]);

    // The same lockfiles are not judged again, and the image is.
    const repeated = await enqueue(lockfile, '--image', imageOn(OWN), '-t', 'shop', '--json');
    expect(titles(repeated.out)).toEqual([
      ['base-image', 'Built on no public image that the index has, and before on library/alpine'],
    ]);
    const shown = await lockhound(['targets', 'get', 'shop']);
    expect(shown.out).toMatch(/^ *base +no public image has its layers$/m);
    const { out } = await lockhound(['findings', '--target', 'shop', '--json', '--notes']);
    expect(out).toContain('Built on no public image that the index has');
  });

  it('refuses what is neither, and an option without its image', async () => {
    expect(await lockhound(['enqueue', '-t', 'shop'])).toMatchObject({
      code: 2,
      note: expect.stringContaining('name lockfiles or folders, or an image (--image)'),
    });
    expect(await lockhound(['enqueue', lockfile, '-t', 'shop', '--platform', 'linux/arm64'])).toMatchObject({
      code: 2,
      note: expect.stringContaining('--platform needs --image'),
    });
    expect(await lockhound(['enqueue', '-t', 'shop', '--image', lockfile])).toMatchObject({
      code: 2,
      note: expect.stringContaining('no OCI layout and no archive of an image'),
    });
  });
});

describe('lockhound scan --image', () => {
  const scan = (...args: readonly string[]) => lockhound(['scan', '--no-cache', ...args]);

  it('says what the image is built on in every report, and what changed since a baseline', async () => {
    const file = (name: string) => join(folder, name);
    const reports = ['json', 'ndjson', 'markdown', 'html', 'sarif'].flatMap((format) => [
      '--report',
      `${format}=${file(`report.${format}`)}`,
    ]);
    const first = await scan('--image', imageOn(NODE, OWN), ...reports);
    expect([first.code, first.out]).toEqual([0, expect.stringContaining('built on acme/node, library/node')]);
    const { readFileSync } = await import('node:fs');
    for (const format of ['json', 'ndjson', 'markdown', 'html']) {
      expect(readFileSync(file(`report.${format}`), 'utf8'), format).toContain('acme/node');
    }
    const next = await scan('--image', imageOn(OWN), '--baseline', file('report.json'), '--json');
    expect(titles(next.out)).toEqual([
      ['base-image', 'Built on no public image that the index has, and before on library/node'],
    ]);
    const sarif = await scan('--image', imageOn(OWN), '--baseline', file('report.json'), '--format', 'sarif');
    expect(sarif.out).toContain('base-image');
    // The finding stays when that report is the next baseline.
    writeFileSync(file('next.json'), next.out);
    const again = await scan('--image', imageOn(OWN), '--baseline', file('next.json'), '--json');
    expect(titles(again.out)).toHaveLength(1);
    expect(JSON.parse(again.out).changes).toEqual([]);
  });

  it('is an error when nothing can be looked up', async () => {
    vi.stubEnv('LOCKHOUND_INSIGHTS_URL', 'http://127.0.0.1:9');
    const { code, note } = await scan('--image', imageOn(NODE, OWN));
    vi.stubEnv('LOCKHOUND_INSIGHTS_URL', insights.url);
    expect([code, note]).toEqual([2, expect.stringContaining('the base of shop:1.0')]);
  });
});
