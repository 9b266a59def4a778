import { describe, expect, it } from 'vitest';
import { byName, failureOf, readText } from './reading.ts';

const SHA = 'ab'.repeat(32);
const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const LOCK = `GIT
  remote: https://user:hunter2@github.com/o/g.git
  revision: ${COMMIT}
  branch: main
  specs:
    g (1.0)
      a (~> 1.0)

PATH
  remote: .
  specs:
    own (0.1)
      c

PATH
  remote: engines/e
  specs:
    e (0.1)

PLUGIN SOURCE
  remote: https://plugins.example/x
  type: x
  specs:
    p (1.0)

GEM
  remote: https://rubygems.org/
  remote: https://gems.example/
  specs:
    a (1.0-x86_64-linux)
      b (>= 1)
    a (1.0)
    b (1.0.0.pre1)
    c (2.0)
    bad entry

GEM
  remote: https://user:hunter2@gems.acme.example/
  specs:
    d (1.0)

PLATFORMS
  ruby
  x86_64-linux

DEPENDENCIES
  d (~> 1.0)
  e!
  g!
  own!

CHECKSUMS
  a (1.0) sha256=${SHA}
  a (1.0-x86_64-linux) sha256=${SHA},sha512=cd
  d (1.0)

RUBY VERSION
   ruby 3.3.0p0

BUNDLED WITH
   2.6.0
`;

describe('Gemfile.lock', () => {
  const { packages, problems } = readText('Gemfile.lock', LOCK);

  it('reads all gems except those of the target', () => {
    expect(packages.map(({ id, line, direct, dependencies }) => [id, line, direct, dependencies])).toEqual([
      [`g@1.0 (https://github.com/o/g.git#${COMMIT})`, 6, true, ['a@1.0']],
      ['e@0.1 (engines/e)', 18, true, []],
      ['p@1.0 (https://plugins.example/x)', 24, false, []],
      ['a@1.0', 30, false, ['b@1.0.0.pre1']],
      ['b@1.0.0.pre1', 33, false, []],
      ['c@2.0', 34, true, []],
      ['d@1.0', 40, true, []],
    ]);
    expect(problems).toEqual([{ kind: 'unread', line: 35, message: '"bad entry" is not `name (version)`' }]);
  });

  it('reads digests of all platforms and the remote', () => {
    const named = byName(packages);
    expect(named.get('a')).toMatchObject({
      purl: 'pkg:gem/a@1.0',
      source: { kind: 'registry', url: 'https://rubygems.org/ https://gems.example/' },
      integrity: [
        { algorithm: 'sha256', value: SHA, encoding: 'hex' },
        { algorithm: 'sha512', value: 'cd', encoding: 'hex' },
      ],
    });
    expect(named.get('d')?.source).toEqual({ kind: 'registry', url: 'https://gems.acme.example/' });
    expect(named.get('p')?.source).toEqual({ kind: 'url', url: 'https://plugins.example/x' });
  });

  it('has a second name, and unknown sections are skipped, as in Bundler', () => {
    expect(readText('gems.locked', LOCK).packages).toEqual(packages);
    expect(readText('Gemfile.lock', 'nothing of a lockfile\n')).toEqual({
      format: 'gemfile-lock',
      packages: [],
      problems: [
        { kind: 'unread', line: 1, message: '"nothing of a lockfile" is not a section of a Gemfile.lock' },
      ],
    });
    const other = readText('Gemfile.lock', `${LOCK}\nGEMS\n  specs:\n    lost (1.0)\n`);
    expect(other.packages).toEqual(packages);
    expect(other.problems).toContainEqual({
      kind: 'unread',
      line: LOCK.split('\n').length + 1,
      message: '"GEMS" is not a section of a Gemfile.lock',
    });
    expect(failureOf('Gemfile.lock', `${LOCK}<<<<<<< HEAD\n`)).toMatchObject({
      code: 'syntax',
      message: `Gemfile.lock:${LOCK.split('\n').length}: unresolved merge conflict`,
    });
  });
});
