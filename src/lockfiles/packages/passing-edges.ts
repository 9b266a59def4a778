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
  /** Adds what lies behind the nodes in `pending`, all of them no packages. */
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
    from(key) {
      const next = graph.edgesOf(key);
      const own = graph.idOf(key);
      const ids: string[] = [];
      const passing: string[] = [];
      for (const one of next) {
        const id = graph.idOf(one);
        if (id !== undefined) ids.push(id);
        else if (graph.passes(one)) passing.push(one);
      }
      // Lists are short, and nearly all their entries packages.
      if (passing.length === 0 && isClean(ids, own)) return ids;
      const distinct = new Set(ids);
      if (steps < MAX_STEPS) follow(passing, distinct);
      if (own !== undefined) distinct.delete(own);
      return [...distinct];
    },
    get exhausted() {
      return steps >= MAX_STEPS;
    },
  };
}

/** Whether a short list holds each id once and not its own; of a long one nobody knows. */
function isClean(ids: readonly string[], own: string | undefined): boolean {
  return ids.length <= 12 && ids.every((id, index) => id !== own && ids.indexOf(id) === index);
}
