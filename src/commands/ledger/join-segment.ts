import { deltaWithIds } from '../../fleet/ledger/ledger-entries.ts';
import { applyDelta, type Held, idsOf, stepsOf } from '../../fleet/ledger/lockfile-deltas.ts';
import type { LedgerEntry } from '../../model/fleet/ledger.ts';
import { HELD_BEFORE, type SegmentHistory } from './history-segment.ts';

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
      applyDelta(delta, held);
      return delta.came.length + delta.went.length === 0 ? [] : delta;
    });
    return files.length === 0 ? [] : { ...entry, files };
  });
}
