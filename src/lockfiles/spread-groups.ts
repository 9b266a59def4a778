import type { Group } from '../model/lockfile.ts';

/** A package, or one of the ways in which a file holds a package. */
export interface Grouped {
  groups: readonly Group[];
}

/** What the target itself asks for, under which conditions; none: always. */
export interface Root<T extends Grouped> {
  readonly draft: T;
  readonly groups: readonly Group[];
}

/** What one package needs of others. */
export interface Needs<T extends Grouped> {
  readonly always: readonly T[];
  /** Installed where that is possible, and left out where not. */
  readonly optional: readonly T[];
}

/**
 * Works out under which conditions each package is installed, from what the target asks for and what needs what: a
 * package that can be reached without any condition is in no group; any other is in the groups of every way to it.
 * Packages that nothing leads to keep the groups they have. Linear in the edges for each set of conditions that occurs.
 */
export function spreadGroups<T extends Grouped>(
  roots: readonly Root<T>[],
  needsOf: (draft: T) => Needs<T> | undefined,
): void {
  const waiting = createWaiting<T>();
  for (const { draft, groups } of roots) waiting.add(groups, draft);
  const reached = new Map<T, Set<Group>>();
  for (let step = waiting.next(); step !== undefined; step = waiting.next()) {
    const { groups, drafts } = step;
    for (let draft = drafts.pop(); draft !== undefined; draft = drafts.pop()) {
      if (!enter(draft, step, reached)) continue;
      const needs = needsOf(draft);
      for (const needed of needs?.always ?? []) drafts.push(needed);
      for (const needed of needs?.optional ?? []) waiting.add([...groups, 'optional'], needed);
    }
  }
  for (const [draft, groups] of reached) draft.groups = groups.size === 0 ? NONE : [...groups].sort();
}

/** Notes that a package is reached under the step's conditions; tells whether that is news. */
function enter<T extends Grouped>(draft: T, { seen, groups }: Step<T>, reached: Map<T, Set<Group>>): boolean {
  const before = reached.get(draft);
  if (seen.has(draft) || before?.size === 0) return false;
  seen.add(draft);
  if (before === undefined) reached.set(draft, new Set(groups));
  else for (const group of groups) before.add(group);
  return true;
}

const NONE: readonly Group[] = [];

/** Packages still to be reached under one set of conditions. */
interface Step<T> {
  readonly groups: readonly Group[];
  readonly seen: Set<T>;
  readonly drafts: T[];
}

/** The empty set of conditions comes first: what is reached under it needs no other way. */
function createWaiting<T>() {
  const steps = new Map<string, Step<T>>([['', { groups: NONE, seen: new Set(), drafts: [] }]]);
  return {
    add(groups: readonly Group[], draft: T): void {
      const set = [...new Set(groups)].sort();
      const key = set.join('\0');
      const known = steps.get(key);
      if (known === undefined) steps.set(key, { groups: set, seen: new Set(), drafts: [draft] });
      else known.drafts.push(draft);
    },
    next(): Step<T> | undefined {
      for (const step of steps.values()) if (step.drafts.length > 0) return step;
      return undefined;
    },
  };
}
