import type { Reading } from '../reading.ts';
import type { PackageDraft } from './package-collector.ts';

/** Packages of one name that are told apart; in files made by a tool there are a handful. */
const MAX_ALIKE = 100;

/**
 * Packages by name, for files whose edges give names only: all packages of a name are meant then. A name that stands for
 * more of them than any tool writes is in no edge, and a problem: edges would be as many as the square of the entries.
 */
export function indexByName(
  drafts: Iterable<PackageDraft>,
  nameOf: (draft: PackageDraft) => string,
  reading: Reading,
): (name: string) => readonly PackageDraft[] {
  const byName = new Map<string, Set<PackageDraft>>();
  for (const draft of drafts) {
    const name = nameOf(draft);
    const known = byName.get(name);
    if (known === undefined) byName.set(name, new Set([draft]));
    else known.add(draft);
  }
  const lists = new Map<string, readonly PackageDraft[]>();
  for (const [name, alike] of byName) {
    if (alike.size <= MAX_ALIKE) lists.set(name, [...alike]);
    else
      reading.problem(
        undefined,
        `"${name.slice(0, 200)}" is the name of ${alike.size} packages: too many for edges`,
        'unclear',
      );
  }
  return (name) => lists.get(name) ?? [];
}
