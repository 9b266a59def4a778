import type { ExploitData } from '../../model/exploits/exploit-data.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { mapInSlices, sortInSlices } from '../../model/yielding.ts';
import type { Comparison } from '../changes.ts';
import { compareChanges, compareFindingOrder } from '../finding-order.ts';
import { withExploits } from './exploits.ts';
import { withPriority } from './priority.ts';

/**
 * The comparison with the priority of each finding and change, and sorted by it. What is stored has no priority: it follows from
 * current data, and a new probability of exploitation is no new state. `detailed` adds what else is known of a finding.
 */
export async function prioritised(
  comparison: Comparison,
  data: ExploitData,
  detailed: (finding: Finding) => Finding = (finding) => finding,
): Promise<Comparison> {
  const current = (finding: Finding) => withPriority(detailed(withExploits(finding, data)));
  const findings = await mapInSlices(comparison.findings, current);
  const known = new Map(comparison.findings.map((finding, index) => [finding, findings[index]]));
  const changes = await mapInSlices(comparison.changes, (change) => ({
    ...change,
    // A resolution has the probability that was reported, so that it is routed to the same receivers.
    finding:
      change.transition === 'resolved'
        ? withPriority(change.finding)
        : (known.get(change.finding) ?? current(change.finding)),
  }));
  return {
    ...comparison,
    findings: await sortInSlices(findings, compareFindingOrder),
    changes: await sortInSlices(changes, compareChanges),
  };
}
