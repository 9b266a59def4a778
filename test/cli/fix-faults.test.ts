import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type InsightsService, startInsightsService } from '../../src/embedded/insights/service.ts';
import { type RewritingProxy, startRewritingProxy, withField } from '../rewriting-proxy.ts';
import { lockhound } from './lockhound.ts';

const SHOP = 'examples/shop/package-lock.json';

const folder = mkdtempSync(join(tmpdir(), 'cli-fix-faults-'));
const config = join(folder, 'lockhound.yaml');
let service: InsightsService;
let proxy: RewritingProxy;

beforeAll(async () => {
  service = await startInsightsService();
  proxy = await startRewritingProxy(service.url);
  writeFileSync(config, JSON.stringify({ insights: { url: proxy.url } }));
});
beforeEach(() => {
  proxy.rewrite(undefined);
  proxy.respond(undefined);
});
afterAll(async () => {
  await proxy.close();
  await service.close();
  rmSync(folder, { recursive: true });
});

const fix = (...args: readonly string[]) => lockhound(['fix', '--config', config, ...args]);

/** Has requests for lists of versions refused with a status. */
function refusePackages(status: number): void {
  proxy.respond((incoming, outgoing) => {
    if (!/\/packages\/[^/]+$/.test(incoming.url ?? '')) return false;
    outgoing.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    return true;
  });
}

it('does not say of a package without an answer that no advisory affects it', async () => {
  const lockfile = join(folder, 'package-lock.json');
  const packages = {
    '': {},
    'node_modules/ms': { version: '2.1.2' },
    'node_modules/not-in-the-data': { version: '1.0.0' },
  };
  writeFileSync(lockfile, JSON.stringify({ lockfileVersion: 3, packages }));
  const { code, out } = await lockhound(['fix', '--local', lockfile]);
  expect(code).toBe(2);
  expect(out).toMatch(
    /^No advisory is known to affect 1 package, but the scan is incomplete; nothing is known of 1 other\.$/m,
  );
  expect(out).not.toContain('Nothing to fix');
});

it('counts findings without advice when lists of versions are answered with 404 or 500', async () => {
  const { findings } = JSON.parse((await fix('--json', SHOP)).out) as { findings: readonly unknown[] };
  for (const status of [404, 500]) {
    refusePackages(status);
    const { code, out } = await fix(SHOP);
    expect(code, String(status)).toBe(2);
    expect(out.replaceAll(/\n */g, ' '), String(status)).toContain(
      `0 changes clear 0 findings; 0 stay; ${findings.length} have no advice, because of the gaps in the advice.`,
    );
  }
});

it('gives a package that was not asked for the service as the reason, and no other package', async () => {
  refusePackages(500);
  const { unadvised } = JSON.parse((await fix('--json', SHOP)).out) as {
    unadvised: readonly { readonly id: string; readonly reason: string }[];
  };
  const foreign = unadvised.filter(
    ({ id, reason }) => !reason.includes(`/${id.slice(0, id.lastIndexOf('@'))}:`),
  );
  expect(foreign.length).toBeGreaterThan(20);
  for (const { reason } of foreign)
    expect(reason).toMatch(/^insights\.getPackage for NPM is out of service, so it was not asked \(/);
});

it('does not believe an index that states no advisories at all', async () => {
  proxy.rewrite(withField('advisoryKeys', []));
  const { code, out } = await fix(SHOP);
  expect(code).toBe(2);
  expect(out).toMatch(/^No advisory is known to affect 613 packages, but the scan is incomplete;/m);
  expect(out).not.toContain('Nothing to fix');
});

it('says so in a scan, and keeps none of its answers', async () => {
  const scan = () =>
    lockhound(['scan', SHOP, '--config', config, '--cache-dir', join(folder, 'cache'), '--json']);
  proxy.rewrite(withField('advisoryKeys', []));
  const blind = await scan();
  expect(blind.code).toBe(2);
  expect(JSON.parse(blind.out)).toMatchObject({
    complete: false,
    gaps: [
      {
        kind: 'service',
        reason: expect.stringContaining('the index states no advisory of lodash 4.17.20, '),
      },
    ],
  });
  proxy.rewrite(undefined);
  const { findings, gaps } = JSON.parse((await scan()).out) as Record<
    string,
    readonly { readonly rule: string }[]
  >;
  expect(gaps).toEqual([]);
  expect(findings?.filter(({ rule }) => rule === 'vulnerability').length).toBeGreaterThan(30);
});

it('asks for nothing again when the answers of a scan without advisories are cached', async () => {
  const { findings } = JSON.parse((await lockhound(['scan', '--local', '--json', SHOP])).out) as {
    findings: readonly { readonly package: { readonly name: string } }[];
  };
  const found = new Set(findings.map((finding) => `node_modules/${finding.package.name}`));
  const { packages } = JSON.parse(readFileSync(SHOP, 'utf8')) as { packages: Record<string, unknown> };
  const clean = Object.entries(packages).filter(
    ([path]) => path.lastIndexOf('node_modules/') === 0 && !found.has(path),
  );
  const lockfile = join(folder, 'package-lock.json');
  writeFileSync(
    lockfile,
    JSON.stringify({ lockfileVersion: 3, packages: { '': {}, ...Object.fromEntries(clean.slice(0, 30)) } }),
  );
  const options = ['--config', config, '--cache-dir', join(folder, 'clean'), '--json'];
  const scan = async () => {
    const before = proxy.requests();
    const { code, out } = await lockhound(['scan', lockfile, ...options]);
    return { code, gaps: (JSON.parse(out) as { gaps: unknown }).gaps, requests: proxy.requests() - before };
  };
  const first = await scan();
  expect(first).toMatchObject({ code: 0, gaps: [] });
  expect(first.requests).toBeGreaterThan(1);
  expect(await scan()).toEqual({ code: 0, gaps: [], requests: 0 });
});
