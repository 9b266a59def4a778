import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type InsightsService, startInsightsService } from '../../src/embedded/insights/service.ts';
import { LOCKFILE } from '../pipeline/fixtures.ts';
import { type RewritingProxy, startRewritingProxy, withField } from '../rewriting-proxy.ts';
import { lockhound } from './lockhound.ts';

const folder = mkdtempSync(join(tmpdir(), 'cli-baseline-loss-'));
const config = join(folder, 'lockhound.yaml');
const lockfile = join(folder, 'package-lock.json');
const baseline = join(folder, 'baseline.json');
let service: InsightsService;
let proxy: RewritingProxy;

beforeAll(async () => {
  service = await startInsightsService();
  proxy = await startRewritingProxy(service.url);
  writeFileSync(config, JSON.stringify({ insights: { url: proxy.url } }));
  writeFileSync(lockfile, LOCKFILE);
});
afterAll(async () => {
  await proxy.close();
  await service.close();
  rmSync(folder, { recursive: true });
});

interface Report {
  readonly findings: readonly { readonly rule: string; readonly package: { readonly name: string } }[];
  readonly comparison?: { readonly gone: readonly unknown[] };
  readonly gaps: readonly { readonly kind: string }[];
}

async function scan(...options: readonly string[]): Promise<Report> {
  const { out } = await lockhound([
    ...['scan', lockfile, '--target', 'one', '--config', config, '--no-cache', '--json'],
    ...options,
  ]);
  return JSON.parse(out) as Report;
}

const names = ({ findings }: Report) => findings.map(({ rule, package: { name } }) => `${rule} ${name}`);

it.each([
  ['advisory links', withField('advisoryKeys', [])],
  ['deprecations', withField('isDeprecated', false)],
])('a scan with a baseline does not believe an index that lost its %s', async (_what, loss) => {
  proxy.rewrite(undefined);
  const before = await scan();
  writeFileSync(baseline, JSON.stringify(before));
  proxy.rewrite(loss);
  const after = await scan('--baseline', baseline);
  expect(names(after)).toEqual(names(before));
  expect(new Set(after.gaps.map(({ kind }) => kind))).toEqual(
    new Set([...before.gaps.map(({ kind }) => kind), 'service']),
  );
});

it('a scan with a baseline believes that one advisory was withdrawn', async () => {
  proxy.rewrite(undefined);
  const before = await scan();
  writeFileSync(baseline, JSON.stringify(before));
  proxy.rewrite((answer) =>
    JSON.parse(JSON.stringify(answer), (_key, value) =>
      value?.versionKey?.name === 'minimist' ? { ...value, advisoryKeys: [] } : value,
    ),
  );
  const after = await scan('--baseline', baseline);
  expect(names(after)).toEqual(names(before).filter((one) => one !== 'vulnerability minimist'));
  expect(after.gaps).toEqual(before.gaps);
});
