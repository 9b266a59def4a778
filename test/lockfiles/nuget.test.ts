import { describe, expect, it } from 'vitest';
import { byName, failureOf, readText } from './reading.ts';

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

describe('packages.lock.json', () => {
  const lock = {
    version: 2,
    dependencies: {
      'net8.0': {
        'A.Direct': {
          type: 'Direct',
          requested: '[1.0.0, )',
          resolved: '1.0.0',
          contentHash: 'AAA+/w==',
          dependencies: { 'b.transitive': '2.0.0' },
        },
        'B.Transitive': { type: 'Transitive', resolved: '2.0.0', dependencies: { 'C.Central': '3.0.0' } },
        'C.Central': { type: 'CentralTransitive', requested: '[3.0.0, )', resolved: '3.0.0' },
        'D.OfProject': { type: 'Transitive', resolved: '4.0.0' },
        'own.project': { type: 'Project', dependencies: { 'D.OfProject': '4.0.0', 'Other.Project': '1' } },
        'other.project': { type: 'Project', dependencies: { 'C.Central': '3.0.0' } },
        'E.UsesProject': { type: 'Transitive', resolved: '5.0.0', dependencies: { 'own.project': '1' } },
      },
      'net8.0/win-x64': {
        'F.Runtime': { type: 'Transitive', resolved: '6.0.0', dependencies: { 'C.Central': '3.0.0' } },
      },
      net48: { 'B.Transitive': { type: 'Direct', resolved: '2.0.0' } },
    },
  };

  it('gives what each framework locks, once', () => {
    const { packages, problems } = readText('packages.lock.json', json(lock));
    const found = byName(packages);
    expect(problems).toEqual([]);
    expect([...found.keys()].join(' ')).toBe(
      'A.Direct B.Transitive C.Central D.OfProject E.UsesProject F.Runtime',
    );
    expect(found.get('A.Direct')).toEqual({
      id: 'A.Direct@1.0.0',
      ecosystem: 'nuget',
      name: 'A.Direct',
      version: '1.0.0',
      purl: 'pkg:nuget/A.Direct@1.0.0',
      direct: true,
      groups: [],
      integrity: [{ algorithm: 'sha512', value: 'AAA+/w==', encoding: 'base64' }],
      source: { kind: 'registry' },
      line: 5,
      dependencies: ['B.Transitive@2.0.0'],
    });
    // A direct dependency of one framework.
    expect(found.get('B.Transitive')).toMatchObject({ direct: true, dependencies: ['C.Central@3.0.0'] });
    // Dependencies of the target's projects are direct.
    expect(found.get('D.OfProject')?.direct).toBe(true);
    expect(found.get('E.UsesProject')).toMatchObject({
      direct: false,
      dependencies: ['D.OfProject@4.0.0', 'C.Central@3.0.0'],
    });
    // A runtime extends its framework.
    expect(found.get('F.Runtime')?.dependencies).toEqual(['C.Central@3.0.0']);
  });

  it('finds lines in any layout', () => {
    const compact = JSON.stringify(lock).replaceAll('"D.OfProject":{', '\n"D.OfProject":{');
    expect(byName(readText('packages.lock.json', compact).packages).get('D.OfProject')?.line).toBe(2);
  });

  it('reports entries that cannot be read', () => {
    const { packages, problems } = readText(
      'packages.lock.json',
      json({
        version: 1,
        dependencies: { net8: { a: 1, b: { type: 'Direct' }, c: { resolved: '1' } }, net9: [] },
      }),
    );
    // NuGet always writes the type.
    expect(packages).toMatchObject([{ id: 'c@1', direct: undefined }]);
    expect(problems).toEqual([
      { kind: 'unread', line: 5, message: '"a" is not an object' },
      { kind: 'unread', line: 6, message: '"b" has no `resolved` version' },
      { kind: 'unread', line: 13, message: '"net9" is not an object' },
    ]);
  });

  it('refuses other files', () => {
    expect(failureOf('packages.lock.json', '{"version": 3, "dependencies": {}}').code).toBe(
      'unsupported-version',
    );
    expect(failureOf('packages.lock.json', '{"a": 1}').code).toBe('wrong-format');
    expect(failureOf('x/packages.lock.json', '{\n"version": 1,\n').message).toMatch(
      /^x\/packages\.lock\.json:3/,
    );
    expect(readText('packages.lock.json', '{"version": 1}').packages).toEqual([]);
  });
});

describe('packages.config', () => {
  it('reads all packages, with the group of development dependencies', () => {
    const { packages, problems } = readText(
      'packages.config',
      `<?xml version="1.0" encoding="utf-8"?>
<packages>
  <package id="A" version="1.0.0" targetFramework="net48" />
  <package id="B" version="2.0.0-beta+1" developmentDependency="True" />
  <package id="C" />
  <package version="1" />
</packages>`,
    );
    expect(packages.map(({ purl, groups, line, direct }) => [purl, groups.join(), line, direct])).toEqual([
      ['pkg:nuget/A@1.0.0', '', 3, undefined],
      ['pkg:nuget/B@2.0.0-beta+1', 'dev', 4, undefined],
    ]);
    expect(problems).toEqual([
      { kind: 'unread', line: 5, message: '"C" has no version' },
      { kind: 'unread', line: 6, message: 'a package has no `id`' },
    ]);
    expect(failureOf('packages.config', '<configuration/>').code).toBe('wrong-format');
  });
});

describe('deps.json', () => {
  const library = (type: string, sha512 = '') => ({ type, serviceable: true, sha512 });
  const used = (dependencies: Record<string, string> = {}) => ({ dependencies, runtime: { 'a.dll': {} } });
  const deps = {
    runtimeTarget: { name: '.NETCoreApp,Version=v8.0/linux-x64', signature: '' },
    targets: {
      '.NETCoreApp,Version=v8.0': {},
      '.NETCoreApp,Version=v8.0/linux-x64': {
        'App/1.0.0': used({ A: '1.0.0', 'Own.Lib': '1.0.0', 'runtimepack.Runtime': '8.0.0' }),
        'Own.Lib/1.0.0': used({ B: '2.0.0' }),
        'A/1.0.0': used({ Group: '1.0.0' }),
        'B/2.0.0': used(),
        'C/3.0.0': { native: { 'c.so': {} } },
        'Group/1.0.0': { dependencies: { C: '3.0.0' } },
        'runtimepack.Runtime/8.0.0': used(),
      },
    },
    libraries: {
      'App/1.0.0': library('project'),
      'A/1.0.0': library('package', 'sha512-AAAA'),
      'B/2.0.0': library('package'),
      'C/3.0.0': library('package'),
      'Group/1.0.0': library('package'),
      'Own.Lib/1.0.0': library('project'),
      'runtimepack.Runtime/8.0.0': library('runtimepack'),
      'Local.Reference/1.0.0.0': library('reference'),
      'Unused.ByTarget/1.0.0': library('package'),
      nonsense: library('package'),
    },
  };

  it('reads the packages that the target uses, with edges through packages without files', () => {
    const { packages, problems } = readText('App.deps.json', json(deps));
    const facts = packages.map(({ id, direct, dependencies }) => [id, direct, dependencies?.join()]);
    expect(facts).toEqual([
      ['A@1.0.0', true, 'C@3.0.0'],
      ['B@2.0.0', true, ''],
      ['C@3.0.0', false, ''],
      ['Runtime@8.0.0', true, ''],
      ['Unused.ByTarget@1.0.0', false, ''],
    ]);
    expect(packages[0]).toMatchObject({
      // In `libraries`, not in `targets`.
      line: json(deps).slice(0, json(deps).lastIndexOf('"A/1.0.0"')).split('\n').length,
      integrity: [{ algorithm: 'sha512', value: 'AAAA', encoding: 'base64' }],
    });
    expect(problems).toEqual([
      { kind: 'unread', line: expect.any(Number), message: '"nonsense" is not `name/version`' },
    ]);
  });

  it('reads a file without a target', () => {
    const { libraries } = deps;
    const { packages } = readText('App.deps.json', json({ runtimeTarget: 'none', libraries }));
    expect(packages.map(({ name }) => name)).toContain('Group');
    expect(
      packages.every(({ direct, dependencies }) => direct === undefined && dependencies === undefined),
    ).toBe(true);
  });

  it('keeps the name of a package with the prefix of runtime packs', () => {
    const text = json({
      libraries: { 'runtimepack.A/1.0': library('package'), 'runtimepack.B/1.0': library('runtimepack') },
    });
    expect(readText('App.deps.json', text).packages.map(({ name }) => name)).toEqual(['runtimepack.A', 'B']);
  });

  it.each([
    ['[]', 'not a deps.json of .NET: the file has no `libraries`'],
    ['{"libraries": []}', 'not a deps.json of .NET: the file has no `libraries`'],
    [
      '{"targets": {"net8.0": {}}}',
      'the file has no `libraries`: the packages among its `targets` are unknown',
    ],
  ])('reports why %s has no packages', (text, reason) => {
    expect(readText('editor.deps.json', text)).toEqual({
      format: 'nuget-deps-json',
      packages: [],
      problems: [{ kind: 'unread', line: 1, message: reason }],
    });
    expect(failureOf('App.deps.json', `${text},`).code).toBe('syntax');
  });
});
