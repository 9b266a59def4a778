import { isAscii } from 'node:buffer';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FolderName, NpmEntry } from '../../src/lockfiles/npm-package-lock/entry.ts';
import { isEntry } from '../../src/lockfiles/npm-package-lock/entry.ts';
import { readPackagesMap } from '../../src/lockfiles/npm-package-lock/packages-map.ts';
import { readGeneral, readPackages } from '../../src/lockfiles/npm-package-lock/read-packages.ts';
import { UnknownLayout } from '../../src/lockfiles/syntax/unknown-layout.ts';
import { damaged } from './damaged.ts';
import { CORPORA } from './reading.ts';

/** Compares both readers. Returns whether the one-pass reader accepted the text. */
function agree(text: string): boolean {
  const read = asWritten(text);
  if (read === undefined) return false;
  const root = JSON.parse(text) as { lockfileVersion?: unknown; packages: object };
  expect([2, 3]).toContain(root.lockfileVersion);
  const parsed = readGeneral(root.packages, text);
  expect(read.entries).toEqual(parsed.entries.map(asStated));
  expect(read.content).toEqual(readPackagesMap(parsed));
  return true;
}

function asWritten(text: string) {
  try {
    const content = Buffer.from(text);
    const read = readPackages({ text, bytes: isAscii(content) ? new Uint8Array(content) : undefined });
    return { entries: read.entries.map(asStated), content: readPackagesMap(read) };
  } catch (error) {
    if (error instanceof UnknownLayout) return undefined;
    throw error;
  }
}

/** The entry with the texts of its names, without repeated ones. */
function asStated(entry: NpmEntry) {
  const texts = (names: readonly FolderName[]) => [...new Set(names.map((name) => name.text))];
  return {
    ...entry,
    dependencies: texts(entry.dependencies),
    optionalDependencies: texts(entry.optionalDependencies),
    peerDependencies: texts(entry.peerDependencies),
    devDependencies: texts(entry.devDependencies),
  };
}

function packageLocks(): readonly string[] {
  const lockfiles = join(CORPORA, 'lockfiles');
  if (!existsSync(lockfiles)) return [];
  const cases = ['npm-package-lock-v2', 'npm-package-lock-v3'].flatMap((group) =>
    readdirSync(join(lockfiles, group)).map((name) => {
      const { input } = JSON.parse(readFileSync(join(lockfiles, group, name, 'expected.json'), 'utf8'));
      return join(lockfiles, group, name, input);
    }),
  );
  const real = join(CORPORA, 'real');
  const files = existsSync(real) ? readdirSync(real) : [];
  return [
    ...cases,
    ...files.filter((file) => file.endsWith('package-lock.json')).map((file) => join(real, file)),
  ];
}

const word = fc.oneof(
  fc.stringMatching(/^@?[a-z][a-z0-9/-]{0,8}$/),
  fc.constantFrom('__proto__', 'constructor', 'a\\b', 'quo"te', 'é', '', '3d', 'version', 'packages'),
);
const text = fc.oneof(
  word,
  fc.constantFrom('1.0.0', 'npm:a@1', 'https://r.example/a/-/a-1.0.0.tgz', 'sha512-AA=='),
);
const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(true, false, null, 0, -1.5e-7));
const list = fc.oneof(
  { arbitrary: fc.dictionary(word, text, { maxKeys: 4 }), weight: 20 },
  { arbitrary: odd, weight: 1 },
);
const field = fc.oneof({ arbitrary: text, weight: 12 }, { arbitrary: odd, weight: 1 });
const flag = fc.oneof({ arbitrary: fc.boolean(), weight: 8 }, { arbitrary: odd, weight: 1 });
const entry = fc.record(
  {
    ...{ name: field, version: field, resolved: field, integrity: field, workspaces: odd, license: field },
    ...{
      link: flag,
      dev: flag,
      optional: flag,
      devOptional: flag,
      peer: flag,
      inBundle: flag,
      bundled: flag,
    },
    ...{ dependencies: list, optionalDependencies: list, peerDependencies: list, devDependencies: list },
    ...{ engines: odd, peerDependenciesMeta: odd, funding: odd },
  },
  { requiredKeys: [] },
);
const path = fc.oneof(
  word.map((name) => `node_modules/${name}`),
  fc.tuple(word, word).map(([parent, name]) => `node_modules/${parent}/node_modules/${name}`),
  fc.constantFrom('', 'packages/a', 'packages/a/node_modules/b', '12', '012', 'node_modules/7'),
);
const lockfile = fc
  .tuple(
    fc.constantFrom(3, 3, 3, 2, 2, 1, '3', null),
    fc.dictionary(path, fc.oneof({ arbitrary: entry, weight: 30 }, { arbitrary: odd, weight: 1 }), {
      maxKeys: 6,
    }),
    odd,
    fc.constantFrom(2, 4, '\t', 0, 1),
    fc.boolean(),
  )
  .map(([lockfileVersion, packages, dependencies, indent, hasReturns]) => {
    const json = JSON.stringify(
      { name: 'x', lockfileVersion, requires: true, packages, dependencies },
      null,
      indent,
    );
    return hasReturns ? json.replaceAll('\n', '\r\n') : json;
  });

describe('the one-pass reader and the general parser', () => {
  it.skipIf(packageLocks().length === 0)(
    'read the files of the corpora alike, and the first reads all',
    () => {
      for (const file of packageLocks()) {
        const json = readFileSync(file, 'utf8');
        const root: unknown = JSON.parse(json);
        expect(agree(json), file).toBe(isEntry(root) && isEntry(root.packages));
      }
    },
  );

  it('have the same result for generated files in any layout', () => {
    let agreed = 0;
    fc.assert(
      fc.property(lockfile, (json) => {
        if (agree(json)) agreed += 1;
      }),
      { numRuns: 2_000 },
    );
    expect(agreed).toBeGreaterThan(500);
  });

  it('have the same result for damaged files', () => {
    let agreed = 0;
    fc.assert(
      fc.property(damaged(lockfile), (json) => {
        if (agree(json)) agreed += 1;
      }),
      { numRuns: 5_000 },
    );
    expect(agreed).toBeGreaterThan(500);
  });

  it.each([
    ['a repeated entry', '{"lockfileVersion":3,"packages":{"a":{},"b":{},"a":{"version":"1"}}}'],
    ['a repeated package', '{"lockfileVersion":3,"packages":{"node_modules/a":{},"node_modules/a":{}}}'],
    [
      'a repeated nested package',
      '{"lockfileVersion":3,"packages":{"x/node_modules/a":{},"y/node_modules/a":{},"x/node_modules/a":{}}}',
    ],
    ['a path without end', `{"lockfileVersion":3,"packages":{"${'a/node_modules/'.repeat(300)}":{}}}`],
    ['repeated packages', '{"lockfileVersion":3,"packages":{"a":{}},"packages":{"b":{}}}'],
    ['a repeated version', '{"lockfileVersion":3,"packages":{"a":{}},"lockfileVersion":2}'],
    ['a numeric path', '{"lockfileVersion":3,"packages":{"a":{},"1":{}}}'],
    ['a numeric name', '{"lockfileVersion":3,"packages":{"a":{"dependencies":{"b":"1","7":"1"}}}}'],
    ['an entry that is no object', '{"lockfileVersion":3,"packages":{"a":[]}}'],
    ['a list that is no object', '{"lockfileVersion":3,"packages":{"a":{"dependencies":["b"]}}}'],
    ['another version', '{"lockfileVersion":1,"packages":{"a":{}}}'],
    ['no version', '{"packages":{"a":{}}}'],
    ['no packages', '{"lockfileVersion":3}'],
    ['more behind its end', '{"lockfileVersion":3,"packages":{"a":{}}} {}'],
  ])('%s is left to the general parser', (_what, json) => {
    expect(asWritten(json)).toBeUndefined();
  });

  it('the last of repeated fields has precedence', () => {
    const fields =
      '"version":"1","version":"2","dev":true,"dev":false,"dependencies":{"a":"1"},"dependencies":{"b":"1"}';
    expect(agree(`{"lockfileVersion":3,"packages":{"node_modules/x":{${fields}}}}`)).toBe(true);
  });
});
