import { describe, expect, it } from 'vitest';
import { sourceOf } from '../../src/lockfiles/ecosystems/npm-source.ts';
import { withoutCredentials, withoutSecrets } from '../../src/lockfiles/packages/sources.ts';
import { readLockfile } from '../../src/lockfiles/read.ts';
import { formatOfSample, SAMPLES } from './samples.ts';

describe('a location', () => {
  it.each([
    ['https://user:hunter2@h/a', 'https://h/a'],
    ['https://hunter2@h/a', 'https://h/a'],
    ['git+https://user:hun@ter2@h/a@1', 'git+https://h/a@1'],
    ['git+ssh://git:hunter2@h/a', 'git+ssh://git@h/a'],
    ['ssh://git@h/a', 'ssh://git@h/a'],
    ['git@h:o/a', 'git@h:o/a'],
    ['//user:hunter2@h/a', '//h/a'],
    ['s3://key:hunter2@bucket/a', 's3://bucket/a'],
    ['https://h/@scope/a', 'https://h/@scope/a'],
    ['https://h/a?token=hunter2', 'https://h/a'],
    ['https://h/a?x=1&access_token=hunter2&y=2#c', 'https://h/a?x=1&y=2#c'],
    ['https://h/a?X-Amz-Signature=hunter2&X-Amz-Credential=hunter2#c', 'https://h/a#c'],
    ['https://h/a?ref=0123456&private_token=hunter2', 'https://h/a?ref=0123456'],
    ['https://h/a?monkey=1&keyboard=2&tokens=3', 'https://h/a?monkey=1&keyboard=2&tokens=3'],
  ])('%s becomes %s', (location, wanted) => {
    expect(withoutCredentials(location)).toBe(wanted);
    expect(withoutSecrets(`"${location}" is it, ${location}`)).toBe(`"${wanted}" is it, ${wanted}`);
  });
});

describe('credentials in any file', () => {
  const samples = Object.entries(SAMPLES).filter(([, sample]) => /https:\/\//.test(sample));

  it.each(samples)('are removed from %s', (label, sample) => {
    const text = sample
      .replaceAll('https://', 'https://user:hunter2@')
      .replaceAll('https%3A%2F%2F', 'https%3A%2F%2Fuser:hunter2%40');
    const read = readLockfile({ path: 'x', content: Buffer.from(text), format: formatOfSample(label) });
    expect(JSON.stringify(read)).toContain('https');
    expect(JSON.stringify(read)).not.toContain('hunter2');
  });

  it.each(samples)('are removed from the problems of a damaged %s', (label, sample) => {
    const text = sample.replaceAll('https://', 'https://user:hunter2@');
    for (let at = 0; at < text.length; at += 7) {
      try {
        const cut = Buffer.from(text.slice(0, at) + text.slice(at + 5));
        const read = readLockfile({ path: 'x', content: cut, format: formatOfSample(label) });
        for (const { message } of read.problems) expect(message).not.toContain('hunter2@');
      } catch (error) {
        expect(String(error)).not.toContain('hunter2');
      }
    }
  });
});

describe('the source of a location', () => {
  const COMMIT = '0123456789abcdef0123456789abcdef01234567';
  it.each([
    [`https://github.com/o/r#${COMMIT}`, { kind: 'git', url: 'https://github.com/o/r', commit: COMMIT }],
    [
      `https://gitlab.com/g/s/r#commit=${COMMIT}`,
      { kind: 'git', url: 'https://gitlab.com/g/s/r', commit: COMMIT },
    ],
    [
      `https://github.com/o/r/tarball/v1#${COMMIT}`,
      { kind: 'url', url: `https://github.com/o/r/tarball/v1#${COMMIT}` },
    ],
    [
      `https://gitlab.com/o/r/-/archive/v1/r.tar.gz#${COMMIT}`,
      { kind: 'url', url: `https://gitlab.com/o/r/-/archive/v1/r.tar.gz#${COMMIT}` },
    ],
    [`https://h/r.git#workspace=x&commit=${COMMIT}`, { kind: 'git', url: 'https://h/r.git', commit: COMMIT }],
    ['https://h/r.git#main', { kind: 'git', url: 'https://h/r.git#main' }],
    [`file:./a.tgz#${COMMIT}`, { kind: 'path', path: './a.tgz' }],
    ['https://h/a/-/a-1.0.0.tgz', { kind: 'registry', url: 'https://h/a/-/a-1.0.0.tgz' }],
    [
      `https://h/${'/-'.repeat(50_000)}`,
      { kind: 'url', url: `https://h/${'/-'.repeat(50_000)}`.slice(0, 2_048) },
    ],
  ] as const)('%#', (location, wanted) => {
    expect(sourceOf(location, undefined)).toEqual(wanted);
  });
});
