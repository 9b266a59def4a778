import { idsOf, stepsOf } from '../../fleet/ledger/lockfile-deltas.ts';
import type { LedgerEntry, LockfileDelta } from '../../model/fleet/ledger.ts';
import { HELD_BEFORE, type SegmentHistory } from './history-segment.ts';

/** The packages that each lockfile holds after a part of a history, by their ids in the fleet. */
export type Held = Map<string, Set<number>>;

/**
 * The entries of a segment with the ids of the fleet; `held` is brought from the state before it to the one after it. New ids follow the order of
 * the history and of the names, so that they do not depend on where segments begin.
 */
export async function joinSegment(
  { entries, names }: Pick<SegmentHistory, 'entries' | 'names'>,
  held: Held,
  intern: (identities: readonly string[]) => Promise<readonly number[]>,
): Promise<readonly LedgerEntry[]> {
  const nameOf = (id: number): string => names[id] ?? '';
  const named = new Set<string>();
  for (const { came, roots, went } of entries.flatMap(({ files = [] }) => files)) {
    const own = [...idsOf(came), ...roots, ...idsOf(went)].map(nameOf).sort();
    for (const name of own) if (name !== HELD_BEFORE) named.add(name);
  }
  const given = await intern([...named]);
  const ids = new Map([...named].map((name, index) => [name, given[index] ?? 0]));
  const idOf = (id: number): number => ids.get(nameOf(id)) ?? 0;
  return entries.flatMap((entry) => {
    const files = (entry.files ?? []).flatMap((file) => {
      const before = held.get(file.path) ?? new Set();
      const joined = withIds(file, idOf, idsOf(file.went).some((id) => nameOf(id) === HELD_BEFORE) && before);
      apply(joined, held);
      return joined.came.length + joined.went.length === 0 ? [] : joined;
    });
    return files.length === 0 ? [] : { ...entry, files };
  });
}

/** `before`: what the lockfile held, where it stands for what went. */
function withIds(
  { path, came, via, roots, went }: LockfileDelta,
  idOf: (id: number) => number,
  before: ReadonlySet<number> | false,
): LockfileDelta {
  const pairs = idsOf(came).map((id, index) => {
    const place = via[index] ?? -1;
    return { id: idOf(id), root: place > 0 ? idOf(roots[place - 1] ?? 0) : place };
  });
  pairs.sort((one, other) => one.id - other.id);
  const now = new Set(pairs.map(({ id }) => id));
  const gone = before === false ? idsOf(went).map(idOf) : [...before].filter((id) => !now.has(id));
  const brought = before === false ? pairs : pairs.filter(({ id }) => !before.has(id));
  const own = [...new Set(brought.flatMap(({ root }) => (root > 0 ? root : [])))];
  return {
    path,
    came: stepsOf(brought.map(({ id }) => id)),
    via: brought.map(({ root }) => (root > 0 ? own.indexOf(root) + 1 : root)),
    roots: own,
    went: stepsOf(gone.sort((one, other) => one - other)),
  };
}

/** Brings packages to the state after a change. Returns whether it fits to the state before. */
export function apply({ path, came, went }: LockfileDelta, held: Held): boolean {
  const own = held.get(path) ?? new Set();
  held.set(path, own);
  const hadAll = idsOf(went).filter((id) => !own.delete(id)).length === 0;
  const hadNone = idsOf(came).filter((id) => own.has(id) || !own.add(id)).length === 0;
  return hadAll && hadNone;
}

/** Whether both hold the same, except for some lockfiles. */
export function holdSame(one: Held, other: Held, except: ReadonlySet<string>): boolean {
  return [...new Set([...one.keys(), ...other.keys()])].every((path) => {
    const [own = new Set(), others = new Set()] = [one.get(path), other.get(path)];
    return except.has(path) || (own.size === others.size && [...own].every((id) => others.has(id)));
  });
}
