import type { ResolvedLockfile } from '../../model/scan/inventory.ts';

/** A package on a way from a direct dependency to the package of a finding. */
export interface GraphNode {
  readonly id: string;
  readonly direct: boolean;
  /** Steps to the package of the finding, which has 0. */
  readonly distance: number;
}

/** All ways from the direct dependencies of a lockfile to one of its packages. */
export interface AncestorGraph {
  readonly nodes: readonly GraphNode[];
  /** Positions in `nodes`: a package, and one that it depends on. */
  readonly edges: readonly (readonly [from: number, to: number])[];
  /** Packages that require it and are not in `nodes`, because there are too many. */
  readonly omitted: number;
}

/** Packages of a graph: more cannot be read. */
const MAX_NODES = 28;

/** Finds all ways to packages of a lockfile. `undefined` where the lockfile states no edges. */
export function ancestorFinder(lockfile: ResolvedLockfile): (id: string) => AncestorGraph | undefined {
  const byId = new Map(lockfile.packages.map((one) => [one.id, one]));
  const parents = new Map<string, string[]>();
  for (const { id, dependencies } of lockfile.packages) {
    for (const to of dependencies ?? []) {
      const known = parents.get(to);
      if (known === undefined) parents.set(to, [id]);
      else known.push(id);
    }
  }
  const isRoot = rootTest(lockfile, parents);
  return (id) => {
    if (!byId.has(id) || parents.size === 0) return undefined;
    const distances = distancesFrom(id, parents);
    const onWays = reachable(id, distances, parents, isRoot);
    const all = [...distances].filter(([one]) => onWays.has(one));
    const nodes = all.slice(0, MAX_NODES).map(([one, distance]) => ({
      id: one,
      direct: byId.get(one)?.direct === true,
      distance,
    }));
    return { nodes, edges: edgesBetween(nodes, parents), omitted: all.length - nodes.length };
  };
}

type Parents = ReadonlyMap<string, readonly string[]>;

/** Direct dependencies; where the lockfile does not mark them, packages that no other one requires. */
function rootTest({ packages }: ResolvedLockfile, parents: Parents): (id: string) => boolean {
  const direct = new Set(packages.flatMap((one) => (one.direct === true ? [one.id] : [])));
  return direct.size > 0 ? (id) => direct.has(id) : (id) => !parents.has(id);
}

/** Distances of a package and of all that need it, the nearest first. */
function distancesFrom(id: string, parents: Parents): ReadonlyMap<string, number> {
  const distances = new Map([[id, 0]]);
  for (const [one, distance] of distances) {
    for (const parent of parents.get(one) ?? []) {
      if (!distances.has(parent)) distances.set(parent, distance + 1);
    }
  }
  return distances;
}

/** The package, and those that a root reaches without passing through it: others require it only because of a cycle. */
function reachable(
  id: string,
  distances: ReadonlyMap<string, number>,
  parents: Parents,
  isRoot: (id: string) => boolean,
): ReadonlySet<string> {
  const children = new Map<string, string[]>();
  for (const one of distances.keys()) {
    if (one === id) continue;
    for (const parent of parents.get(one) ?? []) {
      const known = children.get(parent);
      if (known === undefined) children.set(parent, [one]);
      else known.push(one);
    }
  }
  const found = new Set([...distances.keys()].filter((one) => one !== id && isRoot(one)));
  for (const one of found) for (const child of children.get(one) ?? []) found.add(child);
  return found.add(id);
}

/** Edges towards the package; those of cycles lead away from it. */
function edgesBetween(nodes: readonly GraphNode[], parents: Parents): AncestorGraph['edges'] {
  const positions = new Map(nodes.map((node, index) => [node.id, index]));
  return nodes.flatMap((node, to) =>
    (parents.get(node.id) ?? []).flatMap((parent) => {
      const from = positions.get(parent);
      const leads = from !== undefined && from !== to && (nodes[from]?.distance ?? 0) >= node.distance;
      return leads ? [[from, to] as const] : [];
    }),
  );
}
