import { describe, expect, it } from 'vitest';
import { byName, failureOf, readText } from './reading.ts';

const SHA = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);
const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const sha256 = (value: string) => ({ algorithm: 'sha256', value, encoding: 'hex' });

describe('pylock.toml', () => {
  it('reads all packages except the project itself', () => {
    const text = `lock-version = "1.0"
created-by = "x"
extras = ["fast"]
default-groups = ["test"]

[[packages]]
name = "a"
version = "1.0"
marker = "'fast' in extras"
index = "https://user:hunter2@pypi.acme.example/simple"
dependencies = [{ name = "b", version = "2.0" }, { name = "g" }]
wheels = [{ name = "a.whl", url = "https://h/a.whl", hashes = { sha256 = "${SHA}" } }]

[[packages]]
name = "b"
version = "1.0"
marker = "'lint' in dependency_groups or \\"docs\\" in dependency_groups"

[[packages]]
name = "b"
version = "2.0"
marker = "'test' in dependency_groups or 'lint' in dependency_groups"

[[packages]]
name = "g"
[packages.vcs]
type = "git"
url = "https://user:hunter2@h/g"
commit-id = "${COMMIT}"

[[packages]]
name = "me"
directory = { path = ".", editable = true }

[[packages]]
name = "z"
archive = { url = "https://h/z.zip", hashes = { sha512 = "${OTHER}" } }

[[packages]]
name = "none"
`;
    const { packages, problems } = readText('pylock.toml', text, {
      'pyproject.toml':
        '[project]\ndependencies = ["A[x]>=1"]\n[dependency-groups]\nlint = ["b", { include-group = "x" }]\n',
    });
    expect(packages.map(({ id, line, direct, groups }) => [id, line, direct, groups])).toEqual([
      ['a@1.0', 7, true, ['optional', 'fast']],
      ['b@1.0', 15, true, ['dev', 'lint', 'docs']],
      ['b@2.0', 20, true, []],
      [`g@ (https://h/g#${COMMIT})`, 25, false, []],
      ['z@ (https://h/z.zip)', 36, false, []],
    ]);
    expect(byName(packages).get('a')).toMatchObject({
      dependencies: ['b@2.0', `g@ (https://h/g#${COMMIT})`],
      integrity: [sha256(SHA)],
      source: { kind: 'registry', url: 'https://pypi.acme.example/simple' },
    });
    expect(problems).toEqual([{ kind: 'unread', line: 40, message: '"none" has no version' }]);
  });

  it('leaves edges unknown when no entry has any', () => {
    const text = 'lock-version = "1.0"\ncreated-by = "x"\n[[packages]]\nname = "a"\nversion = "1"\n';
    expect(readText('pylock.dev.toml', text).packages).toMatchObject([{ dependencies: undefined }]);
  });
});

describe('another major version of the format', () => {
  it('is refused', () => {
    expect(failureOf('pylock.toml', 'lock-version = "2.0"\ncreated-by = "x"\n').code).toBe(
      'unsupported-version',
    );
  });
});
