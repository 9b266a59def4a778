import type { FleetFinding } from '../../model/fleet/fleet-finding.ts';
import { SEVERITIES } from '../../model/scan/severity.ts';
import { compareFindingOrder, compareText } from '../../policy/finding-order.ts';
import { type Compare, changeList, type ListChange, positionAfter } from './sorted-list.ts';
import type { ViewedContent, ViewedFinding, ViewedTarget } from './viewed-target.ts';

/** The fleet at one time. It never changes: an update creates another one. */
export interface FleetSnapshot {
  /** Incremented by every update. */
  readonly version: number;
  readonly targets: ReadonlyMap<string, ViewedTarget>;
  readonly targetLists: Readonly<Record<TargetOrder, readonly ViewedTarget[]>>;
  readonly findingLists: Readonly<Record<FindingOrder, readonly ViewedFinding[]>>;
  /** Findings that the lists lack, by target, because there are too many. */
  readonly leftOut: ReadonlyMap<string, number>;
  /** The changes of the lists of findings by the last updates, for lists that are derived from them: one for each version, the newest last. */
  readonly changes: readonly FindingChange[];
}

/** `version`: that of the snapshot after it. */
interface FindingChange extends ListChange<ViewedFinding> {
  readonly version: number;
}

/** Findings and updates in `changes`. */
const MAX_CHANGED = 5_000;

export const EMPTY_FLEET: FleetSnapshot = {
  version: 0,
  targets: new Map(),
  targetLists: { worst: [], target: [], requestedAt: [] },
  findingLists: { severity: [], changedAt: [], target: [] },
  leftOut: new Map(),
  changes: [],
};

/** The orders in which lists are kept. */
interface FleetOrders {
  readonly findings: readonly FindingOrder[];
  readonly targets: readonly TargetOrder[];
}

/** New content of some targets; `undefined` for one that is gone. */
export type FleetUpdate = ReadonlyMap<string, ViewedContent | undefined>;

/** The fleet after an update. The lists then hold `maxFindings` at most: the least severe are left out, resolved ones first. `orders`: those of a fleet that is not updated again. */
export async function updateFleet(
  fleet: FleetSnapshot,
  update: FleetUpdate,
  maxFindings: number,
  { findings, targets: ofTargets }: FleetOrders = { findings: FINDING_ORDERS, targets: TARGET_ORDERS },
): Promise<FleetSnapshot> {
  const version = fleet.version + 1;
  const contents = [...update.values()].filter((one) => one !== undefined);
  const { targets, targetLists } = await updateTargets(fleet, update.keys(), { contents, orders: ofTargets });
  const wanted = {
    removed: [...update.keys()].flatMap((target) => findingsOf(fleet, target)),
    added: contents.flatMap(({ findings }) => findings),
  };
  const excess = await excessOf(fleet, wanted, maxFindings);
  const change = excess.size === 0 ? wanted : withoutExcess(wanted, excess);
  const findingLists = { ...fleet.findingLists };
  for (const order of findings) {
    findingLists[order] = await changeList(fleet.findingLists[order], change, COMPARE_FINDINGS[order]);
  }
  const leftOut = new Map([...fleet.leftOut].filter(([target]) => !update.has(target)));
  for (const { target } of excess) leftOut.set(target, (leftOut.get(target) ?? 0) + 1);
  const changes = lastChanges([...fleet.changes, { version, ...change }]);
  return { version, targets, targetLists, findingLists, leftOut, changes };
}

async function updateTargets(
  fleet: FleetSnapshot,
  replaced: Iterable<string>,
  {
    contents,
    orders,
  }: {
    readonly contents: readonly { readonly target: ViewedTarget }[];
    readonly orders: readonly TargetOrder[];
  },
): Promise<Pick<FleetSnapshot, 'targets' | 'targetLists'>> {
  const removed = [...replaced].flatMap((target) => fleet.targets.get(target) ?? []);
  const added = contents.map(({ target }) => target);
  const targets = new Map(fleet.targets);
  for (const { target } of removed) targets.delete(target);
  for (const target of added) targets.set(target.target, target);
  const targetLists = { ...fleet.targetLists };
  for (const order of orders) {
    const list = fleet.targetLists[order];
    targetLists[order] = await changeList(list, { removed, added }, COMPARE_TARGETS[order]);
  }
  return { targets, targetLists };
}

/** The findings of a target in the lists. */
function findingsOf({ findingLists }: FleetSnapshot, target: string): readonly ViewedFinding[] {
  const list = findingLists.target;
  const end = positionAfter(list, target, (one, name) => compareText(one.target, name));
  let from = end;
  while (list[from - 1]?.target === target) from -= 1;
  return list.slice(from, end);
}

/** The findings that are too many after a change. */
async function excessOf(
  { findingLists: { severity: worstFirst } }: FleetSnapshot,
  change: ListChange<ViewedFinding>,
  maxFindings: number,
): Promise<ReadonlySet<ViewedFinding>> {
  if (worstFirst.length - change.removed.length + change.added.length <= maxFindings) return new Set();
  const all = await changeList(worstFirst, change, COMPARE_FINDINGS.severity);
  const openFirst = [
    ...all.filter(({ status }) => status === 'open'),
    ...all.filter(({ status }) => status !== 'open'),
  ];
  return new Set(openFirst.slice(maxFindings));
}

function withoutExcess(
  { removed, added }: ListChange<ViewedFinding>,
  excess: ReadonlySet<ViewedFinding>,
): ListChange<ViewedFinding> {
  const isNew = new Set(added);
  const listed = [...excess].filter((one) => !isNew.has(one));
  return { removed: [...removed, ...listed], added: added.filter((one) => !excess.has(one)) };
}

/** The newest of the changes, within `MAX_CHANGED`. */
function lastChanges(changes: readonly FindingChange[]): readonly FindingChange[] {
  let count = 0;
  const tooOld = changes.findLastIndex(({ removed, added }) => {
    count += 1 + removed.length + added.length;
    return count > MAX_CHANGED;
  });
  return changes.slice(tooOld + 1);
}

export const FINDING_ORDERS = ['severity', 'changedAt', 'target'] as const;
export type FindingOrder = (typeof FINDING_ORDERS)[number];

const TARGET_ORDERS = ['worst', 'target', 'requestedAt'] as const;
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
