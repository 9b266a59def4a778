import { describe, expect, it } from 'vitest';
import { byName, failureOf, readText } from './reading.ts';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';

const V9 = `lockfileVersion: '9.0'

settings:
  autoInstallPeers: true

importers:

  .:
    dependencies:
      '@scope/a':
        specifier: ^1.0.0
        version: 1.2.0(peer@3.0.0)
      alias:
        specifier: npm:b@^2.0.0
        version: b@2.0.0
    devDependencies:
      peer:
        specifier: ^3.0.0
        version: 3.0.0
    optionalDependencies:
      o:
        specifier: ^1.0.0
        version: 1.0.0
  packages/w:
    dependencies:
      g:
        specifier: github:o/g
        version: https://codeload.github.com/o/g/tar.gz/${COMMIT}
      linked:
        specifier: workspace:*
        version: link:../linked

packages:

  '@scope/a@1.2.0':
    resolution: {integrity: sha512-YWJj}
    peerDependencies:
      peer: ^3.0.0

  b@2.0.0:
    resolution: {integrity: sha512-YWJj, tarball: https://user:hunter2@files.example/b.tgz}
    deprecated: "use c: it's # better"

  g@https://codeload.github.com/o/g/tar.gz/${COMMIT}:
    resolution: {tarball: https://codeload.github.com/o/g/tar.gz/${COMMIT}}
    version: 4.0.0

  local@file:../local:
    resolution: {directory: ../local, type: directory}

  node@runtime:24.4.1:
    hasBin: true
    resolution:
      type: variations
      variants:
        - resolution:
            archive: tarball
            integrity: sha256-YWJj
    version: 24.4.1

  o@1.0.0:
    resolution: {integrity: sha512-YWJj}

  peer@3.0.0:
    resolution: {integrity: sha512-YWJj}

snapshots:

  '@scope/a@1.2.0(peer@3.0.0)':
    dependencies:
      b: 2.0.0
      peer: 3.0.0
    optionalDependencies:
      o: 1.0.0

  b@2.0.0: {}

  g@https://codeload.github.com/o/g/tar.gz/${COMMIT}:
    dependencies:
      local: file:../local

  local@file:../local: {}

  node@runtime:24.4.1: {}

  o@1.0.0:
    optional: true

  peer@3.0.0: {}
`;

describe('pnpm-lock.yaml of version 9', () => {
  const { packages, problems } = readText('pnpm-lock.yaml', V9);
  const named = byName(packages);

  it('reads all packages with their lines', () => {
    expect(problems).toEqual([]);
    expect(packages.map(({ name, version, line }) => [name, version, line])).toEqual([
      ['@scope/a', '1.2.0', 35],
      ['b', '2.0.0', 40],
      ['g', '4.0.0', 44],
      ['local', '', 48],
      ['node', '24.4.1', 51],
      ['o', '1.0.0', 61],
      ['peer', '3.0.0', 64],
    ]);
    expect(named.get('@scope/a')?.purl).toBe('pkg:npm/%40scope/a@1.2.0');
  });

  it('reads sources without credentials', () => {
    expect(named.get('@scope/a')?.source).toEqual({ kind: 'registry' });
    expect(named.get('b')?.source).toEqual({ kind: 'url', url: 'https://files.example/b.tgz' });
    expect(named.get('g')?.source).toEqual({ kind: 'git', url: 'https://github.com/o/g', commit: COMMIT });
    expect(named.get('local')?.source).toEqual({ kind: 'path', path: '../local' });
    expect(named.get('node')?.source).toEqual({ kind: 'url', url: 'runtime:24.4.1' });
  });

  it('reads edges, direct dependencies and groups', () => {
    const b = 'b@2.0.0 (https://files.example/b.tgz)';
    expect(named.get('@scope/a')?.dependencies).toEqual([b, 'peer@3.0.0', 'o@1.0.0']);
    expect(packages.filter(({ direct }) => direct).map(({ name }) => name)).toEqual([
      '@scope/a',
      'b',
      'g',
      'o',
      'peer',
    ]);
    expect(named.get('peer')?.groups).toEqual([]);
    expect(named.get('o')?.groups).toEqual(['optional']);
    expect(named.get('local')?.groups).toEqual([]);
  });
});

const V6 = `lockfileVersion: '6.0'
dependencies:
  a:
    specifier: ^1.0.0
    version: 1.0.0(@scope/p@2.0.0)
devDependencies:
  l:
    specifier: file:../l
    version: file:../l
packages:
  /a@1.0.0(@scope/p@2.0.0):
    resolution: {integrity: sha512-YWJj}
    dependencies:
      '@scope/p': 2.0.0
    dev: false
  /@scope/p@2.0.0:
    resolution: {integrity: sha512-YWJj}
    dev: true
    optional: true
  npm.acme.example/@scope/h@3.0.0:
    resolution: {integrity: sha512-YWJj, registry: https://npm.acme.example/, tarball: https://npm.acme.example/@scope/h/-/h-3.0.0.tgz}
  github.com/o/g/${COMMIT}:
    resolution: {tarball: https://codeload.github.com/o/g/tar.gz/${COMMIT}}
    name: g
    version: 4.0.0
  file:../l:
    resolution: {directory: ../l, type: directory}
    name: l
    version: 5.0.0
    dev: true
`;

const V5 = `lockfileVersion: 5.3
specifiers:
  a: ^1.0.0
dependencies:
  a: 1.0.0_@scope+p@2.0.0
packages:
  /a/1.0.0_@scope+p@2.0.0:
    resolution: {integrity: sha512-YWJj}
    dependencies:
      '@scope/p': 2.0.0
    dev: false
  /@scope/p/2.0.0_abc123:
    resolution: {integrity: sha512-YWJj}
    dev: true
  /@scope/p/2.0.0:
    resolution:
      integrity: sha512-YWJj
    dev: true
  npm.acme.example/h/3.0.0:
    resolution: {integrity: sha512-YWJj}
  github.com/o/g/${COMMIT}:
    resolution: {commit: ${COMMIT}, repo: 'https://user:hunter2@github.com/o/g', type: git}
    name: g
    version: 4.0.0
`;

describe('pnpm-lock.yaml of older versions', () => {
  it('reads version 6', () => {
    const { packages, problems } = readText('pnpm-lock.yaml', V6);
    expect(problems).toEqual([]);
    expect(
      packages.map(({ id, direct, groups, line, dependencies }) => [
        id,
        direct,
        groups.join(),
        line,
        dependencies,
      ]),
    ).toEqual([
      ['a@1.0.0', true, '', 11, ['@scope/p@2.0.0']],
      ['@scope/p@2.0.0', false, 'dev,optional', 16, []],
      ['@scope/h@3.0.0', false, '', 20, []],
      [`g@4.0.0 (https://github.com/o/g#${COMMIT})`, false, '', 22, []],
      ['l@5.0.0 (../l)', true, 'dev', 26, []],
    ]);
    expect(byName(packages).get('@scope/h')?.source).toEqual({
      kind: 'registry',
      url: 'https://npm.acme.example/@scope/h/-/h-3.0.0.tgz',
    });
  });

  it('reads version 5', () => {
    const { packages, problems } = readText('pnpm-lock.yaml', V5);
    expect(problems).toEqual([]);
    expect(packages.map(({ id, direct, groups, line }) => [id, direct, groups.join(), line])).toEqual([
      ['a@1.0.0', true, '', 7],
      ['@scope/p@2.0.0', false, 'dev', 12],
      ['h@3.0.0', false, '', 19],
      [`g@4.0.0 (https://github.com/o/g#${COMMIT})`, false, '', 21],
    ]);
    expect(packages[0]?.dependencies).toEqual(['@scope/p@2.0.0']);
    expect(byName(packages).get('h')?.source).toEqual({ kind: 'registry', url: 'https://npm.acme.example/' });
  });

  it('reads the host from a key of version 6', () => {
    const text = `lockfileVersion: '6.0'\npackages:\n  npm.acme.example/@s/a@1.0.0(b@2.0.0):\n    dev: false\n`;
    expect(readText('pnpm-lock.yaml', text).packages).toMatchObject([
      { name: '@s/a', version: '1.0.0', source: { kind: 'registry', url: 'https://npm.acme.example/' } },
    ]);
  });
});

it.each([
  ['one pass', ''],
  ['the general parser', '# a comment\n'],
])('reads which packages run a script at installation with %s', (_how, head) => {
  const entry = (name: string, more: string) =>
    `  /${name}@1.0.0:\n    resolution: {integrity: sha512-YWJj}\n${more}`;
  const text = `${head}lockfileVersion: '6.0'\n\npackages:\n\n${entry('a', '    requiresBuild: true\n')}\n${entry('b', '')}`;
  const { packages } = readText('pnpm-lock.yaml', text);
  expect(packages.map(({ name, installScript }) => [name, installScript])).toEqual([
    ['a', true],
    ['b', undefined],
  ]);
});

describe('documents before the lockfile itself', () => {
  const text = `---
lockfileVersion: '9.0'
importers:
  .:
    configDependencies:
      conf:
        specifier: 1.0.0
        version: 1.0.0
    packageManagerDependencies:
      pnpm:
        specifier: 11.0.0
        version: 11.0.0
packages:
  conf@1.0.0:
    resolution: {integrity: sha512-YWJj}
  pnpm@11.0.0:
    resolution: {integrity: sha512-YWJj}
snapshots:
  conf@1.0.0: {}
  pnpm@11.0.0: {}
---
${V9}`;

  const environment = text.slice(0, text.indexOf('---\n', 4));

  it('contain the packages of pnpm itself, in a separate group', () => {
    const { packages, problems } = readText('pnpm-lock.yaml', text);
    expect(problems).toEqual([]);
    expect(packages).toHaveLength(9);
    expect(packages[0]).toMatchObject({ id: 'conf@1.0.0', direct: true, groups: ['environment'], line: 14 });
    expect(packages[1]).toMatchObject({ id: 'pnpm@11.0.0', direct: true, groups: ['environment'] });
    expect(packages[2]?.line).toBe(35 + 21);
  });

  it('do not change the groups of packages that the target needs', () => {
    const both = text
      .replaceAll('conf@1.0.0', 'peer@3.0.0')
      .replace('conf:', 'peer:')
      .replace('1.0.0', '3.0.0');
    const { packages } = readText('pnpm-lock.yaml', both.replace('version: 1.0.0', 'version: 3.0.0'));
    expect(packages.filter(({ name }) => name === 'peer')).toMatchObject([{ groups: [], direct: true }]);
  });

  it.each([
    ['alone', environment, 'no document of the target'],
    ['before one of an unknown version', text.replace(V9, V9.replace("'9.0'", "'19.0'")), 'document 2'],
    ['before one that is empty', `${environment}---\n`, 'no document of the target'],
    ['before one that is a list', `${environment}---\n- a\n`, 'document 2'],
  ])('%s alone are incomplete', (_what, content, message) => {
    const { packages, problems } = readText('pnpm-lock.yaml', content);
    expect(packages.map(({ name }) => name)).toEqual(['conf', 'pnpm']);
    expect(problems).toContainEqual({
      kind: 'unread',
      line: undefined,
      message: expect.stringContaining(message),
    });
  });
});

describe('a dependency without an entry', () => {
  const entry = (key: string) => `  ${key}:\n    resolution: {integrity: sha512-YWJj}\n`;
  it.each([
    ['lockfileVersion: 5.3\ndependencies:\n  nanoid: 3.3.4\npackages:\n', entry('/a/1.0.0')],
    [
      "lockfileVersion: '6.0'\ndependencies:\n  nanoid:\n    version: 3.3.4(p@1.0.0)\npackages:\n",
      entry('/a@1.0.0'),
    ],
    [
      "lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      nanoid:\n        version: 3.3.4\npackages:\n",
      `${entry('a@1.0.0')}snapshots:\n  a@1.0.0: {}\n`,
    ],
    [
      "lockfileVersion: '9.0'\npackages:\n",
      `${entry('a@1.0.0')}snapshots:\n  a@1.0.0:\n    dependencies:\n      nanoid: 3.3.4\n`,
    ],
  ])('is a problem: %#', (head, rest) => {
    const { packages, problems } = readText('pnpm-lock.yaml', head + rest);
    expect(packages.map(({ id }) => id)).toEqual(['a@1.0.0']);
    expect(problems).toMatchObject([{ kind: 'unread', message: expect.stringContaining('nanoid@3.3.4') }]);
  });

  it('is not reported for a folder of the target or an entry without a snapshot', () => {
    const lists =
      'importers:\n  .:\n    dependencies:\n      l:\n        version: link:../l\n      a:\n        version: 1.0.0(p@1.0.0)\n';
    const text = `lockfileVersion: '9.0'\n${lists}packages:\n${entry('a@1.0.0')}${entry('b@1.0.0')}snapshots:\n  b@1.0.0: {}\n`;
    expect(readText('pnpm-lock.yaml', text).problems).toEqual([]);
  });

  it.each([
    ["'6.0'", 'file:../nameless-package'],
    ["'6.0'", 'https://codeload.github.com/o/g/tar.gz/0123456'],
    ["'9.0'", 'file:nameless.tgz'],
  ])('is reported for an entry of lockfileVersion %s without a name: %s', (version, key) => {
    const text = `lockfileVersion: ${version}\npackages:\n  ${key}:\n    resolution: {directory: x, type: directory}\nsnapshots:\n  ${key}: {}\n`;
    const { packages, problems } = readText('pnpm-lock.yaml', text);
    expect(packages).toEqual([]);
    expect(problems).toEqual([{ kind: 'unread', line: 3, message: `"${key}" has no name` }]);
  });
});

describe('YAML that pnpm writes rarely or users write', () => {
  const head = "lockfileVersion: '9.0'\npackages:\n";
  it.each([
    ['block mappings', '  a@1.0.0:\n    resolution:\n      integrity: sha512-YWJj\n'],
    ['mappings without spaces', '  a@1.0.0:\n    resolution: {integrity: sha512-YWJj,x: y}\n'],
    ['mappings over several lines', '  a@1.0.0:\n    resolution: {integrity:\n      sha512-YWJj}\n'],
    ['quoted keys and values', '  "a@1.0.0":\n    \'resolution\': {"integrity": "sha512-YWJj"}\n'],
    ['comments', '  a@1.0.0: # x\n    resolution: {integrity: sha512-YWJj} # y\n'],
    ['anchors and aliases', '  a@1.0.0:\n    x: &r {integrity: sha512-YWJj}\n    resolution: *r\n'],
    ['block scalars', '  a@1.0.0:\n    resolution:\n      integrity: >-\n        sha512-YWJj\n'],
    ['tabs', '  a@1.0.0:\n    resolution:\t{integrity: sha512-YWJj}\n'],
    ['deeper indentation', '     a@1.0.0:\n         resolution: {integrity: sha512-YWJj}\n'],
  ])('reads %s', (_what, entry) => {
    const { packages, problems } = readText('pnpm-lock.yaml', `${head}${entry}snapshots:\n  a@1.0.0: {}\n`);
    expect(problems).toEqual([]);
    expect(packages).toMatchObject([
      { id: 'a@1.0.0', integrity: [{ algorithm: 'sha512', value: 'YWJj' }], line: 3 },
    ]);
  });

  it('reads keys over 1,024 characters', () => {
    const peers = Array.from({ length: 100 }, (_, at) => `(peer-${at}@1.0.0)`).join('');
    const text = `lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      a:
        specifier: 1.0.0
        version: 1.0.0${peers}
packages:
  a@1.0.0:
    resolution: {integrity: sha512-YWJj}
  b@1.0.0:
    resolution: {integrity: sha512-YWJj}
snapshots:
  ? a@1.0.0${peers}
  : dependencies:
      b: 1.0.0
  b@1.0.0: {}
`;
    const { packages, problems } = readText('pnpm-lock.yaml', text);
    expect(problems).toEqual([]);
    expect(packages[0]).toMatchObject({ id: 'a@1.0.0', direct: true, dependencies: ['b@1.0.0'] });
  });

  it('takes the packages of repeated sections, which pnpm refuses', () => {
    const { packages, problems } = readText(
      'pnpm-lock.yaml',
      `${head}  a@1.0.0: {}\npackages:\n  b@1.0.0: {}\nsnapshots:\n  a@1.0.0: {}\n  b@1.0.0: {}\n`,
    );
    expect(packages).toMatchObject([{ id: 'a@1.0.0' }, { id: 'b@1.0.0', line: 5 }]);
    expect(problems).toMatchObject([
      { kind: 'unread', message: '"packages" is there twice: pnpm refuses the file' },
    ]);
  });

  it('does not expand aliases exponentially', () => {
    const levels = Array.from(
      { length: 9 },
      (_, at) => `x${at + 1}: &a${at + 1} [${`*a${at}, `.repeat(9)}1]`,
    );
    const text = `lockfileVersion: '9.0'\nx0: &a0 [1]\n${levels.join('\n')}\npackages: *a9\n`;
    const { packages, problems } = readText('pnpm-lock.yaml', text);
    expect([packages.length, problems.length]).toEqual([0, 1]);
  });

  it('refuses too many aliases', () => {
    const text = `lockfileVersion: '9.0'\nx: &x {}\npackages:\n${'  a: *x\n'.repeat(101)}`;
    const { code, message } = failureOf('pnpm-lock.yaml', text);
    expect(code).toBe('syntax');
    expect(message).toContain(':104:');
  });

  it.each([
    ["lockfileVersion: '10.0'\n", 'unsupported-version'],
    ["lockfileVersion: '2.0'\n", 'unsupported-version'],
    ['a: b\n', 'wrong-format'],
    [`${head}<<<<<<< HEAD\n  a@1.0.0: {}\n`, 'syntax'],
    ["lockfileVersion: '9.0'\npackages: {a: [\n", 'syntax'],
  ])('refuses %j', (text, code) => {
    expect(failureOf('pnpm-lock.yaml', text).code).toBe(code);
  });

  it('refuses text that nests too deep', () => {
    const text = `lockfileVersion: '9.0'\npackages: ${'['.repeat(100_000)}\n`;
    expect(['syntax', 'too-deep']).toContain(failureOf('pnpm-lock.yaml', text).code);
  });

  it('reports entries that are not packages', () => {
    const text = `${head}  nothing: {}\n  a@1.0.0: {}\nsnapshots:\n  a@1.0.0: {}\n`;
    const { packages, problems } = readText('pnpm-lock.yaml', text);
    expect(packages).toHaveLength(1);
    expect(problems).toEqual([{ kind: 'unread', line: 3, message: '"nothing" has no version' }]);
  });
});

describe('keys that are not locations', () => {
  it('are reported when they have no version', () => {
    const text = `lockfileVersion: 5.3

packages:
  /a/1.0.0:
  /a/next:
  github.com/o/r:
  host.example:
`;
    const { packages, problems } = readText('pnpm-lock.yaml', text);
    expect(packages.map(({ id }) => id)).toEqual(['a@1.0.0']);
    expect(problems.map(({ line }) => line)).toEqual([5, 6, 7]);
  });
});

describe('an archive in the layout of JSR', () => {
  it('is from a registry', () => {
    const url = 'https://npm.jsr.io/~/1/@jsr/s__f/1.0.1.tgz';
    const text = `lockfileVersion: '9.0'

packages:

  '@jsr/s__f@1.0.1':
    resolution: {integrity: sha512-YWJj, tarball: ${url}}
`;
    expect(readText('pnpm-lock.yaml', text).packages.map(({ source }) => source)).toEqual([
      { kind: 'registry', url },
    ]);
  });
});
