import type { NotifiedChange } from '../../model/alert/notification.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { issueKeys } from '../same-finding.ts';
import { withPriority } from './priority.ts';

/** The changes of an alert with priorities that count its targets with the same issue. */
export function overTargets(changes: readonly NotifiedChange[]): readonly NotifiedChange[] {
  const targets = new Map<string, Set<string>>();
  for (const { finding, target = '' } of changes) {
    const known = targets.get(issueOf(finding));
    if (known === undefined) targets.set(issueOf(finding), new Set([target]));
    else known.add(target);
  }
  return changes.map((change) => ({
    ...change,
    finding: withPriority(change.finding, { targets: targets.get(issueOf(change.finding))?.size }),
  }));
}

function issueOf(finding: Finding): string {
  return issueKeys(finding)[0] ?? '';
}
