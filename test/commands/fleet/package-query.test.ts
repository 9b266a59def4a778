import { describe, expect, it } from 'vitest';
import { readPackageQuery } from '../../../src/commands/fleet/package-query.ts';
import { versionMatch } from '../../../src/policy/version-match.ts';

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

describe('the versions that a text selects', () => {
  it.each([
    ['npm', '', '1.0.0', true],
    ['npm', '4', '4.17.21', true],
    ['npm', '4', '5.0.0', false],
    ['npm', '^4.17.0', '4.17.21', true],
    ['npm', '<4.17.21', '4.17.20', true],
    ['npm', '>=1 <2', '1.5.0-beta.1', true],
    ['npm', '4.17.21', '4.17.21', true],
    ['npm', '4.17.21', '4.17.20', false],
    ['npm', '<2', 'not-a-version', false],
    ['npm', 'not-a-version', 'not-a-version', true],
    ['cargo', '>=1, <2', '1.9.9', true],
    ['golang', '<v1.2.3', 'v1.2.2', true],
    ['golang', '1.2.3', 'v1.2.3', true],
    ['golang', 'v2.0.0+incompatible', 'v2.0.0+incompatible', true],
    ['golang', '<1.22', 'go1.21', true],
    ['golang', '<go1.21.5', 'go1.21.4', true],
    ['pypi', '<2', '2.0rc1', false],
    ['pypi', '<=2', '2.0rc1', true],
    ['pypi', '1.0', '1.0.0', true],
    ['pypi', '~=1.4.2', '1.4.9', true],
    ['pypi', '==1.*', '1.9', true],
    ['gem', '~> 1.2', '1.9.1', true],
    ['gem', '>= 1, < 2', '2.0', false],
    ['gem', '1.0', '1.0.0', true],
    ['maven', '2.14.0', '2.14.0', true],
    ['maven', '2.14.0', '2.15.0', false],
    ['nuget', '1.0.0.1', '1.0.0.1', true],
    ['composer', '1.0', '1.0', true],
  ])('%s %s: %s → %s', (ecosystem, text, version, expected) => {
    const match = versionMatch(text, ecosystem);
    expect(match === 'invalid' ? match : match(version)).toBe(expected);
  });

  it.each([
    ['npm', '>> 1'],
    ['pypi', '^1.0'],
    ['gem', '^1.0'],
    ['maven', '[1.0,2.0)'],
    ['nuget', '<2'],
  ])('%s %s is not understood', (ecosystem, text) => {
    expect(versionMatch(text, ecosystem)).toBe('invalid');
  });
});
