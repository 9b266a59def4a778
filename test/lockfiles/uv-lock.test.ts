import { describe, expect, it } from 'vitest';
import { failureOf, readText } from './reading.ts';

const SHA = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);
const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const sha256 = (value: string) => ({ algorithm: 'sha256', value, encoding: 'hex' });

describe('uv.lock', () => {
  const LOCK = `version = 1
revision = 2
requires-python = ">=3.8"

[manifest]
members = ["member", "root"]

[[package]]
name = "a"
version = "1.0"
source = { registry = "https://user:hunter2@pypi.acme.example/simple" }
dependencies = [
    { name = "two", version = "2.0", source = { registry = "https://pypi.org/simple" } },
]
sdist = { url = "https://h/a.tar.gz", hash = "sha256:${SHA}" }
wheels = [{ url = "https://h/a.whl", hash = "sha256:${OTHER}" }]

[package.optional-dependencies]
x = [{ name = "extra" }]

[[package]]
name = "extra"
version = "1.0"
source = { url = "https://user:hunter2@h/extra.whl" }

[[package]]
name = "g"
version = "1.0"
source = { git = "https://user:hunter2@github.com/o/g?rev=main#${COMMIT}" }

[[package]]
name = "local"
version = "1.0"
source = { directory = "../local" }

[[package]]
name = "member"
version = "0.1"
source = { editable = "member" }
dependencies = [{ name = "local" }]

[[package]]
name = "root"
version = "0.1"
source = { virtual = "." }
dependencies = [{ name = "a", extra = ["x"] }, { name = "member" }]

[package.optional-dependencies]
fast = [{ name = "g" }]

[package.dev-dependencies]
lint = [{ name = "two", version = "1.0" }]

[[package]]
name = "two"
version = "1.0"
source = { registry = "https://pypi.org/simple" }

[[package]]
name = "two"
version = "2.0"
source = { registry = "https://pypi.org/simple" }
`;

  it('reads all packages except members, with propagated groups', () => {
    const { packages, problems } = readText('uv.lock', LOCK);
    expect(problems).toEqual([]);
    expect(packages.map(({ id, line, direct, groups }) => [id, line, direct, groups])).toEqual([
      ['a@1.0', 9, true, []],
      ['extra@1.0 (https://h/extra.whl)', 22, false, []],
      [`g@1.0 (https://github.com/o/g#${COMMIT})`, 27, true, ['fast', 'optional']],
      ['local@1.0 (../local)', 32, true, []],
      ['two@1.0', 55, true, ['dev', 'lint']],
      ['two@2.0', 60, false, []],
    ]);
    expect(packages[0]).toMatchObject({
      dependencies: ['two@2.0', 'extra@1.0 (https://h/extra.whl)'],
      integrity: [sha256(SHA), sha256(OTHER)],
      source: { kind: 'registry', url: 'https://pypi.acme.example/simple' },
    });
  });

  it('reads direct dependencies of a script or a workspace without a root from the manifest', () => {
    const text = `version = 1
[manifest]
requirements = [{ name = "A" }]
[manifest.dependency-groups]
lint = [{ name = "b" }]
[[package]]
name = "a"
version = "1"
source = { registry = "../index" }
[[package]]
name = "b"
version = "1"
source = { path = "b.whl" }
`;
    expect(readText('uv.lock', text).packages).toMatchObject([
      { direct: true, groups: [], source: { kind: 'path', path: '../index' } },
      { direct: true, groups: ['dev', 'lint'], source: { kind: 'path', path: 'b.whl' } },
    ]);
  });

  it('is read as the lockfile of a script', () => {
    const text = 'version = 1\n\n[[package]]\nname = "a"\nversion = "1"\n';
    expect(readText('tool.py.lock', text)).toMatchObject({ format: 'uv-lock', packages: [{ id: 'a@1' }] });
  });

  it('refuses other versions', () => {
    for (const version of ['2', '"1"', '[1]', '{ toString = 1 }', '2024-01-01']) {
      expect(failureOf('uv.lock', `version = ${version}\n`).code).toBe('unsupported-version');
    }
  });
});
