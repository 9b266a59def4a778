import { setImmediate } from 'node:timers/promises';
import { sortInSlices } from '../../model/yielding.ts';
import {
  COMPARE_FINDINGS,
  COMPARE_TARGETS,
  FINDING_ORDERS,
  type FindingOrder,
  replaceEntries,
  TARGET_ORDERS,
  type TargetOrder,
} from './fleet-order.ts';
import type { ViewedFinding, ViewedTarget } from './viewed-target.ts';

/** The fleet at one time. It never changes: an update creates another one. */
export interface FleetSnapshot {
  /** Incremented by every update. */
  readonly version: number;
  readonly targets: ReadonlyMap<string, ViewedTarget>;
  readonly targetLists: Readonly<Record<TargetOrder, readonly ViewedTarget[]>>;
  readonly findingLists: Readonly<Record<FindingOrder, readonly ViewedFinding[]>>;
  /** Findings that the lists lack, by target, because there are too many. */
  readonly leftOut: ReadonlyMap<string, number>;
}

export const EMPTY_FLEET: FleetSnapshot = {
  version: 0,
  targets: new Map(),
  targetLists: { worst: [], target: [], requestedAt: [] },
  findingLists: { severity: [], changedAt: [], target: [] },
  leftOut: new Map(),
};

/** New content of some targets; `undefined` for one that is gone. */
export type FleetUpdate = ReadonlyMap<
  string,
  { readonly target: ViewedTarget; readonly findings: readonly ViewedFinding[] } | undefined
>;

/** The fleet after an update. The lists then hold `maxFindings` at most: the least severe are left out, resolved ones first. */
export async function updateFleet(
  fleet: FleetSnapshot,
  update: FleetUpdate,
  maxFindings: number,
): Promise<FleetSnapshot> {
  const replaced = new Set(update.keys());
  const contents = [...update.values()].filter((one) => one !== undefined);
  const added = contents.map(({ target }) => target);
  const findings = contents.flatMap((one) => one.findings);
  const targets = new Map(fleet.targets);
  for (const target of replaced) targets.delete(target);
  for (const target of added) targets.set(target.target, target);
  const targetLists = { ...fleet.targetLists };
  for (const order of TARGET_ORDERS) {
    const compare = COMPARE_TARGETS[order];
    const sorted = await sortInSlices(added, compare);
    await setImmediate();
    targetLists[order] = replaceEntries(fleet.targetLists[order], sorted, { replaced, compare });
  }
  const findingLists = { ...fleet.findingLists };
  for (const order of FINDING_ORDERS) {
    const compare = COMPARE_FINDINGS[order];
    const sorted = await sortInSlices(findings, compare);
    // Requests are answered between two lists.
    await setImmediate();
    findingLists[order] = replaceEntries(fleet.findingLists[order], sorted, { replaced, compare });
  }
  const leftOut = new Map([...fleet.leftOut].filter(([target]) => !replaced.has(target)));
  const version = fleet.version + 1;
  return withinLimit({ version, targets, targetLists, findingLists, leftOut }, maxFindings);
}

function withinLimit(fleet: FleetSnapshot, maxFindings: number): FleetSnapshot {
  const { severity: worstFirst } = fleet.findingLists;
  if (worstFirst.length <= maxFindings) return fleet;
  const openFirst = [
    ...worstFirst.filter(({ status }) => status === 'open'),
    ...worstFirst.filter(({ status }) => status !== 'open'),
  ];
  const excess = new Set(openFirst.slice(maxFindings));
  const leftOut = new Map(fleet.leftOut);
  for (const { target } of excess) leftOut.set(target, (leftOut.get(target) ?? 0) + 1);
  const kept = (list: readonly ViewedFinding[]) => list.filter((one) => !excess.has(one));
  const { severity, changedAt, target } = fleet.findingLists;
  const findingLists = { severity: kept(severity), changedAt: kept(changedAt), target: kept(target) };
  return { ...fleet, findingLists, leftOut };
}
