import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type InsightsService, startInsightsService } from '../../src/embedded/insights/service.ts';
import { chainOf, digestOf, layoutOf, tarOf } from '../sources/image/image-room.ts';
import { lockhound } from './lockhound.ts';

const [BASE, OWN, OTHER] = [digestOf('base'), digestOf('own'), digestOf('other')];
const REPOSITORIES = ['library/alpine', 'acme/alpine'];

let service: InsightsService;
let folder: string;
beforeAll(async () => {
  const images = [
    { chainId: BASE, repositories: REPOSITORIES },
    { chainId: chainOf(BASE, OWN), repositories: ['library/node'] },
  ];
  service = await startInsightsService({ data: { packages: [], advisories: [], images } });
  vi.stubEnv('LOCKHOUND_INSIGHTS_URL', service.url);
  folder = await mkdtemp(path.join(tmpdir(), 'base-image-'));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await service.close();
  await rm(folder, { recursive: true });
});

async function imageOf(...layers: readonly string[]): Promise<string> {
  const file = path.join(folder, `${layers.length}-${layers.at(-1)?.slice(7, 12)}.tar`);
  const history = layers.map((_, index) => ({ created_by: `RUN step ${index}` }));
  await writeFile(file, tarOf(layoutOf([{ layers, history }])));
  return file;
}

it('finds the public image with the most layers, and says what is above it', async () => {
  const { code, out } = await lockhound(['insights', 'base-image', await imageOf(BASE, OTHER)]);
  expect(code).toBe(0);
  expect(out).toMatch(
    /base\n {2}chain id +sha256:\w+\n {2}layers +1\n {2}repositories +acme\/alpine\n +library\/alpine\n/,
  );
  expect(out).toMatch(/reference +shop:1.0\n/);
  expect(out).toContain('RUN step 1');
  expect((await lockhound(['insights', 'base-image', await imageOf(BASE, OWN, OTHER)])).out).toContain(
    'library/node',
  );
  const none = await lockhound(['insights', 'base-image', await imageOf(OTHER)]);
  expect([none.code, none.out]).toEqual([
    1,
    expect.stringMatching(/^base +no public image has its layers\n/),
  ]);
});

it('says what changed since a baseline, and that a base is public no more', async () => {
  const baseline = path.join(folder, 'baseline.json');
  const first = await lockhound(['insights', 'base-image', await imageOf(BASE, OTHER), '--json']);
  await writeFile(baseline, first.out);
  const compared = async (...layers: readonly string[]) => {
    const { code, out } = await lockhound([
      'insights',
      'base-image',
      await imageOf(...layers),
      '--json',
      '--baseline',
      baseline,
    ]);
    return [code, JSON.parse(out).change?.kind];
  };
  expect(await compared(BASE, OTHER)).toEqual([0, undefined]);
  expect(await compared(BASE, OWN, OTHER)).toEqual([1, 'changed']);
  expect(await compared(OTHER)).toEqual([1, 'gone']);
  service.faults.inject({ kind: 'answer', status: 404, body: 'no results match query' }, { times: 10 });
  const blind = await lockhound(['insights', 'base-image', await imageOf(OTHER), '--baseline', baseline]);
  expect([blind.code, blind.note]).toEqual([
    2,
    expect.stringContaining('does not have the base that it had'),
  ]);
  service.faults.clear();
  await writeFile(baseline, '{}');
  const wrong = await lockhound(['insights', 'base-image', await imageOf(OTHER), '--baseline', baseline]);
  expect([wrong.code, wrong.note]).toEqual([2, expect.stringContaining('no result of')]);
});
