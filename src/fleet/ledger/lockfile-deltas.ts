import type { LockfileDelta } from '../../model/fleet/ledger.ts';
import type { LockfileIds } from '../compact-lockfile.ts';
import type { IdList } from '../id-list.ts';
import { findRoots, type GraphColumns, UNKNOWN_ROOT } from '../package-places.ts';

/** A lockfile of a target before or after a scan. `rest`: for one that the scan read. */
export interface ComparedLockfile {
  readonly path: string;
  /** Key of its inventory. */
  readonly inventory: string;
  readonly ids: LockfileIds;
  readonly rest?: GraphColumns;
}

/** The packages that came and went, for the lockfiles whose packages differ. */
export function lockfileDeltas(
  before: readonly ComparedLockfile[],
  after: readonly ComparedLockfile[],
): readonly LockfileDelta[] {
  const old = new Map(before.map((file) => [file.path, file]));
  const current = new Set(after.map(({ path }) => path));
  return [
    ...before.flatMap((file) => (current.has(file.path) ? [] : deltaOf(file.path, file, undefined))),
    ...after.flatMap((file) => deltaOf(file.path, old.get(file.path), file)),
  ];
}

function deltaOf(
  path: string,
  before: ComparedLockfile | undefined,
  after: ComparedLockfile | undefined,
): readonly LockfileDelta[] {
  if (before?.inventory === after?.inventory) return [];
  const [old, current] = [allIds(before), allIds(after)];
  const came = withoutIds(current, old);
  const went = withoutIds(old, current);
  if (came.length + went.length === 0) return [];
  return [{ path, came: stepsOf(came), ...rootsOf(came, after), went: stepsOf(went) }];
}

/** The ids of the packages of a lockfile, those that are not looked up among them. */
export function allIds(file: { readonly ids: LockfileIds } | undefined): IdList {
  if (file === undefined) return new Uint32Array();
  const { lookedUp, excluded } = file.ids;
  if (excluded.length === 0) return lookedUp;
  return Uint32Array.from(new Set([...lookedUp, ...excluded])).sort();
}

/** The ids that are not among the others. The lists are ascending. */
function withoutIds(ids: IdList, others: IdList): readonly number[] {
  const left: number[] = [];
  let at = 0;
  for (const id of ids) {
    while (at < others.length && (others[at] as number) < id) at += 1;
    if (others[at] !== id) left.push(id);
  }
  return left;
}

function rootsOf(
  came: readonly number[],
  after: ComparedLockfile | undefined,
): Pick<LockfileDelta, 'via' | 'roots'> {
  if (came.length === 0 || after?.rest === undefined) return { via: came.map(() => -1), roots: [] };
  const found = findRoots(after.ids, after.rest, new Set(came));
  const roots: number[] = [];
  const places = new Map<number, number>();
  const via = came.map((id) => {
    const root = found.get(id) ?? UNKNOWN_ROOT;
    if (root === id) return 0;
    if (root === UNKNOWN_ROOT) return -1;
    const place = places.get(root) ?? roots.push(root);
    places.set(root, place);
    return place;
  });
  return { via, roots };
}

/** The packages that each lockfile holds, by its path. */
export type Held = Map<string, Set<number>>;

/** Brings packages to the state after a change. Returns whether it fits to the state before. */
export function applyDelta(
  { path, came, went }: Pick<LockfileDelta, 'path' | 'came' | 'went'>,
  held: Held,
): boolean {
  const own = held.get(path) ?? new Set();
  held.set(path, own);
  const hadAll = idsOf(went).filter((id) => !own.delete(id)).length === 0;
  const hadNone = idsOf(came).filter((id) => own.has(id) || !own.add(id)).length === 0;
  return hadAll && hadNone;
}

/** The lockfiles of which both hold the same packages, and those that differ. */
export function compareHeld(
  one: Held,
  other: Held,
): { readonly same: readonly string[]; readonly differing: readonly string[] } {
  const paths = [...new Set([...one.keys(), ...other.keys()])].sort();
  const { same = [], differing = [] } = Object.groupBy(paths, (path) => {
    const [own = new Set(), others = new Set()] = [one.get(path), other.get(path)];
    return own.size === others.size && [...own].every((id) => others.has(id)) ? 'same' : 'differing';
  });
  return { same, differing };
}

/** Ascending ids, each minus the one before it. */
export function stepsOf(ids: readonly number[]): readonly number[] {
  return ids.map((id, index) => id - (ids[index - 1] ?? 0));
}

/** Reads what `stepsOf` wrote. */
export function idsOf(steps: readonly number[]): readonly number[] {
  let id = 0;
  return steps.map((step) => {
    id += step;
    return id;
  });
}
