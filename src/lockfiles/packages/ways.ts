import type { Group } from '../../model/scan/lockfile.ts';
import { connectAll, type PackageDraft } from './package-collector.ts';
import { type Root, spreadGroups } from './spread-groups.ts';

/** One of the ways in which a file holds a package: with certain peers, or at a certain place. */
export interface Way {
  readonly draft: PackageDraft;
  groups: readonly Group[];
  /** What it needs, and what it does without where it cannot be installed. */
  always: readonly Way[];
  optional: readonly Way[];
}

const NONE: readonly never[] = [];

export function wayOf(draft: PackageDraft): Way {
  return { draft, groups: draft.groups, always: NONE, optional: NONE };
}

/** Notes what a package needs in this way. */
export function connectWay(way: Way, always: readonly Way[], optional: readonly Way[]): void {
  way.always = always;
  way.optional = optional;
  connectAll(way.draft, always.map(draftOf), optional.map(draftOf));
}

function draftOf({ draft }: Way): PackageDraft {
  return draft;
}

/** Spreads groups over the ways of packages: a package is in no group when it is in none in any of its ways. */
export function spreadGroupsOfWays(roots: readonly Root<Way>[], ways: readonly Way[]): void {
  spreadGroups(roots, (way) => way);
  for (const { draft } of ways) draft.groups = NOT_YET;
  for (const { draft, groups } of ways) {
    if (draft.groups === NOT_YET) draft.groups = groups;
    else if (draft.groups.length > 0) {
      draft.groups = groups.length === 0 ? groups : [...new Set([...draft.groups, ...groups])].sort();
    }
  }
}

/** Stands for the groups of a package none of whose ways has been looked at. */
const NOT_YET: readonly Group[] = [];
