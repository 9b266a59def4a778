import type { DependencyGraph } from '../model/lockfile/dependency-graph.ts';
import type { LockedPackage } from '../model/lockfile/lockfile.ts';
import { formatVersionKey } from '../model/lockfile/version-key.ts';
import type { ResolvedPackage } from '../model/scan/inventory.ts';
import { createYielder, inSlices, type YieldIfDue } from '../model/yielding.ts';
import type { PathFinder } from './located-packages.ts';
import type { RuleFacts } from './rule.ts';

/** A longer path lists this many packages at its beginning and at its end. */
const HEAD = 16;
const TAIL = 15;
/** Replaces the middle of a long path. */
const ELLIPSIS = '…';

/**
 * Finds shortest paths in each lockfile: package ids from a direct dependency to the package itself, at most 32; empty where
 * no path is known. One breadth-first search for each lockfile, which yields to the event loop.
 */
export async function createPathFinder({
  inventory,
  graphs,
}: Pick<RuleFacts, 'inventory' | 'graphs'>): Promise<PathFinder> {
  const searched: ((id: string) => readonly string[])[] = [];
  const yieldIfDue = createYielder();
  for (const { packages } of inventory.lockfiles) {
    const hasEdges = packages.some(({ dependencies }) => dependencies !== undefined);
    const expanded = hasEdges ? undefined : await expandedEdges(packages, graphs);
    searched.push(await findPaths(packages, expanded, yieldIfDue));
  }
  return (lockfile, id) => searched[lockfile]?.(id) ?? [];
}

type PathPackage = Pick<LockedPackage, 'id' | 'direct' | 'dependencies'>;

/**
 * Returns a function that returns a shortest path to a package of one lockfile by its id, as `createPathFinder` does. `expanded`: edges
 * by position, where the lockfile has none.
 */
export async function findPaths(
  packages: readonly PathPackage[],
  expanded?: ReadonlyMap<number, readonly number[]>,
  yieldIfDue = createYielder(),
): Promise<(id: string) => readonly string[]> {
  const positions = new Map<string, number>();
  let position = 0;
  for await (const slice of inSlices(packages)) {
    for (const { id } of slice) positions.set(id, position++);
  }
  const edgesOf = (position: number): readonly number[] => {
    const known = expanded?.get(position);
    if (known !== undefined) return known;
    const edges: number[] = [];
    for (const id of packages[position]?.dependencies ?? []) {
      const to = positions.get(id);
      if (to !== undefined) edges.push(to);
    }
    return edges;
  };
  const size = packages.length;
  // By position of the package: `steps` is 0 where it is not reachable; `anchors`: the `HEAD`th package of the path.
  const [parents, steps, anchors] = [new Int32Array(size), new Int32Array(size), new Int32Array(size)];
  const queue = await roots(packages, edgesOf, yieldIfDue);
  for (const position of queue) {
    parents[position] = -1;
    steps[position] = 1;
  }
  for (const position of queue) {
    if (position % 256 === 0) await yieldIfDue();
    const own = steps[position] ?? 0;
    if (own === HEAD) anchors[position] = position;
    for (const next of edgesOf(position)) {
      if (steps[next] !== 0) continue;
      steps[next] = own + 1;
      parents[next] = position;
      anchors[next] = anchors[position] ?? 0;
      queue.push(next);
    }
  }
  const upFrom = (start: number, count: number): string[] => {
    const path: string[] = [];
    for (let at = start; at >= 0 && path.length < count; at = parents[at] ?? -1) {
      path.push(packages[at]?.id ?? '');
    }
    return path.reverse();
  };
  return (id) => {
    const position = positions.get(id);
    const length = position === undefined ? 0 : (steps[position] ?? 0);
    if (position === undefined || length === 0) return [];
    if (length <= HEAD + TAIL) return upFrom(position, length);
    return [...upFrom(anchors[position] ?? 0, HEAD), ELLIPSIS, ...upFrom(position, TAIL)];
  };
}

/** Edges of the service's graphs between packages of the lockfile; others are not on a path. */
async function expandedEdges(
  packages: readonly ResolvedPackage[],
  graphs: ReadonlyMap<string, DependencyGraph>,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const byKey = new Map<string, number>();
  let position = 0;
  for await (const slice of inSlices(packages)) {
    for (const { resolution } of slice) {
      if (resolution.record !== undefined)
        byKey.set(formatVersionKey(resolution.record.versionKey), position);
      position += 1;
    }
  }
  const edges = new Map<number, number[]>();
  for await (const slice of inSlices([...graphs.values()], 1)) {
    for (const graph of slice) addEdges(edges, graph, byKey);
  }
  return edges;
}

function addEdges(
  edges: Map<number, number[]>,
  graph: DependencyGraph,
  byKey: ReadonlyMap<string, number>,
): void {
  const nodes = graph.nodes.map(({ versionKey }) => byKey.get(formatVersionKey(versionKey)));
  for (const { from, to } of graph.edges) {
    const [source, target] = [nodes[from], nodes[to]];
    if (source === undefined || target === undefined) continue;
    const known = edges.get(source);
    if (known === undefined) edges.set(source, [target]);
    else known.push(target);
  }
}

/** The direct dependencies; where the lockfile does not mark them, the packages that no other one depends on. */
async function roots(
  packages: readonly PathPackage[],
  edgesOf: (position: number) => readonly number[],
  yieldIfDue: YieldIfDue,
): Promise<number[]> {
  const direct = positionsOf(packages, ({ direct: known }) => known === true);
  if (direct.length > 0) return direct;
  const needed = new Uint8Array(packages.length);
  for (const position of packages.keys()) {
    if (position % 256 === 0) await yieldIfDue();
    for (const next of edgesOf(position)) needed[next] = 1;
  }
  return positionsOf(
    packages,
    ({ direct: known }, position) => known === undefined && needed[position] === 0,
  );
}

function positionsOf(
  packages: readonly PathPackage[],
  holds: (locked: PathPackage, position: number) => boolean,
): number[] {
  return [...packages.keys()].filter((position) => {
    const locked = packages[position];
    return locked !== undefined && holds(locked, position);
  });
}
