import type { FleetFinding } from '../../model/fleet/fleet-finding.ts';
import { createYielder, sortInSlices } from '../../model/yielding.ts';
import { compareFindingOrder, compareText } from '../../policy/finding-order.ts';

/** The worst of any number of findings; at most twice the limit is in memory. */
export function createWorst(limit: number) {
  const yieldIfDue = createYielder();
  let kept: FleetFinding[] = [];
  let count = 0;
  const sort = async (): Promise<void> => {
    kept = (await sortInSlices(kept, compareFleetFindings)).slice(0, limit);
  };
  return {
    async add(finding: FleetFinding): Promise<void> {
      count += 1;
      kept.push(finding);
      if (kept.length >= 2 * limit) await sort();
      await yieldIfDue();
    },
    /** Sorted by the priority that `rated` gives them. */
    async sorted(
      rated: (kept: readonly FleetFinding[]) => Promise<FleetFinding[]>,
    ): Promise<readonly FleetFinding[]> {
      await sort();
      kept = await rated(kept);
      await sort();
      return kept;
    },
    count: () => count,
  };
}

function compareFleetFindings(left: FleetFinding, right: FleetFinding): number {
  return compareFindingOrder(left.finding, right.finding) || compareText(left.target, right.target);
}
