import type { TrackedFinding } from '../model/scan/change.ts';
import type { Finding } from '../model/scan/finding.ts';
import type { Inventory, ResolvedLockfile } from '../model/scan/inventory.ts';
import { isAlert, isNote } from '../model/scan/is-alert.ts';
import type { Outcome } from '../model/scan/outcome.ts';
import type { Severity } from '../model/scan/severity.ts';
import type { Verdict } from '../model/scan/verdict.ts';

/** The counts of a scan. Every locked package is in exactly one of `outcomes`. `others`: packages that are resolved, and not in the inventory. */
export function countScan(inventory: Inventory, findings: readonly Finding[], others = 0): Verdict['counts'] {
  const { lockfiles } = inventory;
  const packages = lockfiles.reduce((sum, file) => sum + file.packages.length, others);
  const outcomes = countOutcomes(lockfiles);
  const notes = findings.filter(isNote).length;
  const suppressed = findings.filter((finding) => finding.suppressed !== undefined).length;
  const severities = countSeverities(findings);
  return {
    lockfiles: lockfiles.length,
    packages,
    outcomes: { ...outcomes, resolved: outcomes.resolved + others },
    severities,
    notes,
    ...(suppressed === 0 ? {} : { suppressed }),
  };
}

/** Open findings of a target by severity, without notes and suppressed ones. */
export function openFindings(tracked: readonly TrackedFinding[]): Readonly<Record<Severity, number>> {
  return countSeverities(tracked.flatMap(({ finding, status }) => (status === 'open' ? finding : [])));
}

/** Number of packages by outcome; every outcome has an entry. */
export function countOutcomes(lockfiles: readonly ResolvedLockfile[]): Record<Outcome, number> {
  const outcomes = { resolved: 0, missing: 0, unsupported: 0, private: 0, failed: 0, uncovered: 0 };
  for (const { packages } of lockfiles) {
    for (const { resolution } of packages) outcomes[resolution.outcome] += 1;
  }
  return outcomes;
}

/** The counts have no notes and no suppressed findings. */
function countSeverities(findings: readonly Finding[]): Readonly<Record<Severity, number>> {
  const severities = { critical: 0, high: 0, medium: 0, low: 0, none: 0, unrated: 0 };
  for (const finding of findings) if (isAlert(finding)) severities[finding.severity] += 1;
  return severities;
}
