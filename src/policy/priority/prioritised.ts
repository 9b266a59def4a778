import type { ExploitData } from '../../model/exploits/exploit-data.ts';
import { mapInSlices, sortInSlices } from '../../model/yielding.ts';
import type { Comparison } from '../changes.ts';
import { compareFindingOrder } from '../finding-order.ts';
import { withExploits } from './exploits.ts';
import { withPriority } from './priority.ts';

/**
 * The comparison with the priority of each finding and change, and sorted by it. What is stored has no priority: it follows from
 * current data, and a new probability of exploitation is no new state.
 */
export async function prioritised(comparison: Comparison, data: ExploitData): Promise<Comparison> {
  const findings = await mapInSlices(comparison.findings, (finding) =>
    withPriority(withExploits(finding, data)),
  );
  const changes = await mapInSlices(comparison.changes, (change) => ({
    ...change,
    // A resolution has the probability that was reported, so that it is routed to the same receivers.
    finding: withPriority(
      change.transition === 'resolved' ? change.finding : withExploits(change.finding, data),
    ),
  }));
  return {
    ...comparison,
    findings: await sortInSlices(findings, compareFindingOrder),
    changes: await sortInSlices(changes, (left, right) => compareFindingOrder(left.finding, right.finding)),
  };
}
