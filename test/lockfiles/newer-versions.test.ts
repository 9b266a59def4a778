import { describe, expect, it } from 'vitest';
import { readText } from './reading.ts';

/** A lockfile of each format with a given version and the same packages. */
const LOCKS: Readonly<Record<string, (version: string) => string>> = {
  'Cargo.lock': (version) =>
    `version = ${version}\n\n[[package]]\nname = "a"\nversion = "1.0.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n`,
  'pdm.lock': (version) =>
    `[metadata]\nlock_version = "${version}.5.0"\n\n[[package]]\nname = "a"\nversion = "1.0.0"\n`,
  'bun.lock': (version) =>
    `{"lockfileVersion": ${version}, "workspaces": {"": {"name": "own"}}, "packages": {"a": ["a@1.0.0", "", {}, ""]}}`,
  'yarn.lock': (version) =>
    `__metadata:\n  cacheKey: 10\n  version: ${version}\n\n"a@npm:1":\n  version: 1.0.0\n  resolution: "a@npm:1.0.0"\n`,
};

describe('a lockfile of a newer version than supported', () => {
  it.each([
    ['Cargo.lock', '4', '5'],
    ['pdm.lock', '4', '5'],
    ['bun.lock', '2', '3'],
    ['yarn.lock', '10', '11'],
  ])('%s is read and counts as incomplete', (path, known, newer) => {
    const lock = LOCKS[path];
    if (lock === undefined) throw new Error('no such lock');
    expect(readText(path, lock(known))).toMatchObject({ packages: [{ id: 'a@1.0.0' }], problems: [] });
    expect(readText(path, lock(newer))).toMatchObject({
      packages: [{ id: 'a@1.0.0' }],
      problems: [{ kind: 'unread', message: expect.stringContaining('the newest supported') }],
    });
  });
});
