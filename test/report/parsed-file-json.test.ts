import { describe, expect, it } from 'vitest';
import { readLockfile } from '../../src/lockfiles/read.ts';
import { parsedFileJson } from '../../src/report/parsed-file.ts';
import { SAMPLES } from '../lockfiles/samples.ts';

const FIELDS = [
  ...['id', 'ecosystem', 'name', 'version', 'purl', 'direct', 'groups', 'integrity', 'source', 'line'],
  'dependencies',
];

const documentOf = (file: Parameters<typeof parsedFileJson>[0]) =>
  JSON.parse([...parsedFileJson(file)].join(''));

describe('the JSON of a file', () => {
  it.each(Object.entries(SAMPLES))('has all fields of each package in one order: %s', (name, text) => {
    const format = name.replace(/ \(.*\)$/, '');
    const lockfile = readLockfile({ path: 'file', content: Buffer.from(text), format });
    const document = documentOf({ path: 'file', scanPath: 'file', lockfile });
    expect(Object.keys(document)).toEqual(['path', 'format', 'complete', 'packages', 'problems']);
    expect(document.packages.length).toBeGreaterThan(0);
    for (const [index, locked] of document.packages.entries()) {
      expect(Object.keys(locked)).toEqual(FIELDS);
      const { direct = null, line = null, dependencies = null, ...others } = lockfile.packages[index] ?? {};
      expect(locked).toEqual({ ...others, direct, line, dependencies });
    }
  });

  it('has all packages of a file of several parts', () => {
    const packages = Array.from({ length: 250 }, (_, index) => [
      `node_modules/p${index}`,
      { version: '1.0.0' },
    ]);
    const content = Buffer.from(
      JSON.stringify({ lockfileVersion: 3, packages: Object.fromEntries([['', {}], ...packages]) }),
    );
    const lockfile = readLockfile({ path: 'package-lock.json', content });
    expect(documentOf({ path: 'a', scanPath: 'a', lockfile }).packages).toEqual(
      JSON.parse(JSON.stringify(lockfile.packages)),
    );
  });

  it('is the error of a file that cannot be read', () => {
    const error = { code: 'syntax', message: 'line 1' };
    expect([...parsedFileJson({ path: 'a', scanPath: 'a', error })].join('')).toBe(
      `${JSON.stringify({ path: 'a', error })}\n`,
    );
  });
});
