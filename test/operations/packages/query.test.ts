import { describe, expect, it } from 'vitest';
import { readPackageQuery } from '../../../src/operations/packages/query.ts';

describe('a question for a package', () => {
  it.each([
    ['lodash', undefined, 'lodash', ''],
    ['lodash@^4', undefined, 'lodash', '^4'],
    ['@scope/name', undefined, '@scope/name', ''],
    ['@scope/name@1.0.0', undefined, '@scope/name', '1.0.0'],
    ['pkg:npm/lodash', 'npm', 'lodash', ''],
    ['pkg:npm/lodash@4.17.21', 'npm', 'lodash', '4.17.21'],
    ['pkg:npm/lodash@<4.17.21', 'npm', 'lodash', '<4.17.21'],
    ['pkg:npm/lodash@%3C4.17.21?x=y#z', 'npm', 'lodash', '<4.17.21'],
    ['pkg:npm/%40scope/name@1', 'npm', '@scope/name', '1'],
    ['pkg:npm/@scope/name', 'npm', '@scope/name', ''],
    ['pkg:maven/org.x/y@1.0', 'maven', 'org.x:y', '1.0'],
    ['pkg:golang/github.com/a/b@v1.2.3', 'golang', 'github.com/a/b', 'v1.2.3'],
    ['pkg:golang/github.com/a/b', 'golang', 'github.com/a/b', ''],
    ['org.x:y@1.0', undefined, 'org.x:y', '1.0'],
  ])('%s', (text, ecosystem, name, versions) => {
    expect(readPackageQuery(text)).toEqual({ ecosystem, name, versions });
  });

  it('may state ecosystem and range separately', () => {
    expect(readPackageQuery('Django', { ecosystem: 'Python', range: '<4' })).toEqual({
      ecosystem: 'pypi',
      name: 'Django',
      versions: '<4',
    });
  });

  it.each([
    ['', {}, 'names no package'],
    ['pkg:', {}, 'not a valid purl'],
    ['pkg:npm/', {}, 'not a valid purl'],
    ['lodash@1', { range: '2' }, 'has a version already'],
    ['pkg:npm/a', { ecosystem: 'pypi' }, 'is a package of npm, not of pypi'],
  ])('%j %j is refused', (text, stated, message) => {
    expect(() => readPackageQuery(text, stated)).toThrowError(message);
  });
});
