import type { LockfileBuilder } from './lockfile-builder.ts';
import type { PackageDraft } from './package-collector.ts';

/** Packages of one name; files written by tools have a few. */
const MAX_PER_NAME = 100;

/**
 * Finds packages by name, for files whose edges are names only: an edge leads to all packages of its name. A name with too
 * many packages gets no edges and is a problem, because the number of edges would be quadratic.
 */
export function indexByName(
  drafts: Iterable<PackageDraft>,
  nameOf: (draft: PackageDraft) => string,
  builder: LockfileBuilder,
): (name: string) => readonly PackageDraft[] {
  const byName = new Map<string, Set<PackageDraft>>();
  for (const draft of drafts) {
    const name = nameOf(draft);
    const known = byName.get(name);
    if (known === undefined) byName.set(name, new Set([draft]));
    else known.add(draft);
  }
  const lists = new Map<string, readonly PackageDraft[]>();
  for (const [name, same] of byName) {
    if (same.size <= MAX_PER_NAME) lists.set(name, [...same]);
    else
      builder.problem(
        undefined,
        `"${name.slice(0, 200)}" is the name of ${same.size} packages: too many for edges`,
        'unclear',
      );
  }
  return (name) => lists.get(name) ?? [];
}
