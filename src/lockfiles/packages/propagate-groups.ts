import type { Group } from '../../model/lockfile/lockfile.ts';

/** A package, or one installed instance of a package. */
export interface Grouped {
  groups: readonly Group[];
}

/** A direct dependency of the target. */
export interface Root<T extends Grouped> {
  readonly draft: T;
  /** The conditions under which it is installed; empty: always. */
  readonly groups: readonly Group[];
}

/** The dependencies of one package. */
export interface Needs<T extends Grouped> {
  readonly always: readonly T[];
  /** Left out where they cannot be installed. */
  readonly optional: readonly T[];
}

/**
 * Propagates groups from the direct dependencies of the target along the edges. A package that is reachable without a
 * condition is in no group; any other package is in the groups of all paths that lead to it. Unreachable packages keep
 * their groups. The time is linear in the number of edges for each distinct set of groups.
 */
export function propagateGroups<T extends Grouped>(
  roots: readonly Root<T>[],
  needsOf: (draft: T) => Needs<T> | undefined,
): void {
  const queue = createQueue<T>();
  for (const { draft, groups } of roots) queue.stepOf(groups).drafts.push(draft);
  const reached: Reached<T> = { always: new Set(), conditional: new Map() };
  for (let step = queue.next(); step !== undefined; step = queue.next()) {
    for (let draft = step.drafts.pop(); draft !== undefined; draft = step.drafts.pop()) {
      if (!recordReached(draft, step, reached)) continue;
      const needs = needsOf(draft);
      if (needs === undefined) continue;
      for (const needed of needs.always) step.drafts.push(needed);
      if (needs.optional.length === 0) continue;
      step.orOptional ??= queue.stepOf([...step.groups, 'optional']);
      for (const needed of needs.optional) step.orOptional.drafts.push(needed);
    }
  }
  assignGroups(reached);
}

function assignGroups<T extends Grouped>({ always, conditional }: Reached<T>): void {
  for (const draft of always) draft.groups = NONE;
  for (const [draft, groups] of conditional) {
    if (!always.has(draft)) draft.groups = groups instanceof Set ? [...groups].sort() : groups;
  }
}

interface Reached<T> {
  readonly always: Set<T>;
  /** A set where paths with different groups lead to the package. */
  readonly conditional: Map<T, readonly Group[] | Set<Group>>;
}

/** Records that a package is reachable under the groups of the step. Returns `false` when that was known. */
function recordReached<T>(draft: T, { groups, seen }: Step<T>, { always, conditional }: Reached<T>): boolean {
  if (groups.length === 0) return isAdded(always, draft);
  if (always.has(draft) || !isAdded(seen, draft)) return false;
  conditional.set(draft, joined(conditional.get(draft), groups));
  return true;
}

/** Adds a value. Returns whether it is new; one look-up, where `has` and `add` are two. */
function isAdded<T>(set: Set<T>, value: T): boolean {
  const { size } = set;
  return set.add(value).size > size;
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

/** Packages to visit under one set of groups. */
interface Step<T> {
  readonly groups: readonly Group[];
  /** The step of the same groups and `optional`, once it is needed. */
  orOptional: Step<T> | undefined;
  readonly seen: Set<T>;
  readonly drafts: T[];
}

/** The number of distinct sets of groups; each costs one walk through the packages. */
const MAX_SETS = 128;
const KINDS: ReadonlySet<Group> = new Set(['dev', 'optional', 'peer']);

/** The step without groups comes first: what it reaches needs no other visit. */
function createQueue<T>() {
  const steps = new Map<string, Step<T>>();
  const stepOf = (groups: readonly Group[]): Step<T> => {
    const stated = sorted(groups);
    // A file can name as many extras as it has lines. Beyond the limit only the general groups are kept.
    const set = steps.size < MAX_SETS ? stated : stated.filter((group) => KINDS.has(group));
    const key = set.length === 1 ? (set[0] ?? '') : set.join('\0');
    const known = steps.get(key);
    if (known !== undefined) return known;
    const step: Step<T> = { groups: set, orOptional: undefined, seen: new Set(), drafts: [] };
    steps.set(key, step);
    return step;
  };
  stepOf(NONE);
  return {
    stepOf,
    next(): Step<T> | undefined {
      for (const step of steps.values()) if (step.drafts.length > 0) return step;
      return undefined;
    },
  };
}
