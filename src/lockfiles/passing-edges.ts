/** A dependency graph as a file states it: among its nodes some are packages, others (projects, files) are none. */
export interface StatedGraph {
  /** Keys of what a node depends on; may name nodes that the file does not have. */
  edgesOf(key: string): readonly string[];
  /** Id of the package that a node is; `undefined` when it is none. */
  idOf(key: string): string | undefined;
  /** Nodes that lead on to what they depend on, as if it stood in their place: those that are no packages. */
  passes(key: string): boolean;
}

export interface PassingEdges {
  /** Ids of the packages that a node leads to, each once, directly or through nodes that are no packages. */
  from(key: string): string[];
  /** Whether the graph was too large to be followed through all such nodes. */
  readonly exhausted: boolean;
}

/** A chain of nodes that are no packages can multiply what follows from it; no honest file comes near this. */
const MAX_STEPS = 5_000_000;

/** Edges between the packages of a graph, past the nodes in it that are none. */
export function createPassingEdges(graph: StatedGraph): PassingEdges {
  let steps = 0;
  const follow = (first: string, ids: Set<string>): void => {
    const seen = new Set([first]);
    const pending = [first];
    for (let key = pending.pop(); key !== undefined; key = pending.pop()) {
      for (const next of graph.edgesOf(key)) {
        steps += 1;
        const id = graph.idOf(next);
        if (id !== undefined) ids.add(id);
        else if (steps < MAX_STEPS && graph.passes(next) && !seen.has(next)) {
          seen.add(next);
          pending.push(next);
        }
      }
    }
  };
  return {
    from(key) {
      const ids = new Set<string>();
      follow(key, ids);
      const own = graph.idOf(key);
      if (own !== undefined) ids.delete(own);
      return [...ids];
    },
    get exhausted() {
      return steps >= MAX_STEPS;
    },
  };
}
