import { expect, it } from 'vitest';
import { silentSystems } from '../../src/insights/losses/silent-systems.ts';
import { witnessesOf } from '../../src/insights/losses/witnesses.ts';
import { publishedPackage } from '../../src/model/lockfile/published-package.ts';
import type { System, VersionKey } from '../../src/model/lockfile/version-key.ts';
import type { Insights } from '../../src/model/ports/insights.ts';
import type { Resolution } from '../../src/model/scan/resolution.ts';

const { signal } = new AbortController();

function resolved(versionKey: VersionKey, advisoryIds: readonly string[]): Resolution {
  const record = {
    versionKey,
    advisoryIds: [...advisoryIds],
    licenses: [],
    isDefault: false,
    isDeprecated: false,
  };
  return { outcome: 'resolved', record };
}

/** A scan of versions of a system, of which the first has the given advisories. */
function scanOf(system: System, count: number, advisoryIds: readonly string[] = []) {
  const packages = Array.from({ length: count }, (_, index) => {
    const key = { system, name: `p${index}`, version: '1.0.0' };
    return { ...publishedPackage(key), resolution: resolved(key, index === 0 ? advisoryIds : []) };
  });
  return { lockfiles: [{ path: 'lock', sha256: '', format: '', packages, problems: [] }] };
}

/** An index that answers about witnesses in one way, and the names that it was asked for. */
function indexWith(answer: (key: VersionKey) => Resolution) {
  const asked: string[] = [];
  const resolve: Insights['resolve'] = async (packages) => {
    asked.push(...packages.map(({ id }) => id));
    const keys = (['NPM', 'PYPI'] as const).flatMap(witnessesOf).map(({ lookUp }) => lookUp.versionKey);
    const resolutions = packages.map(({ name, version }) => {
      const key = keys.find((one) => one.name === name && one.version === version);
      return key === undefined ? { outcome: 'missing' as const } : answer(key);
    });
    return { resolutions, retryable: false };
  };
  return { asked, resolve };
}

const blind = (key: VersionKey) => resolved(key, []);

it('finds a system of which neither the packages nor well-known versions have an advisory', async () => {
  expect(await silentSystems(scanOf('NPM', 20), indexWith(blind), signal)).toEqual(['NPM']);
});

it.each([
  ['few packages', scanOf('NPM', 19)],
  ['an advisory', scanOf('NPM', 20, ['GHSA-1'])],
])('asks nothing after a scan with %s', async (_what, scan) => {
  const index = indexWith(blind);
  expect(await silentSystems(scan, index, signal)).toEqual([]);
  expect(index.asked).toEqual([]);
});

it.each<[string, (key: VersionKey) => Resolution]>([
  ['does not have them', () => ({ outcome: 'missing', reason: 'not in the index' })],
  ['does not answer about them', () => ({ outcome: 'failed', reason: 'HTTP 503' })],
  ['does not cover them', () => ({ outcome: 'uncovered', reason: 'not in the local data set' })],
  ['has one of them', (key) => (key.name === 'lodash' ? blind(key) : { outcome: 'missing', reason: 'no' })],
  ['states an advisory of one', (key) => (key.name === 'lodash' ? resolved(key, ['GHSA-1']) : blind(key))],
])('does not doubt an index that %s', async (_what, answer) => {
  expect(await silentSystems(scanOf('NPM', 20), indexWith(answer), signal)).toEqual([]);
});

it('judges each system on its own', async () => {
  const lockfiles = [scanOf('NPM', 30, ['GHSA-1']), scanOf('PYPI', 30)].flatMap((one) => one.lockfiles);
  expect(await silentSystems({ lockfiles }, indexWith(blind), signal)).toEqual(['PYPI']);
});
