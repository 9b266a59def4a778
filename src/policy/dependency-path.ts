import type { DependencyGraph } from '../model/dependency-graph.ts';
import type { LockfileInventory, ResolvedPackage } from '../model/inventory.ts';
import { formatVersionKey } from '../model/version-record.ts';
import type { PathFinder } from './placed-packages.ts';
import type { ScanFacts } from './rule.ts';

/** The package that led to each reached package; `undefined` for what the target asks for itself. */
type Parents = ReadonlyMap<string, string | undefined>;

/**
 * Shortest paths (package ids, a direct dependency first, the package itself last) in each lockfile; empty where
 * none is known. One breadth-first search a lockfile, made when its first path is asked for.
 */
export function createPathFinder({ inventory, graphs }: Pick<ScanFacts, 'inventory' | 'graphs'>): PathFinder {
  const searched = new Map<number, Parents>();
  return (lockfile, id) => {
    const known = searched.get(lockfile);
    const file = inventory.lockfiles[lockfile];
    const parents = known ?? (file === undefined ? new Map() : search(file, graphs));
    searched.set(lockfile, parents);
    return pathOf(id, parents);
  };
}

function search(file: LockfileInventory, graphs: ReadonlyMap<string, DependencyGraph>): Parents {
  const hasEdges = file.packages.some(({ dependencies }) => dependencies !== undefined);
  const edges = hasEdges ? ownEdges(file.packages) : expandedEdges(file.packages, graphs);
  const parents = new Map<string, string | undefined>();
  let frontier = roots(file.packages, edges);
  for (const id of frontier) parents.set(id, undefined);
  while (frontier.length > 0) {
    const reached: string[] = [];
    for (const id of frontier) {
      for (const dependency of edges.get(id) ?? []) {
        if (parents.has(dependency)) continue;
        parents.set(dependency, id);
        reached.push(dependency);
      }
    }
    frontier = reached;
  }
  return parents;
}

type Edges = ReadonlyMap<string, readonly string[]>;

function ownEdges(packages: readonly ResolvedPackage[]): Edges {
  return new Map(packages.map(({ id, dependencies = [] }) => [id, dependencies]));
}

/** Edges of the service's graphs between packages that are in the file: what is not locked is not on the way. */
function expandedEdges(
  packages: readonly ResolvedPackage[],
  graphs: ReadonlyMap<string, DependencyGraph>,
): Edges {
  const ids = new Map<string, string>();
  for (const { id, resolution } of packages) {
    if (resolution.record !== undefined) ids.set(formatVersionKey(resolution.record.versionKey), id);
  }
  const edges = new Map<string, string[]>();
  for (const graph of graphs.values()) {
    const nodeIds = graph.nodes.map(({ versionKey }) => ids.get(formatVersionKey(versionKey)));
    for (const { from, to } of graph.edges) {
      const [source, target] = [nodeIds[from], nodeIds[to]];
      if (source === undefined || target === undefined) continue;
      const known = edges.get(source);
      if (known === undefined) edges.set(source, [target]);
      else known.push(target);
    }
  }
  return edges;
}

/** What the target asks for; where no file tells, the packages that no other one depends on. */
function roots(packages: readonly ResolvedPackage[], edges: Edges): string[] {
  const direct = packages.filter((locked) => locked.direct === true);
  if (direct.length > 0) return direct.map(({ id }) => id);
  const needed = new Set([...edges.values()].flat());
  return packages
    .filter(({ id, direct: known }) => known === undefined && !needed.has(id))
    .map(({ id }) => id);
}

function pathOf(id: string, parents: Parents): readonly string[] {
  if (!parents.has(id)) return [];
  const path: string[] = [];
  for (let at: string | undefined = id; at !== undefined; at = parents.get(at)) path.push(at);
  return path.reverse();
}
