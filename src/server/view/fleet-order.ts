import type { FleetFinding } from '../../model/fleet/fleet-finding.ts';
import { SEVERITIES } from '../../model/scan/severity.ts';
import { compareFindingOrder, compareText } from '../../policy/finding-order.ts';
import type { ViewedTarget } from './viewed-target.ts';

/** Compares two entries of a list; never 0 for different ones. */
export type Compare<Item> = (left: Item, right: Item) => number;

export const FINDING_ORDERS = ['severity', 'changedAt', 'target'] as const;
export type FindingOrder = (typeof FINDING_ORDERS)[number];

export const TARGET_ORDERS = ['worst', 'target', 'requestedAt'] as const;
export type TargetOrder = (typeof TARGET_ORDERS)[number];

/** The order of findings by name. Each is total, so that a page begins exactly after the last entry of the page before. */
export const COMPARE_FINDINGS: Readonly<Record<FindingOrder, Compare<FleetFinding>>> = {
  severity: compareSeverities,
  changedAt: (left, right) => compareText(right.changedAt, left.changedAt) || compareSeverities(left, right),
  target: (left, right) => compareText(left.target, right.target) || compareSeverities(left, right),
};

export const COMPARE_TARGETS: Readonly<Record<TargetOrder, Compare<ViewedTarget>>> = {
  worst: compareTargets,
  target: (left, right) => compareText(left.target, right.target),
  requestedAt: (left, right) =>
    compareText(right.requestedAt, left.requestedAt) || compareText(left.target, right.target),
};

function compareSeverities(left: FleetFinding, right: FleetFinding): number {
  return (
    compareFindingOrder(left.finding, right.finding) ||
    compareText(left.target, right.target) ||
    compareText(left.finding.fingerprint, right.finding.fingerprint)
  );
}

function compareTargets(left: ViewedTarget, right: ViewedTarget): number {
  for (const severity of SEVERITIES) {
    const difference = (right.open[severity] ?? 0) - (left.open[severity] ?? 0);
    if (difference !== 0) return difference;
  }
  return compareText(left.target, right.target);
}

/**
 * A sorted list in which the entries of some targets are replaced by others. `added` is sorted. The list is copied, and compared only
 * where an entry is inserted.
 */
export function replaceEntries<Item extends { readonly target: string }>(
  list: readonly Item[],
  added: readonly Item[],
  { replaced, compare }: { readonly replaced: ReadonlySet<string>; readonly compare: Compare<Item> },
): readonly Item[] {
  const kept = list.filter(({ target }) => !replaced.has(target));
  if (added.length === 0) return kept;
  const parts: (readonly Item[])[] = [];
  let from = 0;
  for (const item of added) {
    const position = positionAfter(kept, item, compare);
    parts.push(kept.slice(from, position), [item]);
    from = position;
  }
  parts.push(kept.slice(from));
  return parts.flat();
}

/** The position of the first entry after `place` in a sorted list. */
export function positionAfter<Item, Place>(
  list: readonly Item[],
  place: Place,
  compare: (item: Item, place: Place) => number,
): number {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (compare(list[middle] as Item, place) <= 0) from = middle + 1;
    else to = middle;
  }
  return from;
}
