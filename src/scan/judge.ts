import type { TargetState } from '../model/scan/change.ts';
import type { Finding } from '../model/scan/finding.ts';
import type { Gap } from '../model/scan/gap.ts';
import type { Inventory } from '../model/scan/inventory.ts';
import type { Policy } from '../model/scan/policy.ts';
import type { Target } from '../model/scan/target.ts';
import type { Inspection } from '../model/signal/inspection.ts';
import { judge } from '../policy/judge.ts';
import { type StillOpen, stillOpenAfter } from '../policy/still-open.ts';
import type { ScanAdvisories } from './advisories.ts';
import { downgradesOf } from './fixed-versions.ts';
import { type FleetPackages, formerLicenses } from './former-licenses.ts';
import { inventoryGaps, ruleGap, signalGaps } from './gaps.ts';
import type { ScanGraphs } from './graphs.ts';

/** An inventory, and everything by which it is judged. */
export interface JudgedInventory {
  readonly target: Target;
  readonly inventory: Inventory;
  /** Whether the inventory has only some of the lockfiles of the target. */
  readonly partial: boolean;
  readonly advisories: ScanAdvisories;
  readonly graphs: ScanGraphs;
  /** What inspections say of the packages, by purl. */
  readonly inspections: ReadonlyMap<string, Inspection>;
  /** The state of the target before; `undefined` for a new target. */
  readonly previous: TargetState | undefined;
  readonly policy: Policy;
  /** Absent for a scan without a fleet. */
  readonly fleet?: FleetPackages;
}

/** What the rules found, and what they could not find out. */
export interface Judgement {
  readonly findings: readonly Finding[];
  readonly gaps: readonly Gap[];
  readonly stillOpen: StillOpen;
}

/** Judges an inventory by all rules. */
export async function judgeInventory(judged: JudgedInventory): Promise<Judgement> {
  const { target, inventory, partial, advisories, graphs, inspections, previous, policy } = judged;
  const { findings, unjudged } = await judge({
    target,
    inventory,
    advisories: advisories.byId,
    graphs: graphs.byKey,
    policy,
    inspections,
    downgrades: await downgradesOf(previous?.fixed ?? [], inventory),
    formerLicenses: await formerLicenses(judged),
  });
  return {
    findings,
    gaps: [
      ...(await inventoryGaps(inventory)),
      ...advisories.gaps,
      ...graphs.gaps,
      ...unjudged.map(ruleGap),
      ...signalGaps(inspections),
    ],
    stillOpen: stillOpenAfter(inventory, { partial, unjudged }),
  };
}
