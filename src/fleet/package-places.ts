import type { CompactLockfile } from '../model/fleet/compact-lockfile.ts';
import type { Outcome } from '../model/scan/outcome.ts';
import type { LockfileIds } from './compact-lockfile.ts';
import type { IdSet } from './id-list.ts';

/** The columns of a compact lockfile that say who brings a package. */
export type GraphColumns = Pick<CompactLockfile, 'positions' | 'direct' | 'dependencies'>;

/** A package version in a lockfile. */
export interface PackagePlace {
  /** Its id in the fleet. */
  readonly packageId: number;
  /** Version in the spelling of the file, where that differs from the identity's. */
  readonly version?: string | undefined;
  /** `undefined` when the file does not state it. */
  readonly direct: boolean | undefined;
  readonly groups: readonly string[];
  /** 1-based; `undefined` when the reader of the format records none. */
  readonly line: number | undefined;
  /** Outcome of a package that is not looked up, and the reason. */
  readonly excluded?: readonly [outcome: Outcome, reason: string] | undefined;
  /**
   * A shortest path from a direct dependency down to the package itself, each as its id in the fleet, or as text where the file has
   * another name for it; empty when no path is known.
   */
  readonly path: readonly (number | string)[];
}

/** A longer path lists this many packages at its beginning and at its end, as the paths of findings do. */
const HEAD = 16;
const TAIL = 15;
const ELLIPSIS = '…';

/**
 * The places of the wanted packages in a lockfile, in the order of the file. It works on the columns of the compact form: naming all
 * packages of a lockfile would take most of the time. Throws `RangeError` for a position without an id.
 */
export function findPlaces(ids: LockfileIds, rest: CompactLockfile, wanted: IdSet): readonly PackagePlace[] {
  const packageIds = packageIdsOf(ids, rest);
  const found = packageIds.flatMap((id, position) => (wanted.has(id) ? [position] : []));
  if (found.length === 0) return [];
  const parents = searchPaths(rest, new Set(found));
  const lines = linesOf(rest);
  const stepOf = (position: number): number | string => {
    const [name, version] = rest.spelled[position] ?? [];
    const spelled = name === undefined ? undefined : `${name}@${version}`;
    return rest.ids[position] ?? spelled ?? packageIds[position] ?? 0;
  };
  return found.map((position) => ({
    packageId: packageIds[position] ?? 0,
    version: rest.spelled[position]?.[1],
    direct: { 0: false, 1: true }[rest.direct[position] ?? ''],
    groups: rest.groupSets[rest.groups[position] ?? -1] ?? [],
    line: lines[position],
    excluded: rest.excluded[position],
    path: shortened(pathTo(position, parents).map(stepOf)),
  }));
}

/** The root of a package that no direct dependency is known to bring. */
export const UNKNOWN_ROOT = -1;

/**
 * The roots of the wanted ids: for each, the id of a direct dependency that brings it over a shortest path: the package itself when it is
 * direct, and `UNKNOWN_ROOT` when the file does not say. Throws `RangeError` for a position without an id.
 */
export function findRoots(
  ids: LockfileIds,
  rest: GraphColumns,
  wanted: { has(id: number): boolean },
): ReadonlyMap<number, number> {
  const packageIds = packageIdsOf(ids, rest);
  const found = packageIds.flatMap((id, position) => (wanted.has(id) ? [position] : []));
  const parents = searchPaths(rest, new Set(found));
  const roots = new Map<number, number>();
  for (const position of found) {
    const id = packageIds[position] as number;
    const [root = position] = pathTo(position, parents);
    const isStated = rest.direct[root] === '1' || (root !== position && rest.direct[root] === '?');
    if (isStated) roots.set(id, packageIds[root] as number);
    else if (!roots.has(id)) roots.set(id, UNKNOWN_ROOT);
  }
  return roots;
}

/** The id of each package of the file in the fleet. */
function packageIdsOf({ lookedUp, excluded }: LockfileIds, { positions }: GraphColumns): readonly number[] {
  let at = 0;
  return positions.map((step, index) => {
    at += step;
    const id = at < lookedUp.length ? lookedUp[at] : excluded[at - lookedUp.length];
    if (id === undefined) throw new RangeError(`package ${index} has no id`);
    return id;
  });
}

function linesOf({ lines }: CompactLockfile): readonly (number | undefined)[] {
  let last = 0;
  return lines.map((step) => {
    last += step ?? 0;
    return step === null ? undefined : last;
  });
}

const NOT_REACHED = -2;
const ROOT = -1;

/** The package before each one on a shortest path from a direct dependency; ends when all wanted packages are reached. */
function searchPaths(rest: GraphColumns, wanted: ReadonlySet<number>): Int32Array {
  const parents = new Int32Array(rest.positions.length).fill(NOT_REACHED);
  const queue = rootsOf(rest);
  for (const root of queue) parents[root] = ROOT;
  let left = [...wanted].filter((position) => parents[position] === NOT_REACHED).length;
  for (const position of queue) {
    if (left === 0) break;
    for (const edge of rest.dependencies[position] ?? []) {
      const next = typeof edge === 'number' ? position + edge : -1;
      if (parents[next] !== NOT_REACHED) continue;
      parents[next] = position;
      if (wanted.has(next)) left -= 1;
      queue.push(next);
    }
  }
  return parents;
}

/** The direct dependencies; where the file marks none, the packages that no other one depends on. */
function rootsOf({ direct, dependencies }: GraphColumns): number[] {
  const marked = positionsOf(direct, '1');
  if (marked.length > 0) return marked;
  const needed = new Set<number>();
  for (const [position, edges] of dependencies.entries()) {
    for (const edge of edges ?? []) if (typeof edge === 'number') needed.add(position + edge);
  }
  return positionsOf(direct, '?').filter((position) => !needed.has(position));
}

function positionsOf(direct: string, mark: string): number[] {
  const found: number[] = [];
  for (let at = direct.indexOf(mark); at >= 0; at = direct.indexOf(mark, at + 1)) found.push(at);
  return found;
}

function pathTo(position: number, parents: Int32Array): readonly number[] {
  if (parents[position] === NOT_REACHED) return [];
  const path: number[] = [];
  for (let at = position; at >= 0; at = parents[at] ?? ROOT) path.push(at);
  return path.reverse();
}

function shortened<Step>(path: readonly Step[]): readonly (Step | string)[] {
  if (path.length <= HEAD + TAIL) return path;
  return [...path.slice(0, HEAD), ELLIPSIS, ...path.slice(-TAIL)];
}
