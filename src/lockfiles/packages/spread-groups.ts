import type { Group } from '../../model/scan/lockfile.ts';

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
  const reached: Reached<T> = { always: new Set(), conditional: new Map() };
  for (let step = waiting.next(); step !== undefined; step = waiting.next()) {
    for (let draft = step.drafts.pop(); draft !== undefined; draft = step.drafts.pop()) {
      if (!enter(draft, step, reached)) continue;
      const needs = needsOf(draft);
      if (needs === undefined) continue;
      for (const needed of needs.always) step.drafts.push(needed);
      for (const needed of needs.optional) waiting.add(step.orOptional, needed);
    }
  }
  settle(reached);
}

function settle<T extends Grouped>({ always, conditional }: Reached<T>): void {
  for (const draft of always) draft.groups = NONE;
  for (const [draft, groups] of conditional) {
    if (!always.has(draft)) draft.groups = groups instanceof Set ? [...groups].sort() : groups;
  }
}

interface Reached<T> {
  readonly always: Set<T>;
  /** A set where there are several ways with different conditions. */
  readonly conditional: Map<T, readonly Group[] | Set<Group>>;
}

/** Notes that a package is reached under the step's conditions; tells whether that is news. */
function enter<T>(draft: T, { groups, seen }: Step<T>, { always, conditional }: Reached<T>): boolean {
  const found = groups.length === 0 ? always : seen;
  if (always.has(draft) || found.has(draft)) return false;
  found.add(draft);
  if (groups.length > 0) conditional.set(draft, joined(conditional.get(draft), groups));
  return true;
}

const NONE: readonly Group[] = [];

function joined(
  known: readonly Group[] | Set<Group> | undefined,
  groups: readonly Group[],
): readonly Group[] | Set<Group> {
  if (known === undefined) return groups;
  const joint = known instanceof Set ? known : new Set(known);
  for (const group of groups) joint.add(group);
  return joint;
}

function sorted(groups: readonly Group[]): readonly Group[] {
  return groups.length < 2 ? groups : [...new Set(groups)].sort();
}

/** Packages still to be reached under one set of conditions. */
interface Step<T> {
  readonly groups: readonly Group[];
  /** The same conditions, and that it is optional. */
  readonly orOptional: readonly Group[];
  readonly seen: Set<T>;
  readonly drafts: T[];
}

/** Sets of conditions that are told apart: the time is that of a walk through the packages for each. */
const MAX_SETS = 128;
const KINDS: ReadonlySet<Group> = new Set(['dev', 'optional', 'peer']);

/** The empty set of conditions comes first: what is reached under it needs no other way. */
function createWaiting<T>() {
  const steps = new Map<string, Step<T>>();
  const stepOf = (groups: readonly Group[]): Step<T> => {
    const stated = sorted(groups);
    // A file may name as many extras as it has lines: past that the kind of condition alone counts.
    const set = steps.size < MAX_SETS ? stated : stated.filter((group) => KINDS.has(group));
    const key = set.length === 1 ? (set[0] ?? '') : set.join('\0');
    const known = steps.get(key);
    if (known !== undefined) return known;
    const step = { groups: set, orOptional: sorted([...set, 'optional']), seen: new Set<T>(), drafts: [] };
    steps.set(key, step);
    return step;
  };
  stepOf(NONE);
  return {
    add(groups: readonly Group[], draft: T): void {
      stepOf(groups).drafts.push(draft);
    },
    next(): Step<T> | undefined {
      for (const step of steps.values()) if (step.drafts.length > 0) return step;
      return undefined;
    },
  };
}
