import type { DependencyGraph } from '../model/lockfile/dependency-graph.ts';
import { formatVersionKey } from '../model/lockfile/ecosystem.ts';
import type { LockedPackage } from '../model/lockfile/lockfile.ts';
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
type EdgesByPosition = Pick<ReadonlyMap<number, readonly number[]>, 'get'>;

/**
 * Returns a function that returns a shortest path to a package of one lockfile by its id, as `createPathFinder` does. `expanded`: edges
 * by position, where the lockfile has none.
 */
export async function findPaths(
  packages: readonly PathPackage[],
  expanded?: EdgesByPosition,
  yieldIfDue = createYielder(),
): Promise<(id: string) => readonly string[]> {
  const search = new PathSearch(packages, expanded);
  await search.run(yieldIfDue);
  return (id) => search.pathTo(id);
}

/**
 * A breadth-first search through the packages of a lockfile, which are named by their positions. A class, because V8 drops the
 * optimised code of functions that each search creates.
 */
class PathSearch {
  readonly #packages: readonly PathPackage[];
  readonly #expanded: EdgesByPosition | undefined;
  readonly #positions = new Map<string, number>();
  readonly #parents: Int32Array;
  /** Packages on the path; 0 where a package is not reachable. */
  readonly #steps: Int32Array;
  /** The `HEAD`th package of the path. */
  readonly #anchors: Int32Array;
  #queue: number[] = [];

  constructor(packages: readonly PathPackage[], expanded?: EdgesByPosition) {
    const size = packages.length;
    this.#packages = packages;
    this.#expanded = expanded;
    this.#parents = new Int32Array(size);
    this.#steps = new Int32Array(size);
    this.#anchors = new Int32Array(size);
  }

  async run(yieldIfDue: YieldIfDue): Promise<void> {
    let position = 0;
    for await (const slice of inSlices(this.#packages)) {
      for (const { id } of slice) this.#positions.set(id, position++);
    }
    this.#queue = await this.#roots(yieldIfDue);
    for (const root of this.#queue) {
      this.#parents[root] = -1;
      this.#steps[root] = 1;
    }
    for (const from of this.#queue) {
      if (from % 256 === 0) await yieldIfDue();
      if (this.#steps[from] === HEAD) this.#anchors[from] = from;
      this.#reachFrom(from);
    }
  }

  pathTo(id: string): readonly string[] {
    const position = this.#positions.get(id);
    const length = position === undefined ? 0 : (this.#steps[position] ?? 0);
    if (position === undefined || length === 0) return [];
    if (length <= HEAD + TAIL) return this.#upFrom(position, length);
    return [...this.#upFrom(this.#anchors[position] ?? 0, HEAD), ELLIPSIS, ...this.#upFrom(position, TAIL)];
  }

  /** The direct dependencies; where the lockfile does not mark them, the packages that no other one depends on. */
  async #roots(yieldIfDue: YieldIfDue): Promise<number[]> {
    const direct: number[] = [];
    const unmarked: number[] = [];
    let position = 0;
    for (const { direct: isDirect } of this.#packages) {
      if (isDirect === true) direct.push(position);
      else if (isDirect === undefined) unmarked.push(position);
      position += 1;
    }
    if (direct.length > 0) return direct;
    const needed = new Uint8Array(this.#packages.length);
    for (const from of this.#packages.keys()) {
      if (from % 256 === 0) await yieldIfDue();
      for (const to of this.#edgesOf(from)) needed[to] = 1;
    }
    return unmarked.filter((one) => needed[one] === 0);
  }

  #reachFrom(from: number): void {
    const known = this.#expanded?.get(from);
    if (known !== undefined) {
      for (const to of known) this.#reach(to, from);
      return;
    }
    // Without a list of the edges, which would be most of the memory of a search.
    for (const id of this.#packages[from]?.dependencies ?? NONE) {
      const to = this.#positions.get(id);
      if (to !== undefined) this.#reach(to, from);
    }
  }

  #reach(to: number, from: number): void {
    if (this.#steps[to] !== 0) return;
    this.#steps[to] = (this.#steps[from] ?? 0) + 1;
    this.#parents[to] = from;
    this.#anchors[to] = this.#anchors[from] ?? 0;
    this.#queue.push(to);
  }

  #edgesOf(from: number): readonly number[] {
    const ids = this.#packages[from]?.dependencies ?? NONE;
    return this.#expanded?.get(from) ?? ids.flatMap((id) => this.#positions.get(id) ?? []);
  }

  #upFrom(start: number, count: number): string[] {
    const path: string[] = [];
    for (let at = start; at >= 0 && path.length < count; at = this.#parents[at] ?? -1) {
      path.push(this.#packages[at]?.id ?? '');
    }
    return path.reverse();
  }
}

const NONE: readonly never[] = [];

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
