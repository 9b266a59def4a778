import type { Group } from '../../model/lockfile/lockfile.ts';
import { connect, type PackageDraft } from './package-collector.ts';

/** A package, or one installed instance of a package. */
interface Grouped {
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
  const joint: Joint<T> = new Map();
  for (let step = queue.next(); step !== undefined; step = queue.next()) {
    for (let draft = step.drafts.pop(); draft !== undefined; draft = step.drafts.pop()) {
      if (!recordReached(draft, step.groups, queue.lists, joint)) continue;
      const needs = needsOf(draft);
      if (needs === undefined) continue;
      for (const needed of needs.always) step.drafts.push(needed);
      if (needs.optional.length === 0) continue;
      step.orOptional ??= queue.stepOf([...step.groups, 'optional']);
      for (const needed of needs.optional) step.orOptional.drafts.push(needed);
    }
  }
  joinGroups(joint, queue.lists[0]);
}

/** Packages to which paths with different groups lead, with the lists of these paths. */
type Joint<T> = Map<T, Set<readonly Group[]>>;

/**
 * Records that a package is reachable under `groups`, one of `lists`: it gets this very list, which marks it as reached. The first
 * list is empty, and no other replaces it. Returns `false` when that was known.
 */
function recordReached<T extends Grouped>(
  draft: T,
  groups: readonly Group[],
  lists: readonly (readonly Group[])[],
  joint: Joint<T>,
): boolean {
  const known = draft.groups;
  if (known === groups || known === lists[0]) return false;
  if (groups === lists[0] || !lists.includes(known)) {
    draft.groups = groups;
    return true;
  }
  const all = joint.get(draft) ?? new Set([known]);
  joint.set(draft, all);
  return isAdded(all, groups);
}

function joinGroups<T extends Grouped>(joint: Joint<T>, first: readonly Group[] | undefined): void {
  for (const [draft, lists] of joint) {
    if (draft.groups !== first) draft.groups = [...new Set([...lists].flat())].sort();
  }
}

/** Adds a value. Returns whether it is new; one look-up, where `has` and `add` are two. */
function isAdded<T>(set: Set<T>, value: T): boolean {
  const { size } = set;
  return set.add(value).size > size;
}

/** Packages to visit under one set of groups. */
interface Step<T> {
  readonly groups: readonly Group[];
  /** The step of the same groups and `optional`, once it is needed. */
  orOptional: Step<T> | undefined;
  readonly drafts: T[];
}

/** The number of distinct sets of groups; each costs one walk through the packages. */
const MAX_SETS = 128;
const KINDS: ReadonlySet<Group> = new Set(['dev', 'optional', 'peer']);

/** The step without groups comes first: what it reaches needs no other visit. */
function createQueue<T>() {
  const steps = new Map<string, Step<T>>();
  const lists: (readonly Group[])[] = [];
  const stepOf = (groups: readonly Group[]): Step<T> => {
    const stated = groups.length < 2 ? groups : [...new Set(groups)].sort();
    // A file can name as many extras as it has lines. Beyond the limit only the general groups are kept.
    const set = steps.size < MAX_SETS ? stated : stated.filter((group) => KINDS.has(group));
    const key = set.length === 1 ? (set[0] ?? '') : set.join('\0');
    const known = steps.get(key);
    if (known !== undefined) return known;
    const step: Step<T> = { groups: [...set], orOptional: undefined, drafts: [] };
    lists.push(step.groups);
    steps.set(key, step);
    return step;
  };
  stepOf([]);
  return {
    stepOf,
    /** The groups of each step. No other list is identical with one of them. */
    lists,
    next(): Step<T> | undefined {
      for (const step of steps.values()) if (step.drafts.length > 0) return step;
      return undefined;
    },
  };
}

/** One installed instance of a package: with one set of peers, or in one folder. */
export interface Instance {
  readonly draft: PackageDraft;
  groups: readonly Group[];
  /** The instances that it cannot work without. */
  always: readonly Instance[];
  /** The instances that are left out where they cannot be installed. */
  optional: readonly Instance[];
}

const NONE: readonly never[] = [];

export function newInstance(draft: PackageDraft): Instance {
  return { draft, groups: draft.groups, always: NONE, optional: NONE };
}

/** Records what an instance depends on, in the instance and in its package. */
export function connectInstance(
  instance: Instance,
  always: readonly Instance[],
  optional: readonly Instance[],
): void {
  instance.always = always;
  instance.optional = optional;
  connect(instance.draft, [...new Set([...always, ...optional].map(({ draft }) => draft.id))]);
}

/** Propagates groups to all instances. A package is in no group when at least one of its instances is in none. */
export function propagateGroupsOfInstances(
  roots: readonly Root<Instance>[],
  instances: readonly Instance[],
): void {
  propagateGroups(roots, (instance) => instance);
  for (const { draft } of instances) draft.groups = UNSET;
  for (const { draft, groups } of instances) {
    if (draft.groups === UNSET) draft.groups = groups;
    else if (draft.groups.length > 0) {
      draft.groups = groups.length === 0 ? groups : [...new Set([...draft.groups, ...groups])].sort();
    }
  }
}

/** Marks a package whose instances have not been visited. Compared by identity. */
const UNSET: readonly Group[] = [];
