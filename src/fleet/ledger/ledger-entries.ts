import type { LedgerEntry, LockfileDelta } from '../../model/fleet/ledger.ts';
import type { IdList } from '../id-list.ts';
import { idsOf, stepsOf } from './lockfile-deltas.ts';

/** Stands for `since` of a head that lacks ids, because a part of the ledger could not be read when it was written. */
export const NOT_KNOWN = 0xffff_ffff;

/** The part of a ledger that a pass over all targets needs. */
export interface LedgerHead {
  /** Since when it is known what the target held, in seconds since 1970; or `NOT_KNOWN`. */
  readonly since: number;
  /** Ids of packages that it held at some time and may not hold any more, ascending. */
  readonly ids: IdList;
}

/** The head of a ledger; `undefined` when it has no entry about a scan. */
export function headOf(entries: readonly LedgerEntry[]): LedgerHead | undefined {
  const scans = entries.filter(({ delivered }) => delivered === undefined);
  const [first] = scans;
  if (first === undefined) return undefined;
  const start = Math.max(
    0,
    scans.findLastIndex((entry) => entry.start === true),
  );
  const ids = new Set<number>();
  for (const [index, { files = [] }] of scans.entries()) {
    for (const { came, went, roots } of files) {
      for (const id of idsOf(went)) ids.add(id);
      // What was lost before a start may have held these to its end.
      if (index < start) for (const id of [...idsOf(came), ...roots]) ids.add(id);
    }
  }
  const since = scans[start]?.at ?? first.at;
  return { since, ids: Uint32Array.from(ids).sort() };
}

/** The entries with other ids of the same packages. Packages without another id are left out: their names are lost. */
export function withOtherIds(
  entries: readonly LedgerEntry[],
  others: ReadonlyMap<number, number>,
): readonly LedgerEntry[] {
  const other = (file: LockfileDelta) => deltaWithIds(file, (id) => others.get(id));
  return entries.map((entry) =>
    entry.files === undefined ? entry : { ...entry, files: entry.files.map(other) },
  );
}

/** A change with other ids of the same packages; those without one are left out. `held`: packages that did not come, by their other ids. */
export function deltaWithIds(
  { path, came, via, roots, went }: LockfileDelta,
  otherOf: (id: number) => number | undefined,
  held: ReadonlySet<number> = new Set(),
): LockfileDelta {
  const pairs = idsOf(came).flatMap((id, index) => {
    const [other, place = -1] = [otherOf(id), via[index]];
    const root = place > 0 ? (otherOf(roots[place - 1] ?? 0) ?? -1) : place;
    return other === undefined || held.has(other) ? [] : { id: other, root };
  });
  pairs.sort((one, other) => one.id - other.id);
  const own = [...new Set(pairs.flatMap(({ root }) => (root > 0 ? root : [])))];
  return {
    path,
    came: stepsOf(pairs.map(({ id }) => id)),
    via: pairs.map(({ root }) => (root > 0 ? own.indexOf(root) + 1 : root)),
    roots: own,
    went: stepsOf(
      idsOf(went)
        .flatMap((id) => otherOf(id) ?? [])
        .sort((left, right) => left - right),
    ),
  };
}

/** All ids that the entries name. */
export function namedIds(entries: readonly LedgerEntry[]): ReadonlySet<number> {
  const ids = new Set<number>();
  for (const { files = [] } of entries) {
    for (const { came, went, roots } of files)
      for (const id of [...idsOf(came), ...idsOf(went), ...roots]) ids.add(id);
  }
  return ids;
}
