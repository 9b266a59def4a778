import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactLockfile } from '../../src/fleet/compact-lockfile.ts';
import { createIdSet } from '../../src/fleet/id-list.ts';
import { identityOf } from '../../src/fleet/identity.ts';
import { findPlaces } from '../../src/fleet/package-places.ts';
import type { ResolvedLockfile } from '../../src/model/scan/inventory.ts';
import { createPathFinder } from '../../src/policy/dependency-path.ts';
import { npmFile } from '../store/fleet/fleet-room.ts';

/** The compact form, with ids in the order of first use, and the identity of each id. */
async function compact(file: ResolvedLockfile) {
  const ids = new Map<string, number>();
  const names: string[] = [];
  const identities = file.packages.map(identityOf);
  for (const identity of identities) ids.set(identity, ids.get(identity) ?? names.push(identity));
  const own = identities.map((identity) => ids.get(identity) as number);
  const packed = await compactLockfile(file, identities, own);
  const nameOf = (step: number | string) =>
    typeof step === 'string' ? step : (names[step - 1] ?? '').replace(/^NPM:/, '');
  return { ...packed, ids: packed.ids, idOf: (name: string) => ids.get(`NPM:${name}`) ?? 0, nameOf };
}

describe('the places of packages in a compact lockfile', () => {
  it('have version, line, groups, directness and a shortest path', async () => {
    const file = npmFile('package-lock.json', ['a@1.0.0', 'b@1.0.0', 'c@1.0.0', 'd@1.0.0'], {
      'a@1.0.0': ['b@1.0.0'],
      'b@1.0.0': ['c@1.0.0', 'missing@9.9.9'],
      'c@1.0.0': ['a@1.0.0'],
    });
    const { ids, rest, idOf, nameOf } = await compact(file);
    const [found, second] = findPlaces(ids, rest, createIdSet([idOf('c@1.0.0'), idOf('d@1.0.0')]));
    expect(found).toMatchObject({ packageId: idOf('c@1.0.0'), direct: false, groups: [], line: 3 });
    expect(found?.path.map(nameOf)).toEqual(['a@1.0.0', 'b@1.0.0', 'c@1.0.0']);
    expect(second?.path).toEqual([]);
    expect(findPlaces(ids, rest, createIdSet([99]))).toEqual([]);
  });

  it('keep the spelling of the file, and say why a package is not looked up', async () => {
    const [a, b] = npmFile('f', ['a@1.0.0', 'b@1.0.0']).packages;
    if (a === undefined || b === undefined) throw new RangeError('no packages');
    const file = {
      ...npmFile('poetry.lock', []),
      packages: [
        {
          ...a,
          id: 'Flask_Cors@V1',
          ecosystem: 'pypi',
          name: 'Flask_Cors',
          version: '1.0',
          purl: 'pkg:pypi/flask-cors@1.0',
        },
        { ...b, groups: ['dev'], resolution: { outcome: 'private' as const, reason: 'it is ours' } },
      ],
    };
    const { ids, rest } = await compact(file);
    const places = findPlaces(ids, rest, createIdSet([1, 2]));
    expect(places[0]).toMatchObject({ packageId: 1, version: '1.0', path: ['Flask_Cors@V1'] });
    expect(places[1]).toMatchObject({ packageId: 2, groups: ['dev'], excluded: ['private', 'it is ours'] });
  });

  it('have paths like those of findings', async () => {
    const graphs = fc.record({
      edges: fc.array(fc.array(fc.nat({ max: 39 }), { maxLength: 4 }), { minLength: 40, maxLength: 40 }),
      direct: fc.array(fc.constantFrom(true, false, undefined), { minLength: 40, maxLength: 40 }),
    });
    const ids = Array.from({ length: 40 }, (_, index) => `p${index}@1.0.0`);
    await fc.assert(
      fc.asyncProperty(graphs, async ({ edges, direct }) => {
        const named = Object.fromEntries(
          edges.map((to, from) => [`p${from}@1.0.0`, [...new Set(to)].map((one) => `p${one}@1.0.0`)]),
        );
        const plain = npmFile('f', ids, named);
        const packages = plain.packages.map((one, index) => ({ ...one, direct: direct[index] }));
        const file = { ...plain, packages };
        const finder = await createPathFinder({
          inventory: { lockfiles: [file], unread: [] },
          graphs: new Map(),
        });
        const { ids: lists, rest, idOf, nameOf } = await compact(file);
        const places = findPlaces(lists, rest, createIdSet(ids.map(idOf)));
        expect(places.map(({ path }) => path.map(nameOf))).toEqual(ids.map((id) => finder(0, id)));
      }),
      { numRuns: 100 },
    );
  });

  it('have long paths without their middle', async () => {
    const ids = Array.from({ length: 100 }, (_, index) => `p${index}@1.0.0`);
    const edges = Object.fromEntries(ids.map((id, index) => [id, ids.slice(index + 1, index + 2)]));
    const file = npmFile('f', ids, edges);
    const finder = await createPathFinder({
      inventory: { lockfiles: [file], unread: [] },
      graphs: new Map(),
    });
    const { ids: lists, rest, idOf, nameOf } = await compact(file);
    const [place] = findPlaces(lists, rest, createIdSet([idOf('p99@1.0.0')]));
    expect(place?.path.map(nameOf)).toEqual(finder(0, 'p99@1.0.0'));
    expect(place?.path).toHaveLength(32);
  });
});
