import { describe, expect, test } from 'vitest';
import { createEligibility } from '../../src/insights/resolve/eligibility.ts';
import type { LockedPackage } from '../../src/model/lockfile/lockfile.ts';
import { locked } from './fake-service.ts';

const eligibility = createEligibility({
  privatePatterns: ['@corp/*', 'internal-?', 'com.corp:*'],
  mirrors: ['mirror.example/npm', 'https://proxy.example:8443', '127.0.0.1:4873'],
});

describe('what may be looked up', () => {
  const from = (url: string): Partial<LockedPackage> => ({ source: { kind: 'registry', url } });

  test.each<[string, Partial<LockedPackage>, string]>([
    ['a', { ecosystem: 'deb' }, 'unsupported'],
    ['a', { version: '' }, 'unsupported'],
    ['a', { source: { kind: 'git', url: 'https://github.com/a/a' } }, 'unsupported'],
    ['a', { source: { kind: 'path', path: '../a' } }, 'unsupported'],
    ['a', { source: { kind: 'url', url: 'https://example.com/a.tgz' } }, 'unsupported'],
    ['@corp/a', {}, 'private'],
    ['@CORP/a/b', {}, 'private'],
    ['@corporate/a', {}, 'sent'],
    ['internal-x', {}, 'sent'],
    ['com.corp:lib', { ecosystem: 'maven', purl: 'pkg:maven/com.corp/lib@1.0.0' }, 'private'],
    ['a', from('https://registry.yarnpkg.com/a/-/a-1.0.0.tgz'), 'sent'],
    ['a', from('https://evilyarnpkg.com/a/-/a-1.0.0.tgz'), 'private'],
    ['a', from('https://npm.corp.example/a'), 'private'],
    // The same origins again, and one that begins like another.
    ['a', from('https://registry.yarnpkg.com/b/-/b-1.0.0.tgz'), 'sent'],
    ['a', from('https://registry.yarnpkg.com@evil.example/a.tgz'), 'private'],
    ['a', from('https://registry.yarnpkg.com:8443/a.tgz'), 'sent'],
    ['a', from('https://npm.corp.example/b'), 'private'],
    ['a', from('https://npm.corp.example/https://registry.yarnpkg.com/a'), 'private'],
    ['a', from('https:\\\\npm.corp.example/x://registry.yarnpkg.com/a'), 'private'],
    ['a', from('https://mirror.example/npm/a/-/a-1.0.0.tgz'), 'sent'],
    ['a', from('https://mirror.example/npmx/a'), 'private'],
    ['a', from('https://proxy.example:8443/a'), 'sent'],
    ['a', from('https://proxy.example/a'), 'private'],
    ['a', from('http://127.0.0.1:4873/a'), 'sent'],
    ['a', from('registry'), 'private'],
    ['a', { ecosystem: 'cargo', ...from('registry+https://github.com/rust-lang/crates.io-index') }, 'sent'],
    ['a', { ecosystem: 'cargo', ...from('registry+https://github.com/corp/index') }, 'private'],
    ['a', { ecosystem: 'pypi', ...from('https://files.pythonhosted.org/packages/a.whl') }, 'sent'],
    ['a', { ecosystem: 'nuget', ...from('https://api.nuget.org/v3/index.json') }, 'sent'],
    ['a b', {}, 'failed'],
    ['', { purl: 'pkg:npm/@1.0.0' }, 'failed'],
  ])('%s %j: %s', (name, changes, expected) => {
    const { lookUp, resolution } = eligibility(locked(name, changes));
    expect(lookUp === undefined ? resolution.outcome : 'sent').toBe(expected);
    if (resolution !== undefined) expect(resolution.reason).toBeTruthy();
  });
});

describe('what is sent', () => {
  test.each<[string, Partial<LockedPackage>, string, string]>([
    ['@types/node', {}, 'pkg:npm/%40types/node@1.0.0', '@types/node'],
    ['JSONStream', {}, 'pkg:npm/JSONStream@1.0.0', 'JSONStream'],
    ['a', { purl: 'pkg:npm/a@1.0.0?vcs_url=x#sub' }, 'pkg:npm/a@1.0.0', 'a'],
    ['Zope._.Interface', { ecosystem: 'pypi' }, 'pkg:pypi/zope-interface@1.0.0', 'zope-interface'],
    ['Newtonsoft.Json', { ecosystem: 'nuget' }, 'pkg:nuget/newtonsoft.json@1.0.0', 'newtonsoft.json'],
    ['g:a', { ecosystem: 'maven', purl: 'pkg:maven/g/a@1.0.0' }, 'pkg:maven/g/a@1.0.0', 'g:a'],
    ['example.com/m', { ecosystem: 'golang' }, 'pkg:golang/example.com/m@v1.0.0', 'example.com/m'],
    ['stdlib', { ecosystem: 'golang' }, 'pkg:golang/stdlib@go1.0.0', 'stdlib'],
  ])('%s %j', (name, changes, purl, sentName) => {
    const { lookUp } = eligibility(locked(name, changes));
    expect(lookUp).toMatchObject({ purl, versionKey: { name: sentName } });
  });
});
