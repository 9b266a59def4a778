import type { Group } from '../../model/lockfile/lockfile.ts';
import { connect, type PackageDraft } from './package-collector.ts';
import { propagateGroups, type Root } from './propagate-groups.ts';

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
  const all = optional.length === 0 ? always : [...always, ...optional];
  connect(instance.draft, all.length <= FEW && isDistinct(all) ? all.map(idOf) : [...new Set(all.map(idOf))]);
}

/** Up to this length a list is faster than a set. */
const FEW = 64;

/** Whether no two instances are of one package. */
function isDistinct(all: readonly Instance[]): boolean {
  for (let at = 1; at < all.length; at += 1) {
    const draft = all[at]?.draft;
    for (let before = 0; before < at; before += 1) if (all[before]?.draft === draft) return false;
  }
  return true;
}

function idOf({ draft }: Instance): string {
  return draft.id;
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
