import { expect, it } from 'vitest';
import { lackingSystems } from '../../src/insights/losses/lacking-systems.ts';
import { affectedVersions } from '../../src/insights/losses/witnesses.ts';
import {
  publishedPackage,
  SYSTEMS,
  type System,
  type VersionKey,
} from '../../src/model/lockfile/ecosystem.ts';
import type { Insights } from '../../src/model/ports/insights.ts';
import type { Resolution } from '../../src/model/scan/inventory.ts';

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

/** A scan of one version of each system. */
function scanOf(systems: readonly System[], resolution?: Resolution) {
  const packages = systems.map((system) => {
    const key = { system, name: 'left-pad', version: '1.0.0' };
    return { ...publishedPackage(key), resolution: resolution ?? resolved(key, ['GHSA-1']) };
  });
  return { lockfiles: [{ path: 'lock', sha256: '', format: '', packages, problems: [] }] };
}

type Answer = (key: VersionKey, index: number) => Resolution;

/** An index that answers about the well-known versions of each system in one way, and how often it was asked. */
function indexWith(answer: Answer) {
  const keys = SYSTEMS.flatMap((system) => affectedVersions(system).map((key, index) => ({ key, index })));
  const answers = new Map(
    keys.map(({ key, index }) => [publishedPackage(key).purl, answer(key, index)] as const),
  );
  const index = {
    requests: 0,
    resolve: (async (packages) => {
      index.requests += 1;
      const resolutions = packages.flatMap(({ purl }) => answers.get(purl) ?? []);
      return { resolutions, retryable: false };
    }) satisfies Insights['resolve'],
  };
  return index;
}

const whole: Answer = (key) => resolved(key, ['GHSA-1']);
const blind: Answer = (key) => resolved(key, []);
const missing: Answer = () => ({ outcome: 'missing', reason: 'not in the index' });
/** As `answer` for some of the versions, and whole for the others. */
const partly =
  (answer: Answer, isPart: (index: number) => boolean): Answer =>
  (key, index) =>
    (isPart(index) ? answer : whole)(key, index);

it.each(SYSTEMS)('finds that an index lost a part of the advisories or versions of %s', async (system) => {
  const all = affectedVersions(system);
  const witness = all.findIndex(({ isWitness }) => isWitness);
  for (const part of [[witness], [all.length - 2, all.length - 1]]) {
    const versions = part.map((index) => `${all[index]?.name} ${all[index]?.version}`);
    for (const [what, answer] of [
      ['advisories', blind],
      ['versions', missing],
    ] as const) {
      const index = indexWith(partly(answer, (at) => part.includes(at)));
      expect(await lackingSystems(scanOf([system]), index, { signal, hasPast: false })).toEqual([
        { system, what, versions },
      ]);
    }
  }
});

it('needs two versions in a run that knows something from before', async () => {
  for (const [count, lacking] of [
    [1, 0],
    [2, 1],
  ] as const) {
    const index = indexWith(partly(blind, (at) => at < count));
    const options = { signal, hasPast: true };
    expect(await lackingSystems(scanOf(['NPM']), index, options)).toHaveLength(lacking);
  }
});

it('finds that all advisories of a system are lost, with all their versions', async () => {
  const found = await lackingSystems(scanOf(['NPM']), indexWith(blind), { signal, hasPast: false });
  expect(found).toMatchObject([{ what: 'advisories', versions: { length: affectedVersions('NPM').length } }]);
});

it('asks once about all systems whose packages were answered, and about no others', async () => {
  const index = indexWith(partly(blind, () => true));
  const found = await lackingSystems(scanOf(['NPM', 'PYPI']), index, { signal, hasPast: false });
  expect(found.map(({ system }) => system)).toEqual(['NPM', 'PYPI']);
  expect(index.requests).toBe(1);
  const failed = { outcome: 'failed' as const, reason: 'HTTP 503' };
  expect(await lackingSystems(scanOf(['NPM'], failed), index, { signal, hasPast: false })).toEqual([]);
  expect(index.requests).toBe(1);
});

const LAST = affectedVersions('NPM').length - 1;

it.each<[string, Answer]>([
  ['is whole', whole],
  ['has corrected one version', partly(blind, (index) => index === LAST)],
  ['lacks one version', partly(missing, (index) => index === LAST)],
  ['has none of them', missing],
  ['has hardly any of them', partly(missing, (index) => index > 0)],
  ['does not answer about them', () => ({ outcome: 'failed', reason: 'HTTP 503' })],
  ['does not cover them', () => ({ outcome: 'uncovered', reason: 'not in the local data set' })],
])('does not doubt an index that %s', async (_what, answer) => {
  expect(await lackingSystems(scanOf(['NPM']), indexWith(answer), { signal, hasPast: false })).toEqual([]);
});

it('finds that an index has nothing of a system: neither the packages of the scan nor well-known ones', async () => {
  const scan = (count: number) => scanOf(Array<System>(count).fill('NPM'), { outcome: 'missing' });
  const ask = (count: number, answer: Answer) =>
    lackingSystems(scan(count), indexWith(answer), { signal, hasPast: false });
  expect(await ask(5, missing)).toMatchObject([{ what: 'versions', versions: { length: LAST + 1 } }]);
  // A few packages may be private, and an index with one well-known version is another one.
  expect(await ask(4, missing)).toEqual([]);
  expect(
    await ask(
      5,
      partly(missing, (index) => index > 0),
    ),
  ).toEqual([]);
  expect(await ask(5, () => ({ outcome: 'failed', reason: 'HTTP 503' }))).toEqual([]);
});
