import fc from 'fast-check';
import { PackageURL } from 'packageurl-js';
import { describe, expect, it } from 'vitest';
import { createEligibility } from '../../src/insights/resolve/eligibility.ts';
import { LockfileError } from '../../src/lockfiles/errors.ts';
import { buildPurl } from '../../src/lockfiles/packages/purl.ts';
import { readLockfile } from '../../src/lockfiles/read.ts';
import type { LockedPackage } from '../../src/model/lockfile/lockfile.ts';

function read(content: unknown, companions: Record<string, unknown> = {}) {
  const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
  return readLockfile({
    path: 'web/package-lock.json',
    content: Buffer.from(text),
    companion: (name) =>
      Object.hasOwn(companions, name) ? Buffer.from(JSON.stringify(companions[name])) : undefined,
  });
}

function v3(packages: Record<string, unknown>) {
  return { name: 'root', lockfileVersion: 3, packages };
}

function byId(packages: readonly LockedPackage[]): Map<string, LockedPackage> {
  return new Map(packages.map((one) => [one.id, one]));
}

function failure(content: string | Buffer, path = 'package-lock.json'): LockfileError {
  try {
    readLockfile({ path, content: Buffer.from(content) });
  } catch (error) {
    if (error instanceof LockfileError) return error;
    throw error;
  }
  throw new Error('was read');
}

describe('a file with both sections (lockfileVersion 2)', () => {
  const url = (host: string) => `https://${host}/a/-/a-1.0.0.tgz`;
  const same = {
    a: { version: '1.0.0', resolved: url('registry.yarnpkg.com'), integrity: 'sha512-AA==', dev: true },
    git: { version: 'git+ssh://git@github.com/o/git.git#0123456789012345678901234567890123456789' },
    member: { version: 'file:member', dependencies: { b: { version: '2.0.0' } } },
    alias: { version: 'npm:real@3.0.0' },
  };
  const packages = {
    '': { devDependencies: { a: '1' }, workspaces: ['member'] },
    'node_modules/a': same.a,
    'node_modules/git': { version: '1.2.3', resolved: same.git.version },
    'node_modules/member': { resolved: 'member', link: true },
    member: { version: '1.0.0', dependencies: { b: '2' } },
    'member/node_modules/b': { version: '2.0.0' },
    'node_modules/alias': { name: 'real', version: '3.0.0' },
  };
  const readBoth = (dependencies: object) => read({ ...v3(packages), lockfileVersion: 2, dependencies });

  it('is read by `packages` where both say the same', () => {
    expect(readBoth(same)).toMatchObject(read(v3(packages)));
    // Requirements of a manifest lock nothing.
    expect(readBoth({ a: '^1.0.0' })).toMatchObject(read(v3(packages)));
  });

  it.each([
    ['version', { a: { version: '6.6.6' } }, 'a@6.6.6'],
    ['package', { evil: { version: '1.0.0' } }, 'evil@1.0.0'],
    ['registry', { a: { ...same.a, resolved: url('evil.example') } }, 'a@1.0.0 (evil.example)'],
    ['commit', { git: { version: 'git+ssh://git@github.com/o/git.git#9' } }, 'git@ (git+ssh'],
  ])('has a package of another %s, and reports it', (_what, differing, id) => {
    const before = readBoth(same).packages.map((one) => one.id);
    const { packages: found, problems } = readBoth({ ...same, ...differing });
    const message = expect.stringContaining(`\`dependencies\` locks ${id}`);
    expect(problems).toMatchObject([{ kind: 'unclear', message }]);
    expect(found.map((one) => one.id)).toEqual([...before, expect.stringContaining(id)]);
  });

  it('has both digests of a version, and reports that they differ', () => {
    const { packages: found, problems } = readBoth({ ...same, a: { ...same.a, integrity: 'sha512-BB==' } });
    const message = expect.stringContaining('`dependencies` locks a@1.0.0 with a digest that');
    expect(problems).toMatchObject([{ kind: 'unclear', message }]);
    expect(byId(found).get('a@1.0.0')?.integrity).toHaveLength(2);
  });

  it('reports a package once that `dependencies` has in several places', () => {
    const one = { ...same.a, integrity: 'sha512-BB==', dependencies: { evil: { version: '1.0.0' } } };
    const { problems } = readBoth({ ...same, a: one, c: { version: '1.0.0', dependencies: { a: one } } });
    expect(problems.map(({ message }) => /locks (\S+)/.exec(message)?.[1])).toEqual([
      'a@1.0.0',
      'evil@1.0.0',
      'c@1.0.0',
    ]);
  });
});

describe('the packages map (lockfileVersion 2 and 3)', () => {
  it('reads direct dependencies, groups, integrity, edges and lines', () => {
    const { packages } = read(
      v3({
        '': { dependencies: { a: '1' }, devDependencies: { d: '1' } },
        'node_modules/a': { version: '1.0.0', integrity: 'sha512-AA== sha1-BB=', dependencies: { b: '^2' } },
        'node_modules/a/node_modules/b': { version: '2.0.0', inBundle: true },
        'node_modules/b': { version: '3.0.0', dev: true },
        'node_modules/d': {
          version: '1.0.0',
          dev: true,
          dependencies: { b: '^3', o: '1' },
          peerDependencies: { p: '1' },
        },
        'node_modules/o': { version: '1.0.0', devOptional: true },
      }),
    );
    const found = byId(packages);
    expect(found.get('a@1.0.0')).toMatchObject({
      direct: true,
      groups: [],
      line: 13,
      purl: 'pkg:npm/a@1.0.0',
      integrity: [
        { algorithm: 'sha512', value: 'AA==', encoding: 'base64' },
        { algorithm: 'sha1', value: 'BB=', encoding: 'base64' },
      ],
      dependencies: ['b@2.0.0'],
    });
    expect(found.get('b@2.0.0')).toMatchObject({ direct: false, groups: ['bundled'] });
    expect(found.get('d@1.0.0')).toMatchObject({
      direct: true,
      groups: ['dev'],
      dependencies: ['b@3.0.0', 'o@1.0.0'],
    });
    expect(found.get('o@1.0.0')?.groups).toEqual(['dev', 'optional']);
  });

  it('reads one version from two registries as two packages, and names with capitals as they are', () => {
    const at = (host: string) => `https://${host}/b/-/b-1.0.0.tgz`;
    const text = JSON.stringify({
      lockfileVersion: 3,
      packages: {
        '': { dependencies: { b: '1.0.0', c: '1.0.0', JSONStream: '1.0.0', jsonstream: '1.0.0' } },
        'node_modules/b': { version: '1.0.0', resolved: at('registry.yarnpkg.com') },
        'node_modules/c': { version: '1.0.0', dependencies: { b: '1.0.0' } },
        'node_modules/c/node_modules/b': { version: '1.0.0', resolved: at('npm.corp.example') },
        'node_modules/d': { version: '1.0.0' },
        'node_modules/d/node_modules/b': { version: '1.0.0', resolved: at('npm.corp.example') },
        'node_modules/e/node_modules/b': { version: '1.0.0' },
        'node_modules/JSONStream': { version: '1.0.0' },
        'node_modules/jsonstream': { version: '1.0.0' },
      },
    });
    const { packages } = read(text);
    const eligibility = createEligibility({ privatePatterns: [], mirrors: [] });
    const ofB = packages.filter(({ name }) => name === 'b');
    expect(ofB.map((one) => [one.id, eligibility(one).resolution?.outcome])).toEqual([
      ['b@1.0.0', undefined],
      ['b@1.0.0 (npm.corp.example)', 'private'],
    ]);
    expect(packages.find(({ name }) => name === 'c')?.dependencies).toEqual(['b@1.0.0 (npm.corp.example)']);
    expect(packages.flatMap(({ name, purl }) => (/json/i.test(name) ? purl : []))).toEqual([
      'pkg:npm/JSONStream@1.0.0',
      'pkg:npm/jsonstream@1.0.0',
    ]);
  });

  it('reads one version from two registries of one host as two packages', () => {
    const at = (registry: string) => `https://npm.corp.example/${registry}/@a%2fb/-/b-1.0.0.tgz`;
    const text = JSON.stringify({
      lockfileVersion: 3,
      packages: {
        '': { dependencies: { '@a/b': '1.0.0' } },
        'node_modules/@a/b': { version: '1.0.0', resolved: at('api/npm/public') },
        'node_modules/c/node_modules/@a/b': { version: '1.0.0', resolved: at('api/npm/own') },
        'node_modules/d/node_modules/@a/b': { version: '1.0.0', resolved: `${at('api/npm/own')}?a=1` },
      },
    });
    const eligibility = createEligibility({
      privatePatterns: [],
      mirrors: ['npm.corp.example/api/npm/public'],
    });
    const { packages } = read(text);
    expect(packages.map((one) => [one.id, eligibility(one).resolution?.outcome])).toEqual([
      ['@a/b@1.0.0', undefined],
      ['@a/b@1.0.0 (npm.corp.example/api/npm/own)', 'private'],
    ]);
  });

  it('does not treat folders in packages and targets of links as packages of a registry', () => {
    const text = JSON.stringify({
      lockfileVersion: 3,
      packages: {
        '': { name: 'own', dependencies: { o: 'file:../m/node_modules/n/o', p: 'file:../m/node_modules/p' } },
        '../m/node_modules/n/o': { name: 'o', version: '1.0.0' },
        '../m/node_modules/p': { version: '2.0.0' },
        'node_modules/o': { resolved: '../m/node_modules/n/o', link: true },
        'node_modules/p': { resolved: '../m/node_modules/p', link: true },
        'node_modules/@s/q': { version: '3.0.0' },
      },
    });
    const { packages, problems } = read(text);
    expect(problems).toEqual([]);
    expect(packages.filter(({ source }) => source.kind === 'registry').map(({ id }) => id)).toEqual([
      '@s/q@3.0.0',
    ]);
    expect(
      packages.filter(({ source }) => source.kind === 'path').map(({ name, direct }) => [name, direct]),
    ).toEqual([
      ['o', true],
      ['p', true],
    ]);
  });

  it('leaves out the root, workspace members and links, whose dependencies are direct', () => {
    const { packages } = read(
      v3({
        '': { workspaces: ['packages/*'] },
        'packages/one': { name: '@own/one', version: '1.0.0', dependencies: { a: '1', two: '*' } },
        'node_modules/@own/one': { resolved: 'packages/one', link: true },
        'node_modules/a': { version: '9.0.0' },
        'packages/one/node_modules/a': { version: '1.0.0' },
      }),
    );
    expect(packages.map(({ id, direct }) => [id, direct])).toEqual([
      ['a@9.0.0', false],
      ['a@1.0.0', true],
    ]);
  });

  it.each([
    [['packages/{one,two}'], false],
    [['packages/@(one)'], false],
    [['apps/*'], true],
    [[], true],
    [['packages/*', '!packages/one'], true],
    // One more than the limit of patterns, and the limit.
    [Array.from({ length: 201 }, (_, index) => `apps/${index}`), false],
    [Array.from({ length: 200 }, (_, index) => `apps/${index}`), true],
  ])('distinguishes a linked folder from a workspace member (%#)', (workspaces, linked) => {
    const found = read(
      v3({
        '': { workspaces },
        'packages/one': { name: 'one', version: '1.0.0' },
        'node_modules/one': { resolved: 'packages/one', link: true },
      }),
    );
    expect(found.packages.map(({ name }) => name)).toEqual(linked ? ['one'] : []);
  });

  it('finds the lines of a file without indentation', () => {
    const inner = '"version": "1.0.0",\n"dependencies": {}';
    const text = `{\n"lockfileVersion": 1,\n"dependencies": {\n"a": {\n${inner}\n},\n"dependencies": {\n"version": "2.0.0"\n}\n}\n}`;
    expect(read(text).packages.map(({ id, line }) => [id, line])).toEqual([
      ['a@1.0.0', 4],
      ['dependencies@2.0.0', 8],
    ]);
  });

  it('merges the same version in several folders', () => {
    const { packages } = read(
      v3({
        '': {},
        'node_modules/a/node_modules/x': {
          version: '1.0.0',
          dev: true,
          optional: true,
          dependencies: { y: '1' },
        },
        'node_modules/b/node_modules/x': { version: '1.0.0', optional: true, dependencies: { y: '2' } },
        'node_modules/a/node_modules/y': { version: '1.0.0' },
        'node_modules/b/node_modules/y': { version: '2.0.0' },
      }),
    );
    expect(byId(packages).get('x@1.0.0')).toMatchObject({
      groups: ['optional'],
      dependencies: ['y@1.0.0', 'y@2.0.0'],
    });
  });

  it.each([
    ['https://registry.yarnpkg.com/a/-/a-1.0.0.tgz', { kind: 'registry' }, 'pkg:npm/a@1.0.0'],
    ['https://npm.acme.example/repository/npm/a/-/a-1.0.0.tgz', { kind: 'registry' }, 'pkg:npm/a@1.0.0'],
    [
      'git+ssh://git@git.example/acme/a.git#0123456789abcdef0123456789abcdef01234567',
      { kind: 'git', commit: '0123456789abcdef0123456789abcdef01234567' },
      'vcs_url',
    ],
    ['file:../a', { kind: 'path', path: '../a' }, 'pkg:npm/a@1.0.0'],
    [
      'https://files.example/a.tar.gz',
      { kind: 'url', url: 'https://files.example/a.tar.gz' },
      'download_url',
    ],
  ])('reads the source %s', (resolved, source, purl) => {
    const [locked] = read(v3({ '': {}, 'node_modules/a': { version: '1.0.0', resolved } })).packages;
    expect(locked?.source).toMatchObject(source);
    expect(locked?.purl).toContain(purl);
  });

  it('resolves the real name of an alias', () => {
    const { packages } = read(
      v3({
        '': { dependencies: { short: 'npm:@real/name@1' } },
        'node_modules/short': { name: '@real/name', version: '1.0.0' },
      }),
    );
    expect(packages).toMatchObject([
      { id: '@real/name@1.0.0', purl: 'pkg:npm/%40real/name@1.0.0', direct: true },
    ]);
  });
});

it('reads install scripts', () => {
  const lock = v3({
    '': {},
    'node_modules/a': { version: '1.0.0', hasInstallScript: true },
    'node_modules/b': { version: '1.0.0', hasInstallScript: false },
    'node_modules/b/node_modules/c': { version: '1.0.0' },
    'node_modules/c': { version: '1.0.0', hasInstallScript: true },
  });
  const { packages } = readLockfile({
    path: 'package-lock.json',
    content: Buffer.from(JSON.stringify(lock)),
  });
  expect(packages.map(({ id, installScript }) => [id, installScript])).toEqual([
    ['a@1.0.0', true],
    ['b@1.0.0', undefined],
    ['c@1.0.0', true],
  ]);
});

describe('the dependency tree (lockfileVersion 1)', () => {
  const tree = {
    lockfileVersion: 1,
    dependencies: {
      a: {
        version: '1.0.0',
        requires: { b: '^2' },
        dependencies: { b: { version: '2.0.0', bundled: true } },
      },
      b: { version: '3.0.0', dev: true },
      short: { version: 'npm:@real/name@4.0.0' },
      g: { version: 'git+https://git.example/g.git#0123456789abcdef0123456789abcdef01234567' },
    },
  };

  it('reads nested versions, aliases, git and edges', () => {
    const found = byId(read(tree).packages);
    expect(found.get('a@1.0.0')).toMatchObject({ dependencies: ['b@2.0.0'], direct: undefined, line: 4 });
    expect(found.get('b@2.0.0')?.groups).toEqual(['bundled']);
    expect(found.get('@real/name@4.0.0')).toBeDefined();
    expect([...found.values()].find(({ name }) => name === 'g')?.source.kind).toBe('git');
  });

  it('reports an alias without a name', () => {
    const { packages, problems } = read({
      lockfileVersion: 1,
      dependencies: { nothing: { version: 'npm:' }, unpinned: { version: 'npm:@real/name' } },
    });
    expect(packages).toEqual([]);
    expect(problems.map(({ message }) => message)).toEqual([
      '"nothing" is an alias without the name of a package',
      '"unpinned" has no version',
    ]);
  });

  it('reads direct dependencies from the manifest', () => {
    const { packages } = read(tree, {
      'package.json': { dependencies: { a: '1' }, devDependencies: { b: '3' } },
    });
    expect(packages.filter(({ direct }) => direct).map(({ id }) => id)).toEqual(['a@1.0.0', 'b@3.0.0']);
  });
});

describe('entries that cannot be read', () => {
  it('are problems with a line, and the other entries are read', () => {
    const { packages, problems } = read(
      v3({
        '': {},
        'node_modules/number': { version: 5 },
        'node_modules/list': [],
        'node_modules/nothing': {},
        'node_modules/good': { version: '1.0.0', resolved: false },
      }),
    );
    expect(packages.map(({ id }) => id)).toEqual(['good@1.0.0']);
    expect(problems).toEqual([
      { kind: 'unread', line: 6, message: '"node_modules/number" has a `version` that is not a string' },
      { kind: 'unread', line: 9, message: '"node_modules/list" is not an object' },
      { kind: 'unread', line: 10, message: '"node_modules/nothing" has no version' },
    ]);
  });

  it('treats names of inherited properties like others', () => {
    const text = JSON.stringify(
      v3({
        '': { dependencies: { constructor: '1', toString: '1' } },
        'node_modules/constructor': {
          version: '1.0.0',
          dependencies: { ['__proto__']: '*', hasOwnProperty: '*' },
        },
      }),
    ).replace(
      '"node_modules/constructor"',
      '"node_modules/__proto__":{"version":"2.0.0","dependencies":{"constructor":"*"}},"node_modules/constructor"',
    );
    const { packages } = read(text.replace('"hasOwnProperty":"*"', '"__proto__":"*"'));
    expect(packages.map(({ id, direct, dependencies }) => [id, direct, dependencies])).toEqual([
      ['__proto__@2.0.0', false, ['constructor@1.0.0']],
      ['constructor@1.0.0', true, ['__proto__@2.0.0']],
    ]);
  });
});

describe('files that cannot be read', () => {
  it.each([
    ['empty', '  \n', 'empty', /the file is empty/],
    [
      'truncated',
      '{"lockfileVersion": 3,\n"packages": {"": {}, "node_mod',
      'syntax',
      /^package-lock\.json:2/,
    ],
    ['binary', '\u0000\u0001', 'binary', /NUL bytes/],
    ['HTML', '<!doctype html><html></html>', 'wrong-format', /a web page/],
    ['a yarn.lock', '# yarn lockfile v1\n\na@1:\n  version "1.0.0"\n', 'wrong-format', /yarn's lockfile/],
    ['another JSON', '[1, 2]', 'wrong-format', /a JSON object/],
    [
      'a package.json',
      '{"name": "x", "dependencies": {}, "packages": 1}',
      'wrong-format',
      /`packages` is not an object|neither/,
    ],
    [
      'a version to come',
      '{"lockfileVersion": 9, "packages": {}}',
      'unsupported-version',
      /lockfileVersion 9/,
    ],
  ])('%s', (_name, text, code, message) => {
    const error = failure(text);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  it('nested without end', () => {
    const deep = `{"lockfileVersion":1,"dependencies":${'{"a":{"version":"1","dependencies":'.repeat(20_000)}{}${'}}'.repeat(20_000)}}`;
    expect(failure(deep).code).toBe('too-deep');
  });

  it('too large, before anything is parsed', () => {
    expect(() =>
      readLockfile({ path: 'x/package-lock.json', content: Buffer.alloc(11), limits: { maxBytes: 10 } }),
    ).toThrow(/^x\/package-lock\.json: 11 bytes exceed the limit of 10/);
  });

  it('of no known format', () => {
    expect(failure('hello', 'notes.txt').code).toBe('unknown-format');
  });
});

const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
const entry = fc.record(
  {
    version: fc.constantFrom('1.0.0', '2.1.0-rc.1', '0.0.1+build'),
    dev: fc.boolean(),
    dependencies: fc.dictionary(word, fc.constant('*'), { maxKeys: 3 }),
  },
  { requiredKeys: ['version'] },
);
const lock = fc
  .tuple(fc.dictionary(word, entry, { maxKeys: 8 }), fc.array(fc.tuple(word, word, entry), { maxLength: 5 }))
  .map(([top, nested]) => ({
    '': {
      dependencies: Object.fromEntries(
        Object.keys(top)
          .slice(0, 2)
          .map((name) => [name, '*']),
      ),
    },
    ...Object.fromEntries(Object.entries(top).map(([name, value]) => [`node_modules/${name}`, value])),
    ...Object.fromEntries(
      nested.map(([parent, name, value]) => [`node_modules/${parent}/node_modules/${name}`, value]),
    ),
  }));

describe('properties', () => {
  const withoutLines = (text: string) => read(text).packages.map((one) => ({ ...one, line: undefined }));
  const sorted = (text: string) =>
    withoutLines(text)
      .map((one) => ({ ...one, dependencies: [...(one.dependencies ?? [])].sort() }))
      .sort((left, right) => (left.id < right.id ? -1 : 1));

  it('layout and line endings change lines only', () => {
    fc.assert(
      fc.property(lock, (packages) => {
        const pretty = JSON.stringify(v3(packages), null, 2);
        expect(withoutLines(JSON.stringify(v3(packages)))).toEqual(withoutLines(pretty));
        expect(read(pretty.replaceAll('\n', '\r\n')).packages).toEqual(read(pretty).packages);
      }),
    );
  });

  it('the order of keys does not change packages', () => {
    fc.assert(
      fc.property(lock, (packages) => {
        const reversed = Object.fromEntries(Object.entries(packages).reverse());
        expect(sorted(JSON.stringify(v3(reversed)))).toEqual(sorted(JSON.stringify(v3(packages))));
      }),
    );
  });

  it('lines are those of the entries', () => {
    fc.assert(
      fc.property(lock, (packages) => {
        const text = JSON.stringify(v3(packages), null, 2);
        const lines = text.split('\n');
        for (const locked of read(text).packages) {
          expect(lines[(locked.line ?? 0) - 1]).toMatch(new RegExp(`node_modules/${locked.name}": \\{$`));
        }
      }),
    );
  });

  it('throws only coded errors', () => {
    const anything = fc.oneof(
      fc.json(),
      fc.string(),
      lock.map((packages) => JSON.stringify(v3(packages)).slice(0, 60)),
      fc.json().map((json) => `{"lockfileVersion":3,"packages":{"":{},"node_modules/a":${json}}}`),
      fc.json().map((json) => `{"lockfileVersion":1,"dependencies":{"a":${json}}}`),
    );
    fc.assert(
      fc.property(anything, (text) => {
        try {
          read(text);
        } catch (error) {
          expect(error).toBeInstanceOf(LockfileError);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('a purl is what packageurl-js builds', () => {
    const name = fc.oneof(word, fc.string({ minLength: 1, maxLength: 12 }));
    fc.assert(
      fc.property(
        fc.option(word, { nil: undefined }),
        name,
        fc.string({ minLength: 1, maxLength: 12 }),
        fc.option(fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.string({ minLength: 1 })), {
          nil: undefined,
        }),
        (scope, base, version, url) => {
          const qualifiers = url === undefined ? undefined : { vcs_url: url };
          // Capitals stay, and packageurl-js writes them in lower case.
          const namespace = scope === undefined ? undefined : `@${scope.toLowerCase()}`;
          const name = base.toLowerCase();
          const build = (work: () => string) => {
            try {
              return work();
            } catch {
              return 'refused';
            }
          };
          expect(build(() => buildPurl({ type: 'npm', namespace, name, version, qualifiers }))).toBe(
            build(() =>
              new PackageURL('npm', namespace, name, version, qualifiers, undefined)
                .toString()
                .replaceAll('%3A', ':'),
            ),
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});
