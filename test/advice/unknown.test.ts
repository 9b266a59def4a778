import { describe, expect, it } from 'vitest';
import { adviseOn } from '../../src/advice/advise-on.ts';
import { proofOf } from '../../src/advice/candidates.ts';
import { searchSmallest } from '../../src/advice/direct-upgrade.ts';
import { AdviceError, type AdvisedBy, createAdviceFacts } from '../../src/advice/facts.ts';
import { openProject } from '../../src/advice/project.ts';
import { sentenceOf } from '../../src/advice/sentence.ts';
import type { VersionKey } from '../../src/model/lockfile/ecosystem.ts';
import type { ReleaseDetail } from '../../src/model/signal/release-facts.ts';
import { unexpected } from '../jobs/facts.ts';
import { factsOf, lockfileOf, type Registry } from './registry.ts';

const BAD = { advisories: ['GHSA-1'] };

async function advise(
  registry: Registry,
  lockfile: ReturnType<typeof lockfileOf>,
  id: string,
  partial: readonly string[] = [],
) {
  const project = openProject(lockfile);
  const affected = project.dependents.find(id) ?? lockfile.find(id);
  const fix = await adviseOn(affected, project, factsOf(registry, partial), 0);
  return { ...fix, sentence: sentenceOf(id.slice(0, id.lastIndexOf('@')), fix) };
}

describe('what is not known is not bad', () => {
  const parser = { '1.0.0': BAD, '1.0.1': {}, '1.1.0': {} };

  it('a package without a list of versions', async () => {
    const registry = { parser: { '1.0.0': BAD } };
    const lockfile = lockfileOf(registry, { parser: '1.0.0' }, { 'parser@1.0.0': [] });
    const [affected] = lockfile.packages;
    if (affected === undefined) throw new RangeError('nothing is locked');
    const fix = await adviseOn(affected, openProject(lockfile), factsOf({}), 0);
    expect(fix).toMatchObject({ kind: 'unknown', reason: 'the index has no list of the versions of parser' });
    expect(sentenceOf('parser', fix)).toBe(
      'It is not known whether there is a fix: the index has no list of the versions of parser.',
    );
  });

  it('a requirement of a package, so no override is advised', async () => {
    const registry = { server: { '1.0.0': { hasNoGraph: true } }, parser };
    const lockfile = lockfileOf(
      registry,
      { server: '^1.0.0' },
      { 'server@1.0.0': ['parser@1.0.0'], 'parser@1.0.0': [] },
    );
    expect(await advise(registry, lockfile, 'parser@1.0.0')).toMatchObject({
      kind: 'unknown',
      changes: [],
      reason: 'the index has no dependency graph of server 1.0.0',
    });
  });

  it('a requirement that is no range', async () => {
    const registry = { server: { '1.0.0': { needs: { parser: 'latest' } } }, parser };
    const lockfile = lockfileOf(
      registry,
      { server: '^1.0.0' },
      { 'server@1.0.0': ['parser@1.0.0'], 'parser@1.0.0': [] },
    );
    const { kind } = await advise(registry, lockfile, 'parser@1.0.0');
    expect(kind).toBe('unknown');
  });

  it('the only version that all dependents permit, so no override is advised', async () => {
    const registry = {
      server: { '1.0.0': { needs: { parser: '1.0.0 || 1.1.0' } } },
      parser: { ...parser, '1.1.0': { hasNoRecord: true } },
    };
    const locked = { 'server@1.0.0': ['parser@1.0.0'], 'parser@1.0.0': [] };
    // Of uv, because versions cannot coexist in its lockfiles.
    const lockfile = {
      ...lockfileOf(registry, { server: '^1.0.0', parser: '1.0.0' }, locked),
      format: 'uv-lock',
    };
    expect(await advise(registry, lockfile, 'parser@1.0.0')).toMatchObject({
      kind: 'unknown',
      changes: [],
      reason: 'the index has no record of parser 1.1.0',
    });
  });

  it('the requirements of a project whose manifest is missing', async () => {
    const registry = { server: { '1.0.0': { needs: { parser: '^1.0.0' } } }, parser };
    const { packages, ...lockfile } = lockfileOf(
      registry,
      {},
      { 'server@1.0.0': ['parser@1.0.0'], 'parser@1.0.0': [] },
      { statesDirect: false },
    );
    const lone = { ...lockfile, packages: packages.map((one) => ({ ...one, direct: undefined })) };
    expect(await advise(registry, lone, 'parser@1.0.0')).toMatchObject({
      kind: 'unknown',
      changes: [],
      sentence:
        'Fixed in parser 1.0.1. The way there is not known: it is not known whether the project requires parser itself.',
    });
  });
});

describe('a partial list of versions', () => {
  const PARTIAL = 'the list of the versions of parser is partial';
  const parser = { '1.0.0': BAD, '1.0.1': {} };
  const server = { '1.0.0': { needs: { parser: '^1.0.0' } } };
  const locked = { 'server@1.0.0': ['parser@1.0.0'], 'parser@1.0.0': [] };

  it.each<[string, Registry[string]]>([
    ['has no later version', { '1.0.0': BAD }],
    ['has no good one', { '1.0.0': BAD, '1.0.1': BAD }],
  ])('leaves open whether there is a fix where it %s', async (_what, versions) => {
    const lockfile = lockfileOf({ parser: versions }, { parser: '^1.0.0' }, { 'parser@1.0.0': [] });
    expect(await advise({ parser: versions }, lockfile, 'parser@1.0.0', ['parser'])).toMatchObject({
      kind: 'unknown',
      reason: PARTIAL,
      sentence: `It is not known whether there is a fix: ${PARTIAL}.`,
    });
  });

  it('leaves open what a re-lock selects, unless a version is named', async () => {
    // Without a graph, nothing else is known of the server.
    const registry = { server: { '1.0.0': { ...server['1.0.0'], hasNoGraph: true } }, parser };
    const lockfile = lockfileOf(registry, { server: '^1.0.0' }, locked);
    const { kind, changes } = await advise(registry, lockfile, 'parser@1.0.0', ['parser']);
    expect({ kind, changes }).toEqual({ kind: 'unknown', changes: [] });
    const exact = { ...lockfile, format: 'cargo-lock' };
    expect(await advise(registry, exact, 'parser@1.0.0', ['parser'])).toMatchObject({
      kind: 'in-range',
      changes: [{ to: '1.0.1' }],
    });
  });

  it('does not refute that a requirement or a pin permits a good version', async () => {
    const registry = {
      server: { '1.0.0': { needs: { parser: '~1.0.0' } } },
      parser: { '1.0.0': BAD, '1.1.0': {} },
    };
    const pin = { name: 'parser', requirement: '~1.0.0', where: 'package.json overrides', everywhere: true };
    for (const pins of [[], [pin]]) {
      const lockfile = lockfileOf(registry, { server: '^1.0.0' }, locked, { pins });
      const { kind, changes } = await advise(registry, lockfile, 'parser@1.0.0', ['parser', 'server']);
      expect({ kind, changes }).toEqual({ kind: 'unknown', changes: [] });
    }
  });

  it('of a direct dependency leaves open whether a later one is good, so no override is advised', async () => {
    const registry = { server: { '1.0.0': { needs: { parser: '1.0.0' } } }, parser };
    const later = { ...registry, server: { ...registry.server, '1.1.0': { needs: { parser: '1.0.0' } } } };
    for (const given of [registry, later]) {
      const lockfile = lockfileOf(given, { server: '^1.0.0' }, locked);
      expect(await advise(given, lockfile, 'parser@1.0.0')).toMatchObject({ kind: 'override' });
      expect(await advise(given, lockfile, 'parser@1.0.0', ['server'])).toMatchObject({
        kind: 'unknown',
        changes: [],
        reason: 'the list of the versions of server is partial',
      });
    }
  });

  it('leaves open whether a re-lock suffices where too many direct dependencies bring the package', async () => {
    const names = Array.from({ length: 11 }, (_, index) => `plugin-${index}`);
    const plugin = { '1.0.0': { needs: { parser: '1.0.0' } } };
    const registry: Registry = { ...Object.fromEntries(names.map((name) => [name, plugin])), parser };
    const lockfile = lockfileOf(registry, Object.fromEntries(names.map((name) => [name, '^1.0.0'])), {
      ...Object.fromEntries(names.map((name) => [`${name}@1.0.0`, ['parser@1.0.0']])),
      'parser@1.0.0': [],
    });
    expect(await advise(registry, lockfile, 'parser@1.0.0')).toMatchObject({ kind: 'override' });
    expect(await advise(registry, lockfile, 'parser@1.0.0', ['parser'])).toMatchObject({
      kind: 'unknown',
      changes: [],
    });
  });

  it('does not matter to an upgrade that dependents get, too', async () => {
    const registry = { server: { '1.0.0': { ...server['1.0.0'], hasNoGraph: true } }, parser };
    const lockfile = lockfileOf(registry, { server: '^1.0.0', parser: '1.0.0' }, locked);
    expect(await advise(registry, lockfile, 'parser@1.0.0', ['parser', 'server'])).toMatchObject({
      kind: 'upgrade-direct',
      changes: [{ name: 'parser', from: '1.0.0', to: '1.0.1', how: 'upgrade' }],
    });
  });
});

describe('what is installed for a peer, which graphs do not have', () => {
  const registry: Registry = {
    cli: { '1.0.0': { peers: { pack: '*' } }, '2.0.0': {} },
    pack: { '1.0.0': { needs: { braces: '1.0.0' } }, '1.1.0': { needs: { braces: '1.0.1' } } },
    braces: { '1.0.0': BAD, '1.0.1': {} },
  };
  const locked = { 'cli@1.0.0': ['pack@1.0.0'], 'pack@1.0.0': ['braces@1.0.0'], 'braces@1.0.0': [] };

  it('stays where a later version of its dependent is good by itself', async () => {
    const stuck = { ...registry, pack: { '1.0.0': { needs: { braces: '1.0.0' } } } };
    const lockfile = lockfileOf(stuck, { cli: '1.0.0' }, locked);
    expect(await advise(stuck, lockfile, 'braces@1.0.0')).toMatchObject({
      kind: 'unknown',
      changes: [],
      reason: 'pack@1.0.0 is there because cli@1.0.0 requires it as a peer',
    });
  });

  it('is upgraded itself where the project requires it', async () => {
    const lockfile = lockfileOf(registry, { cli: '1.0.0', pack: '1.0.0' }, locked);
    expect(await advise(registry, lockfile, 'braces@1.0.0')).toMatchObject({
      kind: 'upgrade-direct',
      commands: ['npm install pack@1.1.0'],
    });
  });
});

it('takes the packages that the statement of a lockfile shows for direct ones', async () => {
  const registry: Registry = { pad: { '1.0.0': BAD, '1.0.1': {} } };
  const { packages, ...lockfile } = lockfileOf(registry, { pad: '1.0.0' }, { 'pad@1.0.0': [] });
  const lone = { ...lockfile, packages: packages.map((one) => ({ ...one, direct: undefined })) };
  expect(await advise(registry, lone, 'pad@1.0.0')).toMatchObject({
    kind: 'upgrade-direct',
    commands: ['npm install pad@1.0.1'],
  });
});

it('a request that fails leaves one graph unknown, and is told', async () => {
  const failure = new AdviceError('no-answer', 'the service answers 500', { retryable: true });
  const facts = createAdviceFacts(
    {
      publishedVersions: unexpected,
      resolve: unexpected,
      requirements: unexpected,
      releases: {} as never,
      dependencies: () => Promise.reject(failure),
    },
    { signal: new AbortController().signal, maxRequests: 1 },
  );
  const key = { system: 'NPM', name: 'pad', version: '1.0.0' } as const;
  const reason = 'the dependency graph of pad 1.0.0 could not be read (the service answers 500)';
  expect(await facts.graph(key)).toEqual({ state: 'unknown', reason });
  expect(facts.failures()).toEqual([failure]);
  await expect(facts.graph({ ...key, version: '2.0.0' })).rejects.toMatchObject({ code: 'request-limit' });
});

it('asks again whether the index advises to wait, where it could not be asked', async () => {
  const versionKey = { system: 'NPM', name: 'pad', version: '1.0.1' } as const;
  const flags = { isDefault: false, isDeprecated: false, licenses: [], advisoryIds: [] };
  const record = { versionKey, publishedAt: new Date().toISOString(), ...flags };
  const soon = Date.now() + 86_400_000;
  const answers = [Promise.reject(new Error('reset')), Promise.resolve([detail(soon)])];
  const facts = createAdviceFacts({ releases: { details: () => answers.shift() } } as never, {
    signal: new AbortController().signal,
    maxRequests: 3,
  });
  facts.learn([{ outcome: 'resolved', record }]);
  await expect(facts.records([versionKey])).rejects.toThrow('reset');
  expect(await facts.records([versionKey])).toEqual([{ ...record, waitUntil: new Date(soon).toISOString() }]);
});

it('asks the index whether it advises to wait, of young versions alone', async () => {
  const asked: string[] = [];
  const [soon, past] = [Date.now() + 86_400_000, Date.now() - 1];
  const answers: Readonly<Record<string, ReleaseDetail | { error: Error }>> = {
    '1.0.1': detail(soon),
    '1.0.2': detail(past),
    '1.0.3': { error: new Error('the service answers 500') },
  };
  const facts = createAdviceFacts(
    {
      publishedVersions: unexpected,
      requirements: unexpected,
      dependencies: unexpected,
      resolve: async (packages) => ({
        resolutions: packages.map(({ name, version }) => ({
          outcome: 'resolved' as const,
          record: {
            versionKey: { system: 'NPM' as const, name, version },
            publishedAt: version === '1.0.0' ? '2020-01-01T00:00:00Z' : new Date(past).toISOString(),
            isDefault: false,
            isDeprecated: false,
            licenses: [],
            advisoryIds: [],
          },
        })),
        retryable: false,
      }),
      releases: {
        details: async (keys: readonly VersionKey[]) => {
          asked.push(...keys.map(({ version }) => version));
          return keys.map(({ version }) => answers[version]);
        },
      } as never,
    } as AdvisedBy,
    { signal: new AbortController().signal, maxRequests: 2 },
  );
  const versions = ['1.0.0', '1.0.1', '1.0.2', '1.0.3', '1.0.4'];
  const records = await facts.records(versions.map((version) => ({ system: 'NPM', name: 'pad', version })));
  expect(asked).toEqual(versions.slice(1));
  expect(records.map((record) => record?.waitUntil)).toEqual([
    undefined,
    new Date(soon).toISOString(),
    undefined,
    { unknown: 'the service answers 500' },
    undefined,
  ]);
  expect(records.map((record, index) => proofOf('pad', versions[index] ?? '', record).state)).toEqual([
    ...['good', 'bad', 'good', 'unknown', 'good'],
  ]);
});

function detail(cooldownEnd: number): ReleaseDetail {
  return { provenances: [], projects: [], advisoryIds: [], cooldownEnd };
}

describe('the search for the smallest good one', () => {
  const search = (states: string) =>
    searchSmallest([[...states].map((state, at) => ({ state, at }))], async ({ state, at }) => {
      if (state === 's') return 'skip';
      if (state === 'g') return { state: 'good', found: at };
      return state === 'b' ? { state: 'bad', reason: `${at}` } : { state: 'unknown', reason: `${at}` };
    });

  it.each([
    ['bbggg', 2],
    ['b?ggg', 2],
    ['bbgg?', 2],
    ['?????g??', 5],
    ['bsgsg', 2],
    ['ggggg', 0],
    ['bbbbggggggggg????????????????', 4],
    ['bgggggggggggg????????????????', 1],
  ])('passes over what is not known: %s', async (states, found) => {
    expect(await search(states)).toEqual({ state: 'good', found });
  });

  it.each([
    ['bbb?', 'unknown'],
    ['bbbb', 'bad'],
    ['?????????????????????', 'unknown'],
    ['ss', 'bad'],
    ['', 'bad'],
  ])('says whether there is none: %s', async (states, state) => {
    expect(await search(states)).toMatchObject({ state });
  });
});
