import { describe, expect, it } from 'vitest';
import { isInVers, readVers, type VersRange } from '../../src/versions/vers.ts';

function rangeOf(text: string, ecosystem: string): VersRange {
  const range = readVers(text, ecosystem);
  if (typeof range === 'string') throw new Error(range);
  return range;
}

describe('a VERS range', () => {
  it.each([
    // https://github.com/package-url/vers-spec, tests of containment
    ['npm', '*', '1.0.0', true],
    ['pypi', '<=1.3.0|3.0.0', '1.0.0', true],
    ['pypi', '<=1.3.0|3.0.0', '3.0', true],
    ['pypi', '<=1.3.0|3.0.0', '2.0.0', false],
    ['pypi', '>0.0.2', '0.0.3', true],
    ['pypi', '<0.0.2', '0.0.0.1', true],
    ['pypi', '>=1.0.0|<=2.0.0', '1.5', true],
    ['pypi', '>=1.0.0|<=2.0.0', '2.0.3', false],
    ['pypi', '>=1.0.0|<=2.0.0', '0.0.9', false],
    ['pypi', '!=2.0.3|>=3.0.0', '2.0.3', false],
    ['pypi', '<=1.0.0|>=2.0.0', '1.5', false],
    ['pypi', '0.0.1|0.0.2|0.0.3|>=3.0.0', '2.0.3', false],
    // and others
    ['npm', '1.2.3|>=2.0.0|<5.0.0', '1.2.3', true],
    ['npm', '1.2.3|>=2.0.0|<5.0.0', '1.2.4', false],
    ['npm', '1.2.3|>=2.0.0|<5.0.0', '5.0.0-rc.1', true],
    ['npm', '<2.0.0', 'not-a-version', false],
    ['gem', '>=2.2.0|!=2.2.1|<2.3.0', '2.2.1', false],
    ['gem', '>=2.2.0|!=2.2.1|<2.3.0', '2.2.2', true],
    ['maven', '>=1.0.0-beta1|<=1.7.5|>=7.0.0-M1|<=7.0.7', '7.0.0-M2', true],
    ['maven', '>=1.0.0-beta1|<=1.7.5|>=7.0.0-M1|<=7.0.7', '2.0', false],
    ['maven', '>=42.2.25|<42.2.25.jre6', '42.2.25.jre5', true],
    ['maven', '<1.2.0', '1.2.0.RC2', true],
    ['gem', '<9007199254740993', '9007199254740992', true],
    ['golang', '<v1.9007199254740993.0', 'v1.9007199254740993.0', false],
    ['nuget', '>=4.0.0|<4.3.1', '4.3.0.1', true],
    ['cargo', '<9.0.14', '9.0.14', false],
    ['golang', '>=v1.2.0|<v1.4.0', 'v1.3.9', true],
    ['golang', '<1.4.0', 'v1.3.9', true],
    ['npm', '1.0.0%2Dbeta', '1.0.0-beta', true],
  ])('of %s, %s: %s → %s', (ecosystem, constraints, version, expected) => {
    expect(isInVers(version, rangeOf(`vers:${ecosystem}/${constraints}`, ecosystem))).toBe(expected);
  });

  it('of the type semver is one of every ecosystem with semantic versions', () => {
    expect(isInVers('1.0.0', rangeOf('vers:semver/<2.0.0', 'npm'))).toBe(true);
    expect(readVers('vers:semver/<2.0.0', 'maven')).toContain('is not a range of maven');
  });

  it.each([
    ['vers:npm/>=1.0.0| <2.0.0', 'constraint " <2.0.0", which is not valid'],
    ['vers:npm/|>=1.0.0|<2.0.0', 'constraint ""'],
    ['vers:npm/>=1.0.0|<2.0.0|', 'constraint ""'],
    ['vers:npm/>=1.0.0||<2.0.0', 'constraint ""'],
    ['vers:npm/>=2.0.0|<1.0.0', 'not sorted by version'],
    ['vers:npm/1.0%2G0', 'not valid'],
    ['vers:npm/1.0.0%FF', 'not valid'],
    ['vers:npm/=1.0.0', 'not valid'],
    ['vers:npm/*|1.0.0', 'not valid'],
    ['vers:npm/>=1.0.0|!=1.0.0', 'names 1.0.0 twice'],
    ['vers:npm/1.0.0|1.0.0+build', 'twice'],
    ['vers:npm/>=1.0.0|>=2.0.0', 'contradict or repeat'],
    ['vers:npm/2.9.0|<2.9.5', 'contradict or repeat'],
    ['vers:npm/<1.0.0|<2.0.0', 'contradict or repeat'],
    ['vers:npm/!=1.0.0', 'selects no versions'],
    ['vers:npm/<2', '"2", which is not a version of the ecosystem'],
    ['vers:npm/', 'is not a range such as'],
    ['vers:NPM/1.0.0', 'is not a range such as'],
    ['vers:pypi/1.0.0', 'is not a range of npm'],
    ['vers:generic/*', 'is not a range of npm'],
    [`vers:npm/${'>=1.0.0|'.repeat(300)}`, 'longer than 2000'],
  ])('%s is refused', (text, reason) => {
    expect(readVers(text, 'npm')).toContain(reason);
  });

  it('is refused where versions have no order', () => {
    expect(readVers('vers:conan/*', 'conan')).toContain('have no known order');
  });
});
