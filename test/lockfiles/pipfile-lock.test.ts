import { describe, expect, it } from 'vitest';
import { failureOf, readText } from './reading.ts';

const SHA = 'ab'.repeat(32);
const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const sha256 = (value: string) => ({ algorithm: 'sha256', value, encoding: 'hex' });

describe('Pipfile.lock', () => {
  const LOCK = JSON.stringify(
    {
      _meta: { sources: [{ name: 'acme', url: 'https://user:hunter2@pypi.acme.example/simple' }] },
      default: {
        a: { version: '==1.0', index: 'acme', hashes: [`sha256:${SHA}`] },
        g: { git: 'https://user:hunter2@h/g.git', ref: COMMIT },
        me: { editable: true, path: '.' },
        p: { path: './p' },
        wild: { version: '*' },
      },
      develop: { a: { version: '==1.0' }, b: { version: '===2.0' } },
      docs: { b: { version: '==2.0' }, d: { version: '==3' } },
    },
    undefined,
    4,
  );

  it('reads packages with the groups of their categories', () => {
    const { packages, problems } = readText('Pipfile.lock', LOCK, { Pipfile: '[packages]\nA = "*"\n' });
    expect(packages.map(({ id, direct, groups, source }) => [id, direct, groups, source])).toEqual([
      ['a@1.0', true, [], { kind: 'registry', url: 'https://pypi.acme.example/simple' }],
      [`g@ (https://h/g.git#${COMMIT})`, false, [], { kind: 'git', url: 'https://h/g.git', commit: COMMIT }],
      ['p@ (./p)', false, [], { kind: 'path', path: './p' }],
      ['b@2.0', false, ['dev', 'docs'], { kind: 'registry' }],
      ['d@3', false, ['docs'], { kind: 'registry' }],
    ]);
    const a = packages[0];
    expect(a?.integrity).toEqual([sha256(SHA)]);
    expect(LOCK.split('\n')[(a?.line ?? 0) - 1]).toContain('"a"');
    expect(problems).toMatchObject([{ message: '"wild" does not pin a version: *' }]);
  });

  it('refuses other files', () => {
    expect(failureOf('Pipfile.lock', '[]').code).toBe('wrong-format');
    expect(failureOf('Pipfile.lock', '{').code).toBe('syntax');
  });
});
