import type { FleetFinding } from '../../model/fleet/fleet-finding.ts';
import { SEVERITIES } from '../../model/scan/severity.ts';
import { compareFindingOrder, compareText } from '../../policy/finding-order.ts';
import type { Compare } from './sorted-list.ts';
import type { ViewedTarget } from './viewed-target.ts';

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
