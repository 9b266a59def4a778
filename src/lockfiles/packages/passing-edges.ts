/** A dependency graph of a file. Some of its nodes (projects, files) are not packages. */
interface StatedGraph {
  /** Keys of the dependencies of a node. They may be missing in the file. */
  edgesOf(key: string): readonly string[];
  /** Id of the package of a node; `undefined` when the node is not a package. */
  idOf(key: string): string | undefined;
  /** Whether an edge to this node continues to the dependencies of the node. */
  passes(key: string): boolean;
}

/** Chains of nodes that are not packages multiply the number of edges. Files written by tools need far fewer steps. */
const MAX_STEPS = 5_000_000;

/** Finds the edges between the packages of a graph, through nodes that are not packages. */
export function createPassingEdges(graph: StatedGraph) {
  let steps = 0;
  /** Adds the packages behind the nodes in `pending`, which are not packages. */
  const follow = (pending: string[], ids: Set<string>): void => {
    const seen = new Set(pending);
    for (let key = pending.pop(); key !== undefined; key = pending.pop()) {
      for (const next of graph.edgesOf(key)) {
        steps += 1;
        const id = graph.idOf(next);
        if (id !== undefined) ids.add(id);
        else if (steps < MAX_STEPS && !seen.has(next) && graph.passes(next)) {
          seen.add(next);
          pending.push(next);
        }
      }
    }
  };
  return {
    /** Ids of the packages on which a node depends, directly or through nodes that are not packages. No repeats. */
    from(key: string): string[] {
      const ids = new Set<string>();
      const passing: string[] = [];
      for (const one of graph.edgesOf(key)) {
        const id = graph.idOf(one);
        if (id !== undefined) ids.add(id);
        else if (graph.passes(one)) passing.push(one);
      }
      if (steps < MAX_STEPS) follow(passing, ids);
      const own = graph.idOf(key);
      if (own !== undefined) ids.delete(own);
      return [...ids];
    },
    /** Whether edges were left out because the graph is too large. */
    get exhausted() {
      return steps >= MAX_STEPS;
    },
  };
}
