import { describe, expect, it } from 'vitest';
import { byName, failureOf, readText } from './reading.ts';

const LOCK = `{
  // Partly written manually.
  "lockfileVersion": 1,
  "workspaces": {
    "": {
      "name": "root",
      "dependencies": { "a": "^1", "alias": "npm:b@1", },
      "devDependencies": { "t": "1" },
    },
    "packages/w": { "name": "w", "optionalDependencies": { "a": "2" } },
  },
  "packages": {
    "a": ["a@1.0.0", "", { "dependencies": { "c": "^1" }, "peerDependencies": { "t": "*" }, "optionalPeers": ["t"] }, "sha512-YWJj"],
    "a/c": ["c@2.0.0", "", {}, "sha512-YWJj"],
    "alias": ["b@1.0.0", "", { "dependencies": { "c": "^1" } }, "sha512-YWJj"],
    "c": ["c@1.0.0", "", {}, "sha512-YWJj"],
    "git": ["git@github:o/g#0123456", {}, "o-g-0123456"],
    "local": ["local@file:../local", {}],
    "t": ["t@1.0.0", "", {}, "sha512-YWJj"],
    "tar": ["tar@https://user:hunter2@files.example/t.tgz?token=hunter2", {}],
    "w": ["w@workspace:packages/w"],
    "w/a": ["@s/a@2.0.0", "https://user:hunter2@npm.acme.example/a.tgz", {}, "sha512-YWJj"],
    "bad": ["bad"],
    "worse": {},
  },
}
`;

describe('bun.lock', () => {
  const { packages, problems } = readText('bun.lock', LOCK);

  it('reads all packages with their facts', () => {
    expect(
      packages.map(({ id, line, direct, groups, dependencies }) => [id, line, direct, groups, dependencies]),
    ).toEqual([
      ['a@1.0.0', 13, true, [], ['c@2.0.0', 't@1.0.0']],
      ['c@2.0.0', 14, false, [], []],
      ['b@1.0.0', 15, true, [], ['c@1.0.0']],
      ['c@1.0.0', 16, false, [], []],
      ['git@ (git+ssh://git@github.com/o/g.git#0123456)', 17, false, [], []],
      ['local@ (../local)', 18, false, [], []],
      // An optional peer dependency does not change the groups of a package.
      ['t@1.0.0', 19, true, ['dev', 'optional'], []],
      ['tar@ (https://files.example/t.tgz)', 20, false, [], []],
      ['@s/a@2.0.0', 22, true, ['optional'], []],
    ]);
    expect(byName(packages).get('@s/a')).toMatchObject({
      purl: 'pkg:npm/%40s/a@2.0.0',
      source: { kind: 'registry', url: 'https://npm.acme.example/a.tgz' },
      integrity: [{ algorithm: 'sha512', value: 'YWJj', encoding: 'base64' }],
    });
  });

  it('reports unreadable entries', () => {
    expect(problems).toEqual([
      { kind: 'unread', line: 23, message: '"bad" does not begin with its name and version' },
      { kind: 'unread', line: 24, message: '"worse" is not a list' },
    ]);
  });

  it.each([
    ['{"lockfileVersion": 99, "packages": {}}', 'unsupported-version'],
    ['{"lockfileVersion": "1", "packages": {}}', 'unsupported-version'],
    ['{"lockfileVersion": 1, "packages": {"a": [', 'syntax'],
    ['[]', 'wrong-format'],
    ['<!doctype html>', 'wrong-format'],
  ])('refuses %s', (text, code) => {
    expect(failureOf('bun.lock', text).code).toBe(code);
  });

  it('keeps commas and slashes in strings', () => {
    const text = '{"workspaces":{},"packages":{"a":["a@file:./x,]//y/*z*/",{},],/* c */}}';
    expect(readText('bun.lock', text).packages).toMatchObject([
      { name: 'a', source: { kind: 'path', path: './x,]//y/*z*/' } },
    ]);
  });

  it.each([
    ['too deep', 'a/'.repeat(65), 1],
    ['in too many places', 'a/'.repeat(60), 20_000],
  ])('keeps packages that nest %s, and says that their edges are not read', (_what, path, count) => {
    const entries = Array.from(
      { length: count },
      (_, at) => `"x${at}/${path}b": ["b@1.0.${at}", "", {}, ""],`,
    );
    const { packages, problems } = readText('bun.lock', `{"packages": {${entries.join('\n')}}}`);
    expect(packages).toHaveLength(count);
    expect(problems.at(0)).toMatchObject({
      kind: 'unclear',
      message: expect.stringMatching(/edges are not read$/),
    });
  });

  it('says what to do about the binary lockfile', () => {
    const failure = failureOf('bun.lockb', '#!/usr/bin/env bun\nbun-lockfile-format-v0\n\0');
    expect(failure.code).toBe('unsupported-version');
    expect(failure.message).toContain('bun install --save-text-lockfile');
  });
});
