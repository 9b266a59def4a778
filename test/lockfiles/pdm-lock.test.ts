import { describe, expect, it } from 'vitest';
import { readText } from './reading.ts';

const SHA = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);
const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const sha256 = (value: string) => ({ algorithm: 'sha256', value, encoding: 'hex' });

describe('pdm.lock', () => {
  it('reads packages, one for all extras', () => {
    const text = `[metadata]
lock_version = "4.5.0"

[[package]]
name = "a"
version = "1.0"
groups = ["default", "dev"]
dependencies = ["B>=1; python_version > '3'"]
files = [{file = "a.whl", hash = "sha256:${SHA}"}]

[[package]]
name = "a"
version = "1.0"
extras = ["x"]
groups = ["dev"]
dependencies = ["a==1.0", "g"]

[[package]]
name = "b"
version = "1.0"
groups = ["docs"]

[[package]]
name = "g"
version = "1.0"
sections = ["dev"]
git = "https://user:hunter2@h/g.git"
revision = "${COMMIT}"

[[package]]
name = "me"
version = "0"
editable = true
path = "."

[[package]]
name = "u"
version = "1.0"
url = "https://h/u.whl"

[metadata.files]
"b 1.0" = [{url = "https://h/b.whl", hash = "sha256:${OTHER}"}]
`;
    const { packages, problems } = readText('pdm.lock', text);
    const g = `g@1.0 (https://h/g.git#${COMMIT})`;
    expect(problems).toEqual([]);
    expect(packages.map(({ id, line, groups, dependencies }) => [id, line, groups, dependencies])).toEqual([
      ['a@1.0', 5, [], ['b@1.0', g]],
      ['b@1.0', 19, ['optional', 'docs'], []],
      [g, 24, ['dev'], []],
      ['u@1.0 (https://h/u.whl)', 37, [], []],
    ]);
    expect(packages.map(({ integrity }) => integrity)).toEqual([[sha256(SHA)], [sha256(OTHER)], [], []]);
  });
});
