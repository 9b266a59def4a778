import { describe, expect, it } from 'vitest';
import type { System } from '../../src/model/lockfile/ecosystem.ts';
import { schemeOf } from '../../src/versions/scheme.ts';

/** Orders that the ecosystems publish, the earliest first. */
const ORDERS: readonly (readonly [System, string, readonly string[]])[] = [
  [
    'NPM',
    'semver.org, 11',
    [
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
      '2.0.0',
      '2.1.0',
      '2.1.1',
    ],
  ],
  [
    'CARGO',
    'semver.org, 11',
    ['1.0.0-alpha', '1.0.0-beta.2', '1.0.0-beta.11', '1.0.0-rc.1', '1.0.0', '1.0.10'],
  ],
  [
    'PACKAGIST',
    'composer/semver, which was asked about each pair',
    [
      ...[
        '1.0.0-dev',
        '1.0.0-alpha1',
        '1.0.0-alpha.2',
        'v1.0.0-beta1',
        '1.0-b2',
        '1.0.0RC1',
        '1.0',
        '1.0.0-patch1',
      ],
      ...['1.0.0.1', '1.0.1', '1.2', '1.10.0', '2010.01.02', '20100102'],
    ],
  ],
  ['PUB', 'pub_semver', ['1.0.0-dev', '1.0.0', '1.0.0+1', '1.0.0+2', '1.0.0+10', '1.0.1']],
  ['HEX', 'Version.compare of Elixir', ['1.0.0-rc.1', '1.0.0-rc.10', '1.0.0', '1.10.0']],
  ['SWIFTURL', 'semver.org, 11', ['v1.0.0-beta.1', '1.0.0', 'v1.2.0', '1.10.0']],
  [
    'PYPI',
    'PEP 440, "Summary of permitted suffixes and relative ordering"',
    [
      '1.dev0',
      '1.0.dev456',
      '1.0a1',
      '1.0a2.dev456',
      '1.0a12.dev456',
      '1.0a12',
      '1.0b1.dev456',
      '1.0b2',
      '1.0b2.post345.dev456',
      '1.0b2.post345',
      '1.0rc1.dev456',
      '1.0rc1',
      '1.0',
      '1.0+abc.5',
      '1.0+abc.7',
      '1.0+5',
      '1.0.post456.dev34',
      '1.0.post456',
      '1.0.15',
      '1.1.dev1',
      '1!0.1',
    ],
  ],
  ['RUBYGEMS', 'Gem::Version', ['0.9', '1.0.a', '1.0.a10', '1.0.b1', '1.0', '1.0.1', '3.2.0', '3.10.0']],
  [
    'GO',
    'go.dev/ref/mod, "Versions" and "Pseudo-versions"',
    [
      'v0.0.0-20191109021931-daa7c04131f5',
      'v1.2.3-pre',
      'v1.2.3',
      'v1.2.4-0.20191109021931-daa7c04131f5',
      'v1.2.4',
      'v1.10.0',
      'v2.0.0+incompatible',
    ],
  ],
  ['GO', 'the toolchain', ['go1.20.14', 'go1.21rc2', 'go1.21', 'go1.21.1', 'go1.22']],
  [
    'MAVEN',
    'POM Reference, "Version Order Specification"',
    [
      '1-alpha',
      '1-beta',
      '1-milestone',
      '1-rc',
      '1-snapshot',
      '1',
      '1-sp',
      '1-abc',
      '1-foo2',
      '1-foo10',
      '1-1',
      '1.1',
      '2',
    ],
  ],
  [
    'MAVEN',
    'usual releases',
    [
      '1.0-alpha-1',
      '1.0-alpha-2',
      '1.0-beta-1',
      '1.0-M1',
      '1.0-M10',
      '1.0-RC1',
      '1.0',
      '1.0.1',
      '2.9.9',
      '2.10.0',
      '2.10.0.1',
    ],
  ],
  [
    'NUGET',
    'NuGet, "Pre-release versions"',
    [
      '1.0.1-alpha',
      '1.0.1-alpha2',
      '1.0.1-beta',
      '1.0.1-open',
      '1.0.1-rc.2',
      '1.0.1-rc.10',
      '1.0.1-zzz',
      '1.0.1',
      '1.0.1.1',
      '1.0.2',
    ],
  ],
];

describe.each(ORDERS)('the order of %s (%s)', (system, _source, versions) => {
  const { compare, isValid } = schemeOf(system);

  it('is as published', () => {
    expect(versions.filter((version) => !isValid(version))).toEqual([]);
    expect(versions.toReversed().sort(compare)).toEqual(versions);
    expect(versions.map((version) => compare(version, version))).toEqual(versions.map(() => 0));
  });

  it('is strict and has no exceptions between any two', () => {
    for (const [at, left] of versions.entries()) {
      for (const right of versions.slice(at + 1)) {
        expect([left, right, Math.sign(compare(left, right))]).toEqual([left, right, -1]);
        expect([right, left, Math.sign(compare(right, left))]).toEqual([right, left, 1]);
      }
    }
  });
});

it.each([
  ['MAVEN', '1', '1.0'],
  ['MAVEN', '1', '1-ga'],
  ['MAVEN', '1', '1.0.0-final'],
  ['MAVEN', '1-alpha-1', '1-a1'],
  ['MAVEN', '1-rc1', '1-CR1'],
  ['MAVEN', '1.rc1', '1-rc-1'],
  ['MAVEN', '2.0.0-Final', '2'],
  ['MAVEN', '1.0.0-x', '1-x'],
  ['MAVEN', '1..2', '1.0.2'],
  ['NUGET', '1.0', '1.0.0.0'],
  ['NUGET', '1.0.0-RC', '1.0.0-rc'],
  ['NUGET', '1.0.0+build', '1.0.0'],
  ['PYPI', '1.0', '1.0.0'],
  ['PYPI', '1.1RC1', '1.1.rc1'],
  ['RUBYGEMS', '1.0', '1.0.0'],
  ['RUBYGEMS', '1.2.3', '1.2.3-x86_64-linux'],
  ['RUBYGEMS', '1.2.3', '1.2.3-powerpc-darwin'],
  ['RUBYGEMS', '1.0.0.a', '1.a'],
  ['PYPI', '1.0-1', '1.0.post1'],
  ['PYPI', '1.0a', '1.0-alpha_0'],
  ['PYPI', '1.0+Ubuntu_1', '1.0+ubuntu.01'],
  ['GO', 'go1.21', 'go1.21.0'],
] as const)('%s: %s is %s', (system, left, right) => {
  expect(schemeOf(system).compare(left, right)).toBe(0);
});

/** Pairs whose first version is the earlier one, as the ecosystem's own tool orders them. */
it.each([
  // org.apache.maven.artifact.versioning.ComparableVersion, 3.8.7
  ['MAVEN', '7.4.1', '7.4.1.jre8'],
  ['MAVEN', '3.1.4', '3.1.4.SP1'],
  ['MAVEN', '5.0.0.RC3', '5.0.0'],
  ['MAVEN', '5.0.0.rc.3', '5.0.0'],
  ['MAVEN', '6.2.0.Alpha1', '6.2.0-Beta1'],
  ['MAVEN', '4.0.0-beta2', '4.0-M1'],
  ['MAVEN', '2.1.0-1', '2.1.0.1'],
  ['MAVEN', '1-ga-1', '1-1'],
  ['MAVEN', '1.x', '1-1'],
  ['MAVEN', '1_1', '1-1'],
  ['MAVEN', '9.9007199254740992', '9.9007199254740993'],
  ['MAVEN', '9.9223372036854775807', '9.9223372036854775808'],
  // Gem::Version
  ['RUBYGEMS', '2.0.RC1', '2.0.beta1'],
  ['RUBYGEMS', '2.0.0-1', '2.0.0'],
  ['RUBYGEMS', '1.9007199254740992.1', '1.9007199254740993.0'],
  // packaging.version.Version
  ['PYPI', '1.9007199254740992.post1', '1.9007199254740993.dev1'],
  ['PYPI', '1.999999999999999999999998', '1.999999999999999999999999'],
  ['PYPI', '1.0+1e5', '1.0+1f'],
  ['PYPI', '1.0+b', '1.0+9'],
  // semver.org, 11: numeric identifiers have no limit, and those with letters are no numbers
  ['NUGET', '1.9007199254740992.2', '1.9007199254740993.1'],
  ['NUGET', '1.0.0-a.9007199254740992', '1.0.0-a.9007199254740993'],
  ['NPM', '1.0.0-9007199254740992', '1.0.0-9007199254740993'],
  ['NPM', '1.0.0-x.10000000000000000', '1.0.0-x.9007199254740993a'],
  ['NPM', '1.0.0-x.90071992547409930a', '1.0.0-x.9007199254740993a'],
  ['CARGO', '1.9007199254740992.1', '1.9007199254740993.0'],
  ['CARGO', '1.0.999', '1.0.18446744073709551615'],
  ['GO', 'v0.0.0-20191109021931000-daa7c04131f5', 'v0.0.0-20191109021931001-aaa7c04131f5'],
  ['GO', 'v1.9007199254740992.1', 'v1.9007199254740993.0'],
] as const)('%s: %s is before %s', (system, left, right) => {
  const { compare, isValid } = schemeOf(system);
  expect([isValid(left), isValid(right)]).toEqual([true, true]);
  expect([Math.sign(compare(left, right)), Math.sign(compare(right, left))]).toEqual([-1, 1]);
});

/** Requirements from each ecosystem's documentation, with versions inside and outside. */
const REQUIREMENTS: readonly (readonly [System, string, readonly string[], readonly string[]])[] = [
  ['NPM', '^1.2.3', ['1.2.3', '1.9.0'], ['1.2.2', '2.0.0', '1.3.0-beta.1']],
  ['NPM', '^0.2.3', ['0.2.3', '0.2.9'], ['0.3.0']],
  ['NPM', '^0.0.3', ['0.0.3'], ['0.0.4']],
  ['NPM', '~1.2.3', ['1.2.9'], ['1.3.0']],
  ['NPM', '1.2.7 || >=1.2.9 <2.0.0', ['1.2.7', '1.2.9', '1.4.6'], ['1.2.8', '2.0.0']],
  ['NPM', '1.x', ['1.9.9'], ['2.0.0']],
  ['NPM', 'npm:lodash@^4.0.0', ['4.17.21'], ['5.0.0']],
  ['NPM', 'npm:^4.0.0', ['4.17.21'], ['5.0.0']],
  ['CARGO', '1.2.3', ['1.2.3', '1.9.0'], ['2.0.0', '1.2.2']],
  ['CARGO', '0.2', ['0.2.9'], ['0.3.0']],
  ['CARGO', '=1.2.3', ['1.2.3'], ['1.2.4']],
  ['CARGO', '1.*', ['1.9.0'], ['2.0.0']],
  ['CARGO', '>=1.2, <1.5', ['1.2.0', '1.4.9'], ['1.5.0']],
  ['CARGO', '~1.2', ['1.2.9'], ['1.3.0']],
  ['CARGO', '~1.9007199254740992', ['1.9007199254740992.5'], ['1.9007199254740993.0']],
  ['NPM', '>1.0.0-9007199254740992', ['1.0.0-9007199254740993'], ['1.0.0-9007199254740992']],
  ['PYPI', '~=2.2', ['2.2', '2.9'], ['3.0', '2.1']],
  ['PYPI', '~=1.4.5', ['1.4.5', '1.4.9'], ['1.5.0']],
  ['PYPI', '==1.1.*', ['1.1', '1.1.post1'], ['1.2']],
  ['PYPI', '>=1.0,!=1.5,<2', ['1.0', '1.9'], ['1.5', '2.0']],
  ['PYPI', '(>=1.0)', ['1.0'], ['0.9']],
  ['PYPI', '^1.2.3', ['1.2.3', '1.9'], ['2.0.0']],
  ['PYPI', '^0.2.3', ['0.2.9'], ['0.3.0']],
  ['PYPI', '~1.2', ['1.2.9'], ['1.3']],
  ['PYPI', '<1.0 || >=2.0', ['0.9', '2.1'], ['1.5']],
  ['PYPI', '', ['1.0'], []],
  ['PYPI', '<2.0rc2', ['2.0rc1'], ['2.0rc2', '2.0']],
  ['PYPI', '<2.0', ['1.9'], ['2.0rc1', '2.0.dev1']],
  ['PYPI', '<2.0.post2', ['2.0', '2.0.post1', '2.0rc1'], ['2.0.post2.dev1']],
  ['PYPI', '>2.0', ['2.0.1'], ['2.0.post1', '2.0+local', '2.0.post1.dev2']],
  ['PYPI', '>2.0.post1', ['2.0.post2'], ['2.0.post1+local']],
  ['PYPI', '>2.0rc1', ['2.0rc2', '2.0'], ['2.0rc1.post1']],
  ['PYPI', '==2.0.*', ['2', '2.0rc1', '2.0.5'], ['2.1', '1!2.0']],
  ['PYPI', '==2.0', ['2.0+local', '2'], ['2.0.post1']],
  ['PYPI', '==2.0+a', ['2.0+A'], ['2.0', '2.0+b']],
  ['PYPI', '===2.0+a', ['2.0+A'], ['2.0']],
  ['PYPI', '>=1.9007199254740993', ['1.9007199254740993'], ['1.9007199254740992']],
  ['PYPI', '^1.9007199254740993', ['1.9007199254740993'], ['1.9007199254740992']],
  ['RUBYGEMS', '~> 2.2', ['2.2', '2.9'], ['3.0']],
  ['RUBYGEMS', '~> 2.2.0', ['2.2.9'], ['2.3']],
  ['RUBYGEMS', '>= 1.0, < 3', ['1.0', '2.9'], ['3.0']],
  ['RUBYGEMS', '!= 1.5', ['1.4'], ['1.5']],
  ['RUBYGEMS', '~> 2', ['2.9'], ['3.0']],
  ['RUBYGEMS', '~> 2.2.rc1', ['2.2.rc2', '2.9'], ['3.0', '3.0.a']],
  ['RUBYGEMS', '~> 1.9007199254740992.0', ['1.9007199254740992.5'], ['1.9007199254740993.0']],
  ['MAVEN', '[1.0]', ['1.0'], ['1.1']],
  ['MAVEN', '[1.2,1.3]', ['1.2', '1.3'], ['1.3.1']],
  ['MAVEN', '[1.0,2.0)', ['1.9'], ['2.0']],
  [
    'MAVEN',
    '[42.2.25,42.2.25.jre6]',
    ['42.2.25.jre5', '42.2.25', '42.2.25.SP1'],
    ['42.2.25.jre7', '42.2.25.RC1'],
  ],
  ['MAVEN', '(,1.0],[1.2,)', ['0.9', '1.0', '1.2'], ['1.1']],
  ['NUGET', '1.0', ['1.0', '5.0'], ['0.9']],
  ['NUGET', '(1.0,)', ['1.1'], ['1.0']],
  ['NUGET', '[1.0]', ['1.0'], ['1.1']],
  ['NUGET', '(,1.0)', ['0.9'], ['1.0']],
  ['NUGET', '[1.0, 2.0)', ['1.0', '1.9'], ['2.0']],
  ['NUGET', '1.2.*', ['1.2.9'], ['1.3.0']],
  ['NUGET', '[9007199254740993]', ['9007199254740993.0'], ['9007199254740992.0']],
  ['GO', 'v1.2.0', ['v1.2.0', 'v1.9.0'], ['v1.1.0']],
];

it.each(REQUIREMENTS)('%s: the requirement %s', (system, requirement, inside, outside) => {
  const { satisfies } = schemeOf(system);
  expect(inside.filter((version) => satisfies(version, requirement) !== true)).toEqual([]);
  expect(outside.filter((version) => satisfies(version, requirement) !== false)).toEqual([]);
});

it.each([
  ['NPM', 'latest'],
  ['NPM', 'workspace:*'],
  ['NPM', 'file:../lib'],
  ['NPM', 'github:owner/repo'],
  ['CARGO', 'newest'],
  ['PYPI', 'git+https://example.com/a.git'],
  ['PYPI', '>=1.0+local'],
  ['PYPI', '~=1'],
  ['PYPI', '>1.*'],
  ['PYPI', '==1.0rc1.*'],
  ['RUBYGEMS', 'master'],
  ['MAVEN', '(1.0)'],
  ['MAVEN', '[1.0'],
  ['NUGET', '(1.0)'],
  ['NUGET', 'newest'],
] as const)('%s: %s is no range', (system, requirement) => {
  expect(schemeOf(system).satisfies('1.0.0', requirement)).toBeUndefined();
});

it.each([
  ['NPM', '1.2.3', '1'],
  ['NPM', '0.3.1', '0.3'],
  ['NPM', '0.0.7', '0.0.7'],
  ['CARGO', '9007199254740993.0.0', '9007199254740993'],
  ['PYPI', '2024.1', '2024'],
  ['RUBYGEMS', '7.1.3', '7'],
  ['MAVEN', '2.17.1', '2'],
  ['NUGET', '13.0.3', '13'],
] as const)('%s: %s is of the line %s', (system, version, line) => {
  expect(schemeOf(system).line(version)).toBe(line);
});
