import { describe, expect, it } from 'vitest';
import { failureOf, readText } from './reading.ts';

const read = (content: object) => readText('deno.lock', JSON.stringify(content));

const shown = ({ packages }: ReturnType<typeof read>) =>
  packages.map(({ id, purl, direct, dependencies }) => [id, purl, direct, dependencies]);

const NPM = {
  'a@1.0.0_c@2.0.0': {
    integrity: 'sha512-YWJj',
    dependencies: ['alias@npm:b@1.0.0', 'c@2.0.0', 'string_decoder'],
  },
  'a@1.0.0_c@3.0.0': { integrity: 'sha512-YWJj', dependencies: ['c@3.0.0'] },
  'b@1.0.0': { integrity: 'sha512-YWJj', optionalDependencies: ['@x/native'], scripts: true },
  '@x/native@1.0.0-rc.1': { os: ['linux'] },
  'c@2.0.0': {},
  'c@3.0.0': {},
  'string_decoder@1.3.0': {},
};

describe('deno.lock', () => {
  it('reads the packages of version 5: peers, aliases, optional ones, names that are used once', () => {
    const found = read({
      version: '5',
      specifiers: { 'npm:a@1': '1.0.0_c@2.0.0', 'npm:b@*': '1.0.0' },
      npm: NPM,
      workspace: { members: { m: { packageJson: { dependencies: ['npm:a@1'] } } } },
    });
    expect(shown(found)).toEqual([
      ['a@1.0.0', 'pkg:npm/a@1.0.0', true, ['b@1.0.0', 'c@2.0.0', 'string_decoder@1.3.0', 'c@3.0.0']],
      // Code names it without the workspace.
      ['b@1.0.0', 'pkg:npm/b@1.0.0', true, ['@x/native@1.0.0-rc.1']],
      ['@x/native@1.0.0-rc.1', 'pkg:npm/%40x/native@1.0.0-rc.1', false, []],
      ['c@2.0.0', 'pkg:npm/c@2.0.0', false, []],
      ['c@3.0.0', 'pkg:npm/c@3.0.0', false, []],
      ['string_decoder@1.3.0', 'pkg:npm/string_decoder@1.3.0', false, []],
    ]);
    expect(found.statesScripts).toBe(true);
    expect(found.packages.filter(({ installScript }) => installScript).map(({ id }) => id)).toEqual([
      'b@1.0.0',
    ]);
    expect(found.problems).toEqual([]);
  });

  it('reads packages of JSR, and does not take what they need for direct', () => {
    const found = read({
      version: '4',
      specifiers: { 'jsr:@s/m@1': '1.0.2', 'jsr:@s/n@^1.1': '1.1.0', 'npm:c@2': '2.0.0' },
      jsr: {
        '@s/m@1.0.2': { integrity: 'ab'.repeat(32), dependencies: ['jsr:@s/n', 'npm:c@2'] },
        '@s/n@1.1.0': {},
      },
      npm: { 'c@2.0.0': {} },
      workspace: { dependencies: ['jsr:@s/m@1'] },
    });
    expect(shown(found)).toEqual([
      ['c@2.0.0', 'pkg:npm/c@2.0.0', false, []],
      ['@s/m@1.0.2', 'pkg:jsr/%40s/m@1.0.2', true, ['@s/n@1.1.0', 'c@2.0.0']],
      ['@s/n@1.1.0', 'pkg:jsr/%40s/n@1.1.0', false, []],
    ]);
    expect(found.packages[1]?.integrity).toEqual([
      { algorithm: 'sha256', value: 'ab'.repeat(32), encoding: 'hex' },
    ]);
  });

  it.each([
    [
      '3',
      {
        packages: {
          specifiers: { 'npm:a@1': 'npm:a@1.0.0' },
          npm: { 'a@1.0.0': { dependencies: { alias: 'b@1.0.0' } }, 'b@1.0.0': { dependencies: {} } },
        },
        remote: {},
      },
    ],
    [
      '2',
      {
        remote: {},
        npm: {
          specifiers: { 'a@1': 'a@1.0.0' },
          packages: { 'a@1.0.0': { dependencies: { alias: 'b@1.0.0' } }, 'b@1.0.0': { dependencies: {} } },
        },
      },
    ],
  ])('reads version %s', (version, content) => {
    const { packages } = readText('deno.lock', JSON.stringify({ version, ...content }, null, 2));
    expect(packages.map(({ id, direct, dependencies }) => [id, direct, dependencies])).toEqual([
      ['a@1.0.0', true, ['b@1.0.0']],
      ['b@1.0.0', false, []],
    ]);
    expect(packages.every(({ line }) => line !== undefined && line > 4)).toBe(true);
  });

  it('has the registry of a package whose archive is elsewhere', () => {
    const url = 'https://user:hunter2@npm.jsr.io/~/11/@jsr/s__m/1.0.2.tgz';
    const { packages } = read({ version: '5', npm: { '@jsr/s__m@1.0.2': { tarball: url } } });
    expect(packages[0]?.source).toEqual({ kind: 'registry', url: url.replace('user:hunter2@', '') });
  });

  it('says of modules that they are not packages, and of what it cannot read where it is', () => {
    const remote = { 'https://deno.land/std/a.ts': 'ab', 'https://deno.land/std/b.ts': 'cd' };
    const { packages, problems } = readText(
      'deno.lock',
      JSON.stringify({ version: '5', npm: { 'c@2.0.0': {}, plain: {}, 'd@1.0.0': 7 }, remote }, null, 1),
    );
    expect(packages.map(({ id }) => id)).toEqual(['c@2.0.0']);
    expect(problems).toEqual([
      { kind: 'unread', line: 5, message: '"plain" has no version' },
      { kind: 'unread', line: 6, message: '"d@1.0.0" is not an object' },
      {
        kind: 'unclear',
        line: undefined,
        message: '2 modules are locked by URL: no index has advisories about modules',
      },
    ]);
  });

  it('refuses older versions, reads newer ones as far as it can, and believes that a workspace needs nothing', () => {
    expect(failureOf('deno.lock', '{"https://deno.land/std/a.ts": "ab"}').code).toBe('unsupported-version');
    expect(read({ version: '6', npm: { 'c@2.0.0': {} } }).problems).toHaveLength(1);
    expect(read({ version: '5', workspace: {} }).problems).toEqual([]);
    expect(read({ version: '5' }).problems).toHaveLength(1);
    expect(failureOf('deno.lock', '').code).toBe('empty');
    expect(failureOf('deno.lock', '{"version": "5", "npm": {"a@1.0.0": {').code).toBe('syntax');
  });
});
