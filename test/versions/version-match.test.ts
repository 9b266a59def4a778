import { describe, expect, it } from 'vitest';
import { versionMatch } from '../../src/versions/version-match.ts';

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
    ['gem', '< 1.2.3', '1.2.3-java', false],
    ['gem', '1.2.3', '1.2.3-x86_64-linux', true],
    ['pypi', '<2.0rc2', '2.0rc1', true],
    ['pypi', '1.0', '1.0+1', false],
    ['pypi', '<2', '1.999999999999999999999999', true],
    ['npm', '1.0.0-9007199254740992', '1.0.0-9007199254740993', false],
    ['npm', '>=1.0.0-9007199254740993', '1.0.0-9007199254740992', false],
    ['npm', '1.0.0+90071992547409920', '1.0.0+90071992547409921', false],
    ['cargo', '<1.0.9007199254740993', '1.0.9007199254740992', true],
    ['maven', '2.14.0', '2.14.0', true],
    ['maven', '2.14.0', '2.15.0', false],
    ['maven', '2.14', '2.14.0', true],
    ['maven', '[1.0,2.0)', '1.5', true],
    ['maven', '[1.0,2.0)', '2.0', false],
    ['maven', '(,1.0],[1.2,)', '1.1', false],
    ['maven', '(,1.0],[1.2,)', '1.2', true],
    ['maven', '<2.17.1', '2.17.0', true],
    ['maven', '>=2.0-beta9,<2.17.1', '2.17.1', false],
    ['maven', '!=1.0', '1.0.0', false],
    ['maven', 'RELEASE', 'RELEASE', true],
    ['maven', '<42.2.25', '42.2.25.jre6', false],
    ['maven', '<2.5.2.SP2', '2.5.2', true],
    ['maven', '>=1.2.0', '1.2.0.RC2', false],
    ['nuget', '1.0.0.1', '1.0.0.1', true],
    ['nuget', '1.0', '1.0.0', true],
    ['nuget', '[13.0.1]', '13.0.1', true],
    ['nuget', '(,13.0.1)', '13.0.1-beta1', true],
    ['nuget', '>=1,<2', '1.9.9', true],
    ['npm', 'vers:npm/>=1.0.0|<2.0.0', '1.5.0', true],
    ['maven', 'vers:maven/>=1.0.0-beta1|<=1.7.5', '1.0.0-beta2', true],
    ['composer', '1.0', '1.0', true],
  ])('%s %s: %s → %s', (ecosystem, text, version, expected) => {
    const match = versionMatch(text, ecosystem);
    expect(typeof match === 'string' ? match : match(version)).toBe(expected);
  });

  it.each([
    ['npm', '>> 1'],
    ['pypi', '^1.0'],
    ['gem', '^1.0'],
    ['maven', '[1.0,2.0'],
    ['maven', '^1.0'],
    ['nuget', '1.0.*'],
    ['nuget', '<latest'],
    ['composer', '<2'],
  ])('%s %s is not understood', (ecosystem, text) => {
    expect(versionMatch(text, ecosystem)).toBe(`"${text}" is neither a version nor a range of ${ecosystem}`);
  });
});
