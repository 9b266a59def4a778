import type { Location } from '../../../../src/model/api/lockhound-api.generated.ts';

/** A package, or the lockfile at the beginning, in the graph of the ways to a package. */
export interface GraphNode {
  readonly id: string;
  readonly text: string;
  readonly kind: 'lockfile' | 'direct' | 'package' | 'found';
  /** Longest way from a lockfile. */
  layer: number;
  /** Place in its layer. */
  place: number;
}

export interface PathGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly (readonly [from: GraphNode, to: GraphNode])[];
  /** Number of nodes by layer. */
  readonly layers: readonly number[];
  /** Ways that the graph leaves out. */
  readonly leftOut: number;
}

/** Ways of one graph: more would not be readable. */
const MAX_PATHS = 8;

/** The ways to a package, joined where they share packages. `found`: its id, where a location has no way. */
export function graphOf(locations: readonly Location[], found: string): PathGraph {
  const nodes = new Map<string, GraphNode>();
  const edges = new Map<string, readonly [GraphNode, GraphNode]>();
  const node = (id: string, text: string, kind: GraphNode['kind']): GraphNode => {
    const known = nodes.get(id) ?? { id, text, kind, layer: 0, place: 0 };
    nodes.set(id, known);
    return known;
  };
  for (const { path, dependencyPath } of locations.slice(0, MAX_PATHS)) {
    const ids = dependencyPath.length === 0 ? [found] : dependencyPath;
    let before = node(`file ${path}`, path, 'lockfile');
    for (const [index, id] of ids.entries()) {
      const isLast = index === ids.length - 1;
      const next = node(`package ${id}`, id, isLast ? 'found' : index === 0 ? 'direct' : 'package');
      if (next !== before) edges.set(`${before.id}\n${next.id}`, [before, next]);
      before = next;
    }
  }
  const list = [...nodes.values()];
  setLayers(list, [...edges.values()]);
  const layers: number[] = [];
  for (const one of list) {
    one.place = layers[one.layer] ?? 0;
    layers[one.layer] = one.place + 1;
  }
  return {
    nodes: list,
    edges: [...edges.values()],
    layers: Array.from(layers, (count) => count ?? 0),
    leftOut: Math.max(0, locations.length - MAX_PATHS),
  };
}

/** Each node follows those before it. Ways that are joined can have a cycle: then the number of rounds ends it. */
function setLayers(nodes: readonly GraphNode[], edges: PathGraph['edges']): void {
  for (let round = 0; round < nodes.length; round += 1) {
    let isChanged = false;
    for (const [from, to] of edges) {
      if (to.layer > from.layer || from.layer >= nodes.length - 1) continue;
      to.layer = from.layer + 1;
      isChanged = true;
    }
    if (!isChanged) return;
  }
}
