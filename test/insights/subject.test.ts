import { describe, expect, it } from 'vitest';
import { isAboutVersion } from '../../src/insights/records/subject.ts';
import type { System } from '../../src/model/lockfile/ecosystem.ts';

const key = (system: System, name: string, version: string) => ({ system, name, version });

describe('an answer is about the version that was asked for', () => {
  it.each([
    ['NPM', 'a', '1.0.0', 'a', '1.0.0'],
    ['PYPI', 'Annotated_Types', '3.0', 'annotated-types', '3.0.0'],
    ['PYPI', 'a', '1.0-alpha1', 'a', '1.0a1'],
    ['PYPI', 'a', '1.0.0rc1', 'a', '1.0rc1'],
    ['PYPI', 'a', '1.0.post1', 'a', '1.0-1'],
    ['PYPI', 'a', '2020.01.05', 'a', '2020.1.5'],
    ['NUGET', 'Newtonsoft.Json', '12.0', 'newtonsoft.json', '12.0.0.0'],
    ['GO', 'github.com/BurntSushi/toml', 'v1.0.0+incompatible', 'github.com/burntsushi/toml', 'v1.0.0'],
    ['MAVEN', 'a:b', '1.0.FINAL', 'a:b', '1.0'],
  ] as const)('%s %s %s, as %s %s', (system, name, version, answered, own) => {
    expect(isAboutVersion(key(system, name, version), key(system, answered, own))).toBe(true);
  });
});

describe('an answer is about something else', () => {
  it.each([
    ['another name', key('NPM', 'b', '1.0.0')],
    ['another version', key('NPM', 'a', '1.0.1')],
    ['a pre-release', key('NPM', 'a', '1.0.0-rc.1')],
    ['another ecosystem', key('PYPI', 'a', '1.0.0')],
    ['nothing that it names', {}],
    ['no object', null],
    ['a version that is no text', { ...key('NPM', 'a', '1.0.0'), version: 1 }],
    ['a name that is no text', { ...key('PYPI', 'a', '1.0.0'), name: {} }],
  ])('%s', (_what, answered: unknown) => {
    expect(isAboutVersion(key('NPM', 'a', '1.0.0'), answered)).toBe(false);
    expect(isAboutVersion(key('PYPI', 'a', '1.0.1'), answered)).toBe(false);
  });
});
