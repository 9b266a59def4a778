import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DependencyGraph } from '../../src/model/lockfile/dependency-graph.ts';
import type { ResolvedPackage } from '../../src/model/scan/inventory.ts';
import { createPathFinder } from '../../src/policy/dependency-path.ts';
import { inventoryOf, lockfileOf, packageOf } from './facts.ts';

async function finderOf(
  packages: readonly ResolvedPackage[],
  graphs: Map<string, DependencyGraph> = new Map(),
) {
  const find = await createPathFinder({ inventory: inventoryOf(lockfileOf(packages)), graphs });
  return (id: string) => find(0, id);
}

const node = (id: string, dependencies: readonly string[], direct = false) =>
  packageOf(id, { dependencies, direct });

/** Least number of steps from a direct package, by relaxing every edge until no distance changes. */
function distances(packages: readonly ResolvedPackage[]): Map<string, number> {
  const steps = new Map(packages.filter(({ direct }) => direct).map(({ id }) => [id, 1]));
  for (let moved = true; moved; ) {
    moved = false;
    for (const { id, dependencies = [] } of packages) {
      const next = (steps.get(id) ?? Number.POSITIVE_INFINITY) + 1;
      for (const to of dependencies) {
        if (next >= (steps.get(to) ?? Number.POSITIVE_INFINITY)) continue;
        steps.set(to, next);
        moved = true;
      }
    }
  }
  return steps;
}

describe('the path to a package', () => {
  it('is the shortest from a direct dependency, also through cycles', async () => {
    const pathTo = await finderOf([
      node('a@1', ['b@1', 'd@1'], true),
      node('b@1', ['c@1', 'a@1']),
      node('c@1', ['d@1', 'e@1']),
      node('d@1', ['b@1']),
      node('e@1', []),
    ]);
    expect(pathTo('a@1')).toEqual(['a@1']);
    expect(pathTo('e@1')).toEqual(['a@1', 'b@1', 'c@1', 'e@1']);
    expect(pathTo('d@1')).toEqual(['a@1', 'd@1']);
    expect(pathTo('nobody@1')).toEqual([]);
  });

  it('begins at packages without dependents where the lockfile does not mark direct ones', async () => {
    const pathTo = await finderOf([
      packageOf('top@1', { dependencies: ['in@1'], direct: undefined }),
      packageOf('in@1', { dependencies: ['out@1'], direct: undefined }),
      packageOf('out@1', { dependencies: [], direct: undefined }),
    ]);
    expect(pathTo('out@1')).toEqual(['top@1', 'in@1', 'out@1']);
  });

  it('is empty for packages that no direct dependency leads to', async () => {
    const pathTo = await finderOf([node('a@1', [], true), node('x@1', ['y@1']), node('y@1', ['x@1'])]);
    expect(pathTo('y@1')).toEqual([]);
  });

  it('follows the graphs of the service where the file has no edges, over locked packages only', async () => {
    const flat = (id: string, direct: boolean) => packageOf(id, { dependencies: undefined, direct });
    const key = (name: string) => ({ system: 'NPM', name, version: '1' }) as const;
    const graph: DependencyGraph = {
      nodes: [
        { versionKey: key('a'), relation: 'SELF' },
        { versionKey: key('b'), relation: 'DIRECT' },
        { versionKey: key('elsewhere'), relation: 'DIRECT' },
        { versionKey: key('c'), relation: 'INDIRECT' },
      ],
      edges: [
        { from: 0, to: 1 },
        { from: 0, to: 2 },
        { from: 1, to: 3 },
        { from: 2, to: 3 },
        { from: 1, to: 99 },
      ],
      errors: [],
    };
    const packages = [flat('a@1', true), flat('b@1', false), flat('c@1', false)];
    expect((await finderOf(packages, new Map([['NPM:a@1', graph]])))('c@1')).toEqual(['a@1', 'b@1', 'c@1']);
    expect((await finderOf(packages))('c@1')).toEqual([]);
  });

  it('is a real and shortest one in any graph', async () => {
    const size = 9;
    const edges = fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(edges, fc.uniqueArray(fc.nat(size - 1), { minLength: 1 }), async (pairs, direct) => {
        const packages = Array.from({ length: size }, (_, at) =>
          node(
            `p${at}@1`,
            pairs.filter(([from]) => from === at).map(([, to]) => `p${to}@1`),
            direct.includes(at),
          ),
        );
        const byId = new Map(packages.map((locked) => [locked.id, locked]));
        const pathTo = await finderOf(packages);
        const least = distances(packages);
        for (const { id } of packages) {
          const path = pathTo(id);
          expect(path).toHaveLength(least.get(id) ?? 0);
          if (path.length === 0) continue;
          expect(byId.get(path[0] ?? '')?.direct).toBe(true);
          expect(path.at(-1)).toBe(id);
          for (const [at, step] of path.slice(1).entries()) {
            expect(byId.get(path[at] ?? '')?.dependencies).toContain(step);
          }
        }
      }),
    );
  });

  it('needs one search for each lockfile, for any number and depth of paths', async () => {
    const depth = 20_000;
    let reads = 0;
    const packages = Array.from({ length: depth }, (_, at) => {
      const locked = node(`p${at}@1`, [], at === 0);
      const dependencies = at + 1 < depth ? [`p${at + 1}@1`] : [];
      return Object.defineProperty({ ...locked }, 'dependencies', {
        get() {
          reads += 1;
          return dependencies;
        },
      });
    });
    const pathTo = await finderOf(packages);
    expect(pathTo(`p${depth - 1}@1`)).toEqual([
      ...Array.from({ length: 16 }, (_, at) => `p${at}@1`),
      '…',
      ...Array.from({ length: 15 }, (_, at) => `p${depth - 15 + at}@1`),
    ]);
    const afterFirst = reads;
    for (let at = 0; at < 100; at += 1) {
      expect(pathTo(`p${at}@1`)).toHaveLength(at < 31 ? at + 1 : 32);
    }
    expect(reads).toBe(afterFirst);
    expect(reads).toBeLessThanOrEqual(2 * depth);
  });

  it('has linear cost in a lockfile of diamonds with exponentially many paths', async () => {
    const layers = 1_000;
    const packages = Array.from({ length: layers }, (_, at) => {
      const below = at + 1 < layers ? [`l${at + 1}@1`, `r${at + 1}@1`] : [];
      return [node(`l${at}@1`, below, at === 0), node(`r${at}@1`, below, at === 0)];
    }).flat();
    const pathTo = await finderOf(packages);
    expect(pathTo('r9@1')).toHaveLength(10);
    expect(pathTo(`r${layers - 1}@1`)).toHaveLength(32);
  });
});
