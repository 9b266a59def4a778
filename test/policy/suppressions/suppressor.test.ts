import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/model/scan/finding.ts';
import type { TargetSuppressionLimit } from '../../../src/model/scan/policy.ts';
import type { Suppression } from '../../../src/model/scan/suppression.ts';
import { createSuppressor } from '../../../src/policy/suppressions/suppressor.ts';

const TARGET = { id: 'org/shop', labels: { team: 'web' } };
const NOW = Date.parse('2026-11-22T00:00:00Z');

function findingOf(given: Partial<Finding> = {}): Finding {
  return {
    fingerprint: 'f',
    rule: 'vulnerability',
    level: 'alert',
    severity: 'high',
    title: 'About it',
    package: {
      ecosystem: 'npm',
      name: 'lodash',
      version: '4.17.20',
      purl: 'pkg:npm/lodash@4.17.20',
      direct: true,
      groups: [],
    },
    locations: [{ path: 'web/package-lock.json', dependencyPath: [] }],
    advisory: { id: 'GHSA-1', aliases: ['CVE-1'], title: 'About it', url: 'https://example.com' },
    ...given,
  };
}

function suppressionOf(scope: Partial<Suppression>): Suppression {
  return { id: 'one', source: 'configuration', reason: 'not reachable', ...scope };
}

async function suppress(
  scopes: readonly Partial<Suppression>[],
  finding: Finding = findingOf(),
  now = NOW,
  targetLimit: TargetSuppressionLimit = 'critical',
) {
  const list = scopes.map((scope, index) => suppressionOf({ id: String(index), ...scope }));
  const suppressor = await createSuppressor(list, TARGET, { now, targetLimit });
  const { suppressed } = suppressor.suppress(finding);
  return { suppressed, unused: suppressor.unused() };
}

const npm = (name: string, versions?: string) => ({
  package: { ecosystem: 'npm', name, ...(versions === undefined ? {} : { versions }) },
});

describe('the scope of a suppression', () => {
  it.each<[string, Partial<Suppression>]>([
    ['an advisory', { advisories: ['GHSA-1'] }],
    ['an alias of it', { advisories: ['CVE-9', 'cve-1'] }],
    ['a package', npm('lodash')],
    ['a package with a range', npm('lodash', '<4.17.21')],
    ['a package with a version', npm('lodash', '4.17.20')],
    ['packages with a wildcard', npm('lod*')],
    ['a rule', { rule: 'vulnerability', all: true }],
    ['a path', { path: 'web/*', all: true }],
    ['the target', { target: 'org/*', all: true }],
    ['a label of the target', { labels: { team: 'w*' }, all: true }],
    ['all of it', { ...npm('lodash', '^4'), advisories: ['CVE-1'], target: 'org/shop', path: '*' }],
  ])('fits %s', async (_, scope) => {
    expect(await suppress([scope])).toEqual({
      suppressed: { by: '0', source: 'configuration', reason: 'not reachable' },
      unused: [],
    });
  });

  it.each<[string, Partial<Suppression>]>([
    ['another advisory', { advisories: ['GHSA-2'] }],
    ['another package', npm('underscore')],
    ['a package of another ecosystem', { package: { ecosystem: 'pypi', name: 'lodash' } }],
    ['another range', npm('lodash', '>=4.17.21')],
    ['a range that is none', npm('lodash', '<=>4')],
    ['another rule', { rule: 'deprecated', all: true }],
    ['another path', { path: 'api/*', all: true }],
    ['one of two conditions', { ...npm('lodash'), advisories: ['GHSA-2'] }],
  ])('does not fit %s, which is reported', async (_, scope) => {
    const { suppressed, unused } = await suppress([scope]);
    expect(suppressed).toBeUndefined();
    expect(unused).toMatchObject([{ id: '0' }]);
  });

  it.each<[string, Partial<Suppression>]>([
    ['target', { target: 'org/other' }],
    ['label', { labels: { team: 'api' } }],
    ['label that it does not have', { labels: { constructor: '*' } }],
  ])('of another %s is not about this one', async (_, scope) => {
    expect(await suppress([scope])).toEqual({ suppressed: undefined, unused: [] });
  });

  it('compares names as the ecosystem does', async () => {
    const finding = findingOf();
    const python = findingOf({
      package: { ...finding.package, ecosystem: 'pypi', name: 'zope.interface' },
    });
    const scope = { package: { ecosystem: 'pypi', name: 'Zope_Interface' } };
    expect((await suppress([scope], python)).suppressed).toBeDefined();
  });

  it('has to cover every location', async () => {
    const locations = ['web', 'api'].map((folder) => ({
      path: `${folder}/package-lock.json`,
      dependencyPath: [],
    }));
    const finding = findingOf({ locations });
    const [web, api] = [
      { path: 'web/*', all: true },
      { path: 'api/*', all: true, expires: '2026-12-01T00:00:00Z' },
    ] as const;
    expect((await suppress([web], finding)).suppressed).toBeUndefined();
    const both = await suppress([web, api], finding);
    expect(both).toMatchObject({ suppressed: { by: '0', expires: '2026-12-01T00:00:00Z' }, unused: [] });
  });
});

describe('the end of a suppression', () => {
  const scope = { advisories: ['GHSA-1'], expires: '2026-11-22T00:00:00Z' };

  it('is exact', async () => {
    expect((await suppress([scope], findingOf(), NOW - 1)).suppressed).toBeDefined();
    const after = await suppress([scope]);
    expect(after.suppressed).toBeUndefined();
    expect(after.unused).toMatchObject([{ id: '0', reason: 'expired at 2026-11-22T00:00:00Z' }]);
  });

  it('is that of the one that lasts longest', async () => {
    const { suppressed } = await suppress([scope, npm('lodash')], findingOf(), NOW - 1);
    expect(suppressed).toEqual({ by: '1', source: 'configuration', reason: 'not reachable' });
  });
});

describe('what is not suppressed', () => {
  const malware = findingOf({
    severity: 'critical',
    advisory: { id: 'GHSA-1', aliases: ['MAL-2026-1'], title: 'Malware', url: 'https://example.com' },
  });

  it.each<[string, Partial<Suppression>]>([
    ['a package', npm('lodash')],
    ['a rule', { rule: 'vulnerability', all: true }],
    ['the target', { target: 'org/shop', all: true }],
    ['another name of the advisory', { advisories: ['GHSA-1'] }],
    ['its name and a range', { ...npm('lodash', '<5'), advisories: ['MAL-2026-1'] }],
  ])('malware by %s', async (_, scope) => {
    const { suppressed, unused } = await suppress([scope], malware);
    expect(suppressed).toBeUndefined();
    expect(unused).toMatchObject([{ reason: expect.stringContaining('only by name') }]);
  });

  it.each<[string, Partial<Suppression>]>([
    ['a target alone', { target: 'org/shop' }],
    ['a rule alone', { rule: 'vulnerability', source: 'command' }],
    ['a label and a path', { labels: { team: 'web' }, path: '*' }],
    ['a path of a target', { source: 'target', path: 'web/package-lock.json' }],
    ['all packages of an ecosystem', npm('*')],
  ])('anything by %s, which an earlier release stored', async (_, scope) => {
    const { suppressed, unused } = await suppress([scope]);
    expect(suppressed).toBeUndefined();
    expect(unused).toMatchObject([{ reason: expect.stringContaining('would hide every finding') }]);
  });

  it('malware by its name is', async () => {
    const scope = { ...npm('lodash', '4.17.20'), advisories: ['MAL-2026-1'] };
    expect((await suppress([scope], malware)).suppressed).toBeDefined();
  });

  it.each<[TargetSuppressionLimit, boolean, string]>([
    ['off', false, 'targets may not suppress'],
    ['medium', false, 'up to medium'],
    ['high', true, ''],
    ['critical', true, ''],
  ])('by a target: with the limit %s is %s', async (limit, allowed, reason) => {
    const scope = {
      source: 'target',
      path: 'web/package-lock.json',
      rule: 'vulnerability',
      all: true,
    } as const;
    const { suppressed, unused } = await suppress([scope], findingOf(), NOW, limit);
    expect(suppressed !== undefined).toBe(allowed);
    expect(unused).toMatchObject(allowed ? [] : [{ reason: expect.stringContaining(reason), isOwn: true }]);
    expect(
      (await suppress([{ rule: 'vulnerability', all: true }], findingOf(), NOW, limit)).suppressed,
    ).toBeDefined();
  });

  it('a lockfile whose path a target uses as a wildcard', async () => {
    const scope = {
      source: 'target',
      path: '*/package-lock.json',
      rule: 'vulnerability',
      all: true,
    } as const;
    expect((await suppress([scope])).suppressed).toBeUndefined();
  });

  it('a finding that was suppressed and no longer is', async () => {
    const suppressor = await createSuppressor([], TARGET, { now: NOW, targetLimit: 'critical' });
    const before = findingOf({ suppressed: { by: 'old', source: 'command', reason: 'why' } });
    expect(suppressor.suppress(before)).toEqual(findingOf());
  });
});

it('is found among many others', async () => {
  const others = Array.from({ length: 5_000 }, (_, index) => ({ advisories: [`GHSA-${index + 10}`] }));
  const { suppressed, unused } = await suppress([...others, { advisories: ['GHSA-1'] }]);
  expect(suppressed).toMatchObject({ by: '5000' });
  expect(unused).toHaveLength(5_000);
});
