import { describe, expect, it } from 'vitest';
import { CUT } from '../../src/lockfiles/packages/lockfile-builder.ts';
import { failureOf, readText } from './reading.ts';
import { SAMPLES } from './samples.ts';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const GIT = `?vcs_url=https:%2F%2Fh%2Fg.git%40${COMMIT}`;

/** Each format by its file, with its purls, and then direct dependencies, groups and edges where the file states them. */
const READ: readonly (readonly [file: string, sample: string, shown: readonly (readonly unknown[])[]])[] = [
  [
    'composer.lock',
    'composer-lock',
    [
      ['pkg:composer/o/a@v1.0.0', true, [], ['o/b@1.1.0 (../b)']],
      ['pkg:composer/o/b@1.1.0', false, [], []],
      [`pkg:composer/o/d@dev-main${GIT.replace('g.git', 'd.git')}`, true, ['dev'], []],
    ],
  ],
  [
    'pubspec.lock',
    'pubspec-lock',
    [
      ['pkg:pub/a@1.0.0+1', true, [], undefined],
      ['pkg:pub/flutter@0.0.0', false, [], undefined],
      [`pkg:pub/g@2.0.0${GIT}`, true, ['dev'], undefined],
      ['pkg:pub/p@0.0.1', true, [], undefined],
    ],
  ],
  [
    'Package.resolved',
    'package-resolved',
    [
      ['pkg:swift/github.com/o/a@1.2.0', undefined, [], undefined],
      [`pkg:swift/h/o/b@${COMMIT}${GIT.replace('g.git', 'o%2Fb')}`, undefined, [], undefined],
      ['pkg:swift/o/c@2.0.0', undefined, [], undefined],
    ],
  ],
  [
    'pixi.lock',
    'pixi-lock',
    [
      ['pkg:conda/a-lib@1.0', undefined, [], undefined],
      ['pkg:pypi/b@2.0', undefined, [], undefined],
      [`pkg:pypi/d@3${GIT}`, undefined, [], undefined],
    ],
  ],
  [
    'conda-lock.yml',
    'conda-lock-yml',
    [
      ['pkg:conda/python@3.12', undefined, [], []],
      ['pkg:pypi/b@2.0', undefined, ['dev'], ['python@3.12']],
    ],
  ],
  [
    'Manifest.toml',
    'manifest-toml',
    [
      ['pkg:julia/A@1.0.0', undefined, [], ['B@0.2.0 (https://h/g.git#main)']],
      ['pkg:julia/B@0.2.0?vcs_url=https:%2F%2Fh%2Fg.git%40main', undefined, [], ['A@1.0.0']],
    ],
  ],
  [
    'shard.lock',
    'shard-lock',
    [
      [`pkg:shards/a@0.1.0${GIT}`, undefined, [], undefined],
      ['pkg:shards/b@0.2.0', undefined, [], undefined],
    ],
  ],
  [
    'Chart.lock',
    'chart-lock',
    [
      ['pkg:helm/a@1.2.3', true, [], undefined],
      ['pkg:helm/b@0.1.0', true, [], undefined],
    ],
  ],
  [
    'Cartfile.resolved',
    'cartfile-resolved',
    [
      ['pkg:swift/h/f.json@1.0.0?download_url=https:%2F%2Fh%2Ff.json', undefined, [], undefined],
      [`pkg:swift/h/o/g@${COMMIT}`, undefined, [], undefined],
      ['pkg:swift/github.com/o/a@v1.2.0', undefined, [], undefined],
    ],
  ],
  [
    'Podfile.lock',
    'podfile-lock',
    [
      ['pkg:cocoapods/A@1.0.0', true, [], ['B+C@2.1']],
      ['pkg:cocoapods/B%2BC@2.1', false, [], []],
      [`pkg:cocoapods/G@0.1.0${GIT}`, true, [], []],
      ['pkg:cocoapods/P@0.2.0', true, [], []],
    ],
  ],
  [
    'mix.lock',
    'mix-lock',
    [
      ['pkg:hex/a_real@1.0.0', undefined, [], ['acme/b@1.1.0']],
      ['pkg:hex/acme/b@1.1.0', undefined, [], []],
      [`pkg:hex/g${GIT}`, undefined, [], []],
    ],
  ],
  [
    'mix.lock',
    'mix-lock (old)',
    [
      ['pkg:hex/a@1.0.0', undefined, [], []],
      ['pkg:hex/b@1.1.0', undefined, [], ['a@1.0.0']],
    ],
  ],
  [
    'rebar.lock',
    'rebar-lock',
    [
      ['pkg:hex/a_real@1.0.0', true, [], undefined],
      [`pkg:hex/g${GIT}`, false, [], undefined],
    ],
  ],
  [
    'paket.lock',
    'paket-lock',
    [
      ['pkg:nuget/A@5.1.0', true, [], ['B@4.3.4']],
      ['pkg:nuget/B@4.3.4', false, [], []],
      [
        `pkg:generic/github.com/o/g?vcs_url=https:%2F%2Fgithub.com%2Fo%2Fg%40${COMMIT}`,
        false,
        [],
        ['B@4.3.4'],
      ],
      [`pkg:generic/h/r${GIT.replace('g.git', 'r.git')}`, false, [], []],
      ['pkg:generic/h/f.fs?download_url=https:%2F%2Fh%2Ff.fs', false, [], []],
      ['pkg:nuget/B@5.0.0-beta', true, ['test'], []],
    ],
  ],
  [
    'conan.lock',
    'conan-lock',
    [
      ['pkg:conan/a@1.2.11', undefined, [], undefined],
      ['pkg:conan/b@1.0', undefined, [], undefined],
      ['pkg:conan/c@3.22.0', undefined, ['build'], undefined],
    ],
  ],
  [
    'conan.lock',
    'conan-lock (v0.4)',
    [
      ['pkg:conan/a@1.2.11', undefined, [], undefined],
      ['pkg:conan/b@1.0', undefined, ['build'], undefined],
    ],
  ],
  [
    'cabal.project.freeze',
    'cabal-project-freeze',
    [
      ['pkg:hackage/a@1.0.2', undefined, [], undefined],
      ['pkg:hackage/b-c@0.9', undefined, [], undefined],
      ['pkg:hackage/d@1', undefined, [], undefined],
    ],
  ],
  [
    'stack.yaml.lock',
    'stack-yaml-lock',
    [
      ['pkg:hackage/a-b@1.0.2', undefined, [], undefined],
      [`pkg:hackage/g@0.1${GIT}`, undefined, [], undefined],
    ],
  ],
  [
    'renv.lock',
    'renv-lock',
    [
      ['pkg:cran/a@1.0', undefined, [], ['b@2.0-1']],
      ['pkg:bioconductor/b@2.0-1', undefined, [], ['a@1.0']],
      [`pkg:cran/g@0.1${GIT.replace('h%2Fg.git', 'github.com%2Fo%2Fg')}`, undefined, [], []],
    ],
  ],
  [
    '.terraform.lock.hcl',
    'terraform-lock-hcl',
    [
      ['pkg:terraform/hashicorp/aws@5.1.0', undefined, [], undefined],
      ['pkg:terraform/registry.opentofu.org/o/p@0.1.0', undefined, [], undefined],
    ],
  ],
];

const COMPANIONS = {
  'composer.json': '{"require": {"php": "8", "O/A": "1"}, "require-dev": {"o/d": "*"}}',
  'paket.dependencies': 'source https://h\nnuget A ~> 5\ngroup Test\n  nuget b\n',
};

it.each(READ)('%s is read: %s', (file, sample, shown) => {
  const { packages } = readText(file, SAMPLES[sample] ?? '', COMPANIONS);
  expect(
    packages.map(({ purl, direct, groups, dependencies }) => [purl, direct, groups, dependencies]),
  ).toEqual(shown);
});

it('a repository has the same name by each form of its address', () => {
  const forms = [
    'https://github.com/o/a.git',
    'git@github.com:o/a.git',
    'ssh://git@github.com/o/a',
    'https://u:p@github.com/o/a/',
  ];
  const pins = forms.map((location) => ({ location, state: { version: '1.0.0' } }));
  const { packages } = readText('Package.resolved', JSON.stringify({ pins, version: 3 }));
  expect(packages.map(({ purl }) => purl)).toEqual(['pkg:swift/github.com/o/a@1.0.0']);
});

describe('a file that is cut where what is left of it is valid', () => {
  it.each([
    ['composer.lock', '{"_readme": []}'],
    ['Package.resolved', '{"version": 2}'],
    ['renv.lock', '{"R": {}}'],
    ['conan.lock', '{"version": "0.5"}'],
    ['pubspec.lock', SAMPLES['pubspec-lock']?.replace(/\nsdks:.*$/s, '\n')],
    ['Podfile.lock', SAMPLES['podfile-lock']?.replace(/\n\nSPEC REPOS.*$/s, '\n')],
    ['stack.yaml.lock', SAMPLES['stack-yaml-lock']?.replace(/\nsnapshots:.*$/s, '\n')],
    ['mix.lock', SAMPLES['mix-lock']?.replace(/\n}\n$/, '\n')],
    ['rebar.lock', '{"1.2.0",\n[{<<"a">>,{pkg,<<"a">>,<<"1.0.0">>},0},\n'],
    ['cabal.project.freeze', 'constraints: any.a ==1,\n'],
    ['.terraform.lock.hcl', SAMPLES['terraform-lock-hcl']?.replace(/\n}\n$/, '\n')],
  ])('is a problem: %s', (file, text = '') => {
    expect(readText(file, text).problems).toEqual([
      expect.objectContaining({ kind: 'unread', message: expect.stringContaining(CUT) }),
    ]);
  });
});

describe('an entry that cannot be read', () => {
  it.each([
    ['composer.lock', '{"packages": [\n{"name": "o/a", "version": "1"},\n7,\n{"version": "1"}]}', [1, 4]],
    ['conan.lock', '{"version": "0.5", "requires": ["a/1", 7, "b"]}', [undefined, undefined]],
    [
      'pubspec.lock',
      'packages:\n  a:\n    version: "1"\n  b: 7\n  c:\n    source: hosted\nsdks: {}\n',
      [4, 5],
    ],
    ['Podfile.lock', 'PODS:\n  - A (1)\n  - B\n  - [x]\nCOCOAPODS: 1\n', [undefined, undefined]],
    ['mix.lock', '%{\n  "a": {:hex, :a, "1"},\n  "b": {:path, "b"},\n}\n', [3]],
    ['rebar.lock', '[{<<"a">>,{pkg,<<"a">>,<<"1">>},0},\n {<<"b">>,{path,"b"},0}].\n', [2]],
    ['paket.lock', 'NUGET\n  remote: https://h\n    A (1.0.0)\n    B\nOTHER\n    C (1)\n', [4, 5]],
    ['Cartfile.resolved', 'github "o/a" "1"\nsvn "x" "1"\n', [2]],
    ['cabal.project.freeze', 'constraints: a ==1,\n  b ==1 || ==2,\n  c >=1\n', [2, 3]],
    ['.terraform.lock.hcl', 'provider "h/a" {\n  version = "1"\n}\n\nprovider "h/b" {\n}\n', [5]],
  ])('is a problem with its line where that is known: %s', (file, text, lines) => {
    const { packages, problems } = readText(file, text);
    expect(packages).toHaveLength(1);
    expect(problems.map(({ kind, line }) => [kind, line])).toEqual(lines.map((line) => ['unread', line]));
  });
});

it('a file that states that it locks nothing is read completely, and an empty one is not', () => {
  for (const [file, text] of [
    ['composer.lock', '{"packages": [], "packages-dev": null}'],
    ['Package.resolved', '{"pins": [], "version": 2}'],
    ['renv.lock', '{"Packages": {}}'],
    ['pubspec.lock', 'packages: {}\nsdks:\n  dart: "3"\n'],
    ['mix.lock', '%{}\n'],
    ['rebar.lock', '[].\n'],
  ] as const) {
    expect(readText(file, text)).toMatchObject({ packages: [], problems: [] });
    expect(failureOf(file, ' ').code).toBe('empty');
  }
});

it('unresolved merge conflicts are errors', () => {
  for (const file of ['mix.lock', 'paket.lock', 'Podfile.lock'])
    expect(failureOf(file, 'PODS:\n<<<<<<< HEAD\n  - A (1)\n').message).toMatch(
      /:2: unresolved merge conflict$/,
    );
});
