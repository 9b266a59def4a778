import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LockfileError } from '../../src/lockfiles/errors.ts';
import { type PnpmDocument, readDocument } from '../../src/lockfiles/pnpm-lock/document.ts';
import { readGeneral, readLines, type YamlReader } from '../../src/lockfiles/syntax/read-yaml.ts';
import { UnknownLayout } from '../../src/lockfiles/syntax/unknown-layout.ts';
import { type BerryEntry, readEntries } from '../../src/lockfiles/yarn-lock/berry/packages.ts';
import { CORPORA } from './reading.ts';
import { SAMPLES } from './samples.ts';

type Result = readonly (readonly BerryEntry[] | PnpmDocument)[];

/** The result of one pass; `unknown` when it leaves the text to the general parser. */
function byLines(read: (yaml: YamlReader) => Result[number], text: string): Result | 'unknown' {
  try {
    return readLines({ text }, read);
  } catch (error) {
    if (error instanceof UnknownLayout) return 'unknown';
    throw error;
  }
}

/** The result of the general parser; `refused` for invalid YAML. */
function byParser(read: (yaml: YamlReader) => Result[number], text: string): Result | 'refused' {
  try {
    return readGeneral(text, 'x', read);
  } catch (error) {
    if (error instanceof LockfileError) return 'refused';
    throw error;
  }
}

const READERS = { 'yarn-lock': readEntries, 'pnpm-lock': readDocument } as const;

/** Compares both ways. Returns whether both have a result. */
function agree(format: keyof typeof READERS, text: string): boolean {
  const lines = byLines(READERS[format], text);
  const parsed = byParser(READERS[format], text);
  if (lines === 'unknown' || parsed === 'refused') return false;
  expect(lines).toEqual(parsed);
  return true;
}

function corporaFiles(): readonly (readonly [keyof typeof READERS, string])[] {
  const files: [keyof typeof READERS, string][] = [];
  const lockfiles = join(CORPORA, 'lockfiles');
  if (!existsSync(lockfiles)) return [];
  for (const group of readdirSync(lockfiles)) {
    const format =
      group === 'yarn-berry' ? 'yarn-lock' : group.startsWith('pnpm-lock') ? 'pnpm-lock' : undefined;
    if (format === undefined || group.endsWith('invalid')) continue;
    for (const name of readdirSync(join(lockfiles, group))) {
      const { input } = JSON.parse(readFileSync(join(lockfiles, group, name, 'expected.json'), 'utf8'));
      files.push([format, join(lockfiles, group, name, input)]);
    }
  }
  const real = join(CORPORA, 'real');
  for (const file of existsSync(real) ? readdirSync(real) : []) {
    if (file.endsWith('pnpm-lock.yaml')) files.push(['pnpm-lock', join(real, file)]);
    if (file.endsWith('yarn.lock') && readFileSync(join(real, file), 'utf8').includes('\n__metadata:')) {
      files.push(['yarn-lock', join(real, file)]);
    }
  }
  return files;
}

describe('the one-pass reader and the general parser', () => {
  it.skipIf(corporaFiles().length === 0)(
    'read the files of the corpora alike, and the first reads all',
    () => {
      for (const [format, path] of corporaFiles()) {
        const text = readFileSync(path, 'utf8');
        // An empty file is one document for one reader and none for the other.
        if (text.trim() !== '') expect(agree(format, text), path).toBe(true);
      }
    },
  );

  const name = fc.constantFrom('a', '@s/b', 'c.d', "'e'", '"f"', 'x y', 'g-h_i');
  const range = fc.constantFrom(
    ...[
      '1.0.0',
      '^1',
      '"npm:^1"',
      "'>=1 <2'",
      '1.10',
      'true',
      '~',
      '',
      '{}',
      '[]',
      '*x',
      '&y 1',
      '!!str 1',
      '|',
    ],
    ...[
      "'it''s'",
      '"\\u0041"',
      'a # b',
      'a#b',
      "'a # b'",
      '{a: 1}',
      'a: b',
      '- a',
      '>-',
      '"a',
      'workspace:*',
    ],
  );
  const member = fc.tuple(name, range).map(([key, value]) => `${key}: ${value}`);
  const field = fc.oneof(
    fc
      .tuple(
        fc.constantFrom('version', 'resolution', 'checksum', 'name', 'dev', 'optional', 'x', '"version"'),
        range,
      )
      .map(([key, value]) => [`${key}: ${value}`]),
    fc
      .tuple(
        fc.constantFrom('dependencies', 'optionalDependencies', 'dependenciesMeta', 'resolution', 'y'),
        fc.constantFrom('', ' {}', ' # c', ' {a: 1}', ' &z'),
        fc.uniqueArray(member, { maxLength: 3, selector: (one) => one.replace(/["']|:.*/g, '') }),
      )
      .map(([key, value, members]) => [`${key}:${value}`, ...members.map((one) => `  ${one}`)]),
    fc.constantFrom(
      ['dependenciesMeta:', '  a:', '    optional: true'],
      ['# comment'],
      [''],
      ['- a'],
      ['conditions: os=x'],
    ),
  );
  const entry = fc
    .tuple(fc.nat(), fc.array(field, { maxLength: 5 }), fc.constantFrom('', ' ', ' {}', ' # c'))
    .map(([at, fields, after]) => ({ key: `k${at}@npm:1`, fields, after }));
  const entries = fc.uniqueArray(entry, { maxLength: 4, selector: ({ key }) => key });

  function keysOf(fields: readonly (readonly string[])[]): readonly string[] {
    return fields.map(([first = '']) => first.replace(/["']|:.*/g, ''));
  }

  it('have the same result for generated files: yarn', () => {
    let agreed = 0;
    fc.assert(
      fc.property(entries, fc.constantFrom('\n', '\r\n'), (all, ending) => {
        const lines = all.flatMap(({ key, fields, after }) => [
          `"${key}":${after}`,
          ...fields.flat().map((line) => `  ${line}`),
        ]);
        if (agree('yarn-lock', `__metadata:\n  version: 8\n${lines.join('\n')}\n`.replaceAll('\n', ending)))
          agreed += 1;
      }),
      { numRuns: 2_000 },
    );
    expect(agreed).toBeGreaterThan(100);
  });

  it('have the same result for generated files: pnpm', () => {
    let agreed = 0;
    fc.assert(
      fc.property(entries, fc.constantFrom('packages', 'snapshots'), (all, section) => {
        const lines = all
          .filter(({ fields }) => new Set(keysOf(fields)).size === fields.length)
          .flatMap(({ key, fields, after }) => [
            `  ${key}:${after}`,
            ...fields.flat().map((line) => `    ${line}`),
          ]);
        if (agree('pnpm-lock', `lockfileVersion: '9.0'\n${section}:\n${lines.join('\n')}\n`)) agreed += 1;
      }),
      { numRuns: 2_000 },
    );
    expect(agreed).toBeGreaterThan(100);
  });

  it.each(Object.keys(READERS) as (keyof typeof READERS)[])(
    'have the same result for a changed %s',
    (format) => {
      const sample = SAMPLES[format === 'yarn-lock' ? 'yarn-lock (berry)' : format] ?? '';
      expect(agree(format, sample)).toBe(true);
      const piece = fc.constantFrom(
        ' ',
        '\n',
        '  ',
        ':',
        ': ',
        '#',
        ' #',
        '"',
        "'",
        '{',
        '}',
        ',',
        '- ',
        '? ',
        '&a ',
        '*',
        '\t',
        '|',
      );
      fc.assert(
        fc.property(fc.nat({ max: sample.length }), fc.nat({ max: 3 }), piece, (at, cut, text) => {
          agree(format, sample.slice(0, at) + text + sample.slice(at + cut));
        }),
        { numRuns: 3_000 },
      );
    },
  );
});
