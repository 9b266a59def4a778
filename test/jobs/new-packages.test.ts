import { describe, expect, it } from 'vitest';
import { type InspectPackages, statedDigests } from '../../src/jobs/payloads/inspect-packages.ts';
import type { InspectionMode } from '../../src/jobs/ports.ts';
import { createMemoryInspections } from '../../src/jobs/signals/inspect-now.ts';
import { inspectionsOf } from '../../src/jobs/signals/new-packages.ts';
import type { LockedPackage } from '../../src/model/lockfile/lockfile.ts';
import { resolved } from '../policy/facts.ts';

const SHA512 = Buffer.alloc(64, 7);

function locked(name: string, given: Partial<LockedPackage> = {}): LockedPackage {
  return {
    id: `${name}@1.0.0`,
    ecosystem: 'npm',
    name,
    version: '1.0.0',
    purl: `pkg:npm/${name}@1.0.0`,
    direct: true,
    groups: [],
    integrity: [],
    source: { kind: 'registry' },
    line: 1,
    dependencies: [],
    ...given,
  };
}

function createScans(mode: InspectionMode = 'apart') {
  const inspections = { ...createMemoryInspections(), mode };
  return {
    inspections,
    async scan(
      packages: readonly LockedPackage[],
      isFirst: boolean,
      publishedAt = '2020-01-01T00:00:00Z',
      statesScripts = false,
    ) {
      const header = { scan: 's', target: { id: 't' }, requestedAt: '2026-01-15T00:00:00Z', isFirst };
      const resolutions = packages.map(({ name, version }) => resolved(name, version, { publishedAt }));
      return await inspectionsOf(header, packages, resolutions, inspections, () => statesScripts);
    },
  };
}

const names = (payloads: readonly InspectPackages[]) =>
  payloads.flatMap(({ packages }) => packages.map(({ name }) => name));

describe('the packages that a scan inspects', () => {
  it('are those that are new: the first scan is the baseline', async () => {
    const { scan } = createScans();
    expect(await scan([locked('a'), locked('b')], true)).toEqual([]);
    expect(await scan([locked('a'), locked('b')], false)).toEqual([]);
    expect(names(await scan([locked('a'), locked('b'), locked('c')], false))).toEqual(['c']);
  });

  it('are young ones of a first scan too, and none are new direct dependencies', async () => {
    const { scan } = createScans();
    const [payload] = await scan([locked('a')], true, '2026-01-10T00:00:00Z');
    expect(payload?.packages).toEqual([{ system: 'NPM', name: 'a', version: '1.0.0', requires: [] }]);
  });

  it('are those of a first scan whose age is not known, too', async () => {
    const { scan } = createScans();
    expect(names(await scan([locked('a')], true, ''))).toEqual(['a']);
  });

  it('are later those that one scan had no room for, unless they are old', async () => {
    const many = Array.from({ length: 1_200 }, (_, index) => locked(`p${index}`));
    for (const [publishedAt, left] of [
      ['2026-01-14T00:00:00Z', 200],
      ['', 200],
      ['2020-01-01T00:00:00Z', 0],
    ] as const) {
      const { scan, inspections } = createScans();
      const first = await scan(many, false, publishedAt);
      expect(names(first)).toHaveLength(1_000);
      const subjects = first.flatMap(({ packages }) =>
        packages.map(({ system, name, version }) => `${system}:${name}@${version}`),
      );
      await inspections.markKnown(subjects);
      expect(names(await scan(many, false, publishedAt))).toHaveLength(left);
    }
  });

  it('have the names of what they depend on in their lockfile', async () => {
    const { scan } = createScans();
    await scan([locked('a')], true);
    const added = [
      locked('b', { dependencies: ['a@1.0.0', 'aliased', 'absent'] }),
      locked('real-name', { id: 'aliased', dependencies: undefined }),
    ];
    const [payload] = await scan([locked('a'), ...added], false);
    const requires = payload?.packages.map((one) => [one.name, one.requires]);
    expect(requires).toEqual([
      ['b', ['a', 'real-name']],
      ['real-name', undefined],
    ]);
  });

  it('include a known version with another digest, beside digests of others as witnesses', async () => {
    const { scan } = createScans();
    const stated = (fill: number) => ({
      integrity: [
        {
          algorithm: 'sha512',
          value: Buffer.alloc(64, fill).toString('base64'),
          encoding: 'base64' as const,
        },
      ],
    });
    await scan([locked('a', stated(1)), locked('b', stated(2))], true);
    const [payload] = await scan([locked('a', stated(3)), locked('b', stated(2))], false);
    expect(payload?.packages.map(({ name, newDirect }) => [name, newDirect])).toEqual([['a', true]]);
    expect(payload?.witnesses?.map(({ digest }) => digest)).toEqual([
      `sha512-${Buffer.alloc(64, 2).toString('base64')}`,
    ]);
  });

  it('are split into jobs, and bounded', async () => {
    const many = Array.from({ length: 1_200 }, (_, index) => locked(`p${index}`));
    const jobs = await createScans().scan(many, false);
    expect(jobs.map(({ packages }) => packages.length)).toEqual(Array.from({ length: 20 }, () => 50));
    expect(names(await createScans('before-judging').scan(many, true))).toHaveLength(200);
    expect(await createScans('never').scan(many, false)).toEqual([]);
  });

  it('say whether they run a script at installation as the first of their versions', async () => {
    const { scan } = createScans();
    const version = (name: string, number: string, given: Partial<LockedPackage> = {}) =>
      locked(name, { version: number, purl: `pkg:npm/${name}@${number}`, ...given });
    const runs = { installScript: true };
    const all = (number: string, of: readonly string[]) =>
      ['plain', 'gains', 'runs', 'fresh'].flatMap((name) =>
        name === 'fresh' && number === '1.0.0' ? [] : version(name, number, of.includes(name) ? runs : {}),
      );
    await scan(all('1.0.0', ['runs']), true, undefined, true);
    const [payload] = await scan(all('2.0.0', ['runs', 'gains', 'fresh']), false, undefined, true);
    expect(payload?.packages.map(({ name, script }) => [name, script])).toEqual([
      ['plain', 'none'],
      ['gains', 'new'],
      ['runs', 'known'],
      ['fresh', 'known'],
    ]);
    const [unstated] = await scan(all('3.0.0', ['gains']), false);
    expect(unstated?.packages.map(({ script }) => script)).toEqual(Array(4).fill(undefined));
  });

  it('are not those that the index does not have', async () => {
    const { inspections } = createScans();
    const header = { scan: 's', target: { id: 't' }, requestedAt: '2026-01-15T00:00:00Z', isFirst: false };
    const jobs = await inspectionsOf(header, [locked('a')], [{ outcome: 'missing' }], inspections);
    expect(jobs).toEqual([]);
  });
});

describe('the digests that a lockfile states', () => {
  const digestsOf = (ecosystem: string, algorithm: string, encoding: 'base64' | 'hex') =>
    statedDigests({ ecosystem, integrity: [{ algorithm, value: SHA512.toString(encoding), encoding }] });

  it('are of the published artifact', () => {
    expect(digestsOf('npm', 'sha512', 'base64')).toEqual([`sha512-${SHA512.toString('base64')}`]);
    // Of Yarn's own archive.
    expect(digestsOf('npm', 'sha512', 'hex')).toEqual([]);
    expect(digestsOf('nuget', 'sha512', 'base64')).toEqual([]);
    expect(digestsOf('golang', 'h1', 'base64')).toEqual([]);
    expect(digestsOf('pypi', 'sha512', 'hex')).toHaveLength(1);
    expect(digestsOf('pypi', 'sha256', 'hex')).toEqual([]);
  });

  it('are at most eight', () => {
    const integrity = Array.from({ length: 30 }, (_, index) => ({
      algorithm: 'sha256',
      value: Buffer.alloc(32, index).toString('hex'),
      encoding: 'hex' as const,
    }));
    expect(statedDigests({ ecosystem: 'pypi', integrity })).toHaveLength(8);
  });
});
