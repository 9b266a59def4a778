import { deltaWithIds } from '../../fleet/ledger/ledger-entries.ts';
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
  const idOf = (id: number): number | undefined => ids.get(nameOf(id));
  return entries.flatMap((entry) => {
    const files = (entry.files ?? []).flatMap((file) => {
      const isUnread = idsOf(file.went).some((id) => nameOf(id) === HELD_BEFORE);
      const before = isUnread ? held.get(file.path) : undefined;
      const now = new Set(idsOf(file.came).map(idOf));
      const own = [...(before ?? [])].filter((id) => !now.has(id)).sort((one, other) => one - other);
      const joined = deltaWithIds(file, idOf, before);
      const delta = isUnread ? { ...joined, went: stepsOf(own) } : joined;
      apply(delta, held);
      return delta.came.length + delta.went.length === 0 ? [] : delta;
    });
    return files.length === 0 ? [] : { ...entry, files };
  });
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
