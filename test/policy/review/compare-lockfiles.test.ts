import { describe, expect, it } from 'vitest';
import type { LockedPackage } from '../../../src/model/lockfile/lockfile.ts';
import { compareLockfiles } from '../../../src/policy/review/compare-lockfiles.ts';
import { versionOrder } from '../../../src/versions/version-order.ts';

function locked(name: string, version: string, more: Partial<LockedPackage> = {}): LockedPackage {
  return {
    id: `${name}@${version}`,
    ecosystem: 'npm',
    name,
    version,
    purl: `pkg:npm/${name}@${version}`,
    direct: undefined,
    groups: [],
    integrity: [],
    source: { kind: 'registry' },
    line: undefined,
    dependencies: undefined,
    ...more,
  };
}

const sha = (algorithm: string, ...values: readonly string[]) =>
  values.map((value) => ({ algorithm, value, encoding: 'hex' as const }));
const from = (url: string) => ({ source: { kind: 'registry' as const, url } });

async function compare(before: readonly LockedPackage[], after: readonly LockedPackage[], digests = true) {
  const { changes, unchanged } = await compareLockfiles(before, after, { order: versionOrder, digests });
  const texts = changes.map(
    ({ name, aspects, before: old, after: now }) =>
      `${name} ${old?.version ?? '-'} ${now?.version ?? '-'} ${aspects.join('+')}`,
  );
  return { texts, unchanged };
}

describe('versions', () => {
  it('are paired by equality, then by release line, and the rest was added or removed', async () => {
    expect(
      await compare(
        [locked('a', '1.0.0'), locked('a', '2.0.0'), locked('b', '1.0.0'), locked('c', '1.0.0')],
        [locked('a', '1.5.0'), locked('a', '2.0.0'), locked('a', '3.0.0'), locked('c', '2.0.0')],
      ),
    ).toEqual({
      texts: ['a - 3.0.0 added', 'a 1.0.0 1.5.0 upgraded', 'c 1.0.0 2.0.0 upgraded', 'b 1.0.0 - removed'],
      unchanged: 1,
    });
  });

  it.each([
    ['npm', '1.10.0', '1.9.0', 'downgraded'],
    ['npm', '1.0.0-rc.1', '1.0.0', 'upgraded'],
    ['pypi', '1.0.post1', '1.0', 'downgraded'],
    ['gem', '1.0.0.pre', '1.0.0', 'upgraded'],
    ['golang', 'v1.9.0', 'v1.10.0', 'upgraded'],
    ['maven', '1.0-SNAPSHOT', '1.0', 'upgraded'],
    ['maven', '2.0', '2.0.1', 'upgraded'],
    ['nuget', '1.0.0.10', '1.0.0.9', 'downgraded'],
    ['maven', '42.2.25', '42.2.25.jre6', 'upgraded'],
    ['nuget', '1.0.0-BETA', '1.0.0-alpha', 'downgraded'],
    ['gem', '1.0.99999999999999999', '1.0.99999999999999998', 'downgraded'],
    ['composer', '1.0.9', '1.0.10', 'upgraded'],
    ['npm', 'latest', '1.0.0', 'changed'],
  ])('of %s from %s to %s are %s', async (ecosystem, old, now, aspect) => {
    const { texts } = await compare([locked('a', old, { ecosystem })], [locked('a', now, { ecosystem })]);
    expect(texts).toEqual([`a ${old} ${now} ${aspect}`]);
  });

  it('of names that the ecosystem treats as one are compared', async () => {
    const pypi = { ecosystem: 'pypi' };
    expect(
      await compare([locked('Zope.Interface', '5.0', pypi)], [locked('zope-interface', '5.0', pypi)]),
    ).toEqual({ texts: [], unchanged: 1 });
  });
});

describe('digests', () => {
  const one = (digests: LockedPackage['integrity'], more: Partial<LockedPackage> = {}) => [
    locked('a', '1.0.0', { integrity: digests, ...more }),
  ];

  it.each([
    ['another one', sha('sha512', 'aa'), sha('sha512', 'bb'), 'integrity'],
    ['one of several replaced', sha('sha256', 'aa', 'bb'), sha('sha256', 'aa', 'cc'), 'integrity'],
    ['none any more', sha('sha512', 'aa'), [], 'integrity-lost'],
    ['only of another algorithm', sha('sha512', 'aa'), sha('sha1', 'aa'), 'integrity-lost'],
  ])('%s', async (_what, before, after, aspect) => {
    expect((await compare(one(before), one(after))).texts).toEqual([`a 1.0.0 1.0.0 ${aspect}`]);
  });

  it.each([
    ['further files', sha('sha256', 'aa'), sha('sha256', 'aa', 'bb')],
    ['fewer files', sha('sha256', 'aa', 'bb'), sha('sha256', 'bb')],
    ['a further algorithm', sha('sha1', 'aa'), [...sha('sha1', 'aa'), ...sha('sha512', 'bb')]],
    ['one where there was none', [], sha('sha512', 'aa')],
    [
      'another encoding',
      sha('sha256', 'AAFF'),
      [{ algorithm: 'sha256', value: 'qv8=', encoding: 'base64' as const }],
    ],
  ])('are the same with %s', async (_what, before, after) => {
    expect(await compare(one(before), one(after))).toEqual({ texts: [], unchanged: 1 });
  });

  it('are not compared over versions, commits and different ways to compute them', async () => {
    const [old, now] = [sha('sha512', 'aa'), sha('sha512', 'bb')];
    const git = (commit: string) => ({
      source: { kind: 'git' as const, url: 'https://g.example/a', commit },
    });
    expect((await compare(one(old), [locked('a', '1.0.1', { integrity: now })])).texts).toEqual([
      'a 1.0.0 1.0.1 upgraded',
    ]);
    expect((await compare(one(old, git('1')), one(now, git('2')))).texts).toEqual(['a 1.0.0 1.0.0 changed']);
    expect((await compare(one(old), one(now), false)).texts).toEqual([]);
  });
});

describe('sources', () => {
  const npm = 'https://registry.yarnpkg.com';

  it.each([
    ['another server', `${npm}/a/-/a-1.0.0.tgz`, 'https://evil.example/a/-/a-1.0.0.tgz'],
    ['another package of the same server', `${npm}/a/-/a-1.0.0.tgz`, `${npm}/b/-/b-1.0.0.tgz`],
    ['no encryption any more', `${npm}/a/-/a-1.0.0.tgz`, 'http://registry.yarnpkg.com/a/-/a-1.0.0.tgz'],
  ])('moved: %s', async (_what, before, after) => {
    expect(
      (await compare([locked('a', '1.0.0', from(before))], [locked('a', '1.0.0', from(after))])).texts,
    ).toEqual(['a 1.0.0 1.0.0 moved']);
  });

  it('of an upgrade differ in the version only', async () => {
    const [before, same, other] = ['a/-/a-1.0.0.tgz', 'a/-/a-1.1.0.tgz', 'b/-/b-1.1.0.tgz'];
    const at = (version: string, path: string) => [locked('a', version, from(`${npm}/${path}`))];
    expect((await compare(at('1.0.0', before), at('1.1.0', same))).texts).toEqual(['a 1.0.0 1.1.0 upgraded']);
    expect((await compare(at('1.0.0', before), at('1.1.0', other))).texts).toEqual([
      'a 1.0.0 1.1.0 moved+upgraded',
    ]);
  });

  it('of the public npm registry are one under both of its host names', async () => {
    const official = ['https://registry', 'npmjs', 'org'].join('.');
    const at = (server: string, path: string) => [locked('a', '1.0.0', from(`${server}/a/-/${path}`))];
    expect((await compare(at(npm, 'a-1.0.0.tgz'), at(official, 'a-1.0.0.tgz'))).texts).toEqual([]);
    expect((await compare(at(npm, 'a-1.0.0.tgz'), at(official, 'b-1.0.0.tgz'))).texts).toEqual([
      'a 1.0.0 1.0.0 moved',
    ]);
    expect(
      (await compare(at(official, 'a-1.0.0.tgz'), at(`${official}.evil.example`, 'a-1.0.0.tgz'))).texts,
    ).toEqual(['a 1.0.0 1.0.0 moved']);
  });

  it('from a registry to git', async () => {
    const git = { id: 'a@1.0.0 (git)', source: { kind: 'git' as const, url: 'https://g.example/a' } };
    expect((await compare([locked('a', '1.0.0')], [locked('a', '1.0.0', git)])).texts).toEqual([
      'a 1.0.0 1.0.0 moved',
    ]);
  });
});

it('an install script is new for added packages and for those that had none', async () => {
  const script = { installScript: true };
  const { texts } = await compare(
    [locked('a', '1.0.0'), locked('b', '1.0.0', script)],
    [locked('a', '1.0.0', script), locked('b', '1.1.0', script), locked('c', '1.0.0', script)],
  );
  expect(texts).toEqual([
    'a 1.0.0 1.0.0 install-script',
    'c - 1.0.0 install-script+added',
    'b 1.0.0 1.1.0 upgraded',
  ]);
});
