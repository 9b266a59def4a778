import { defined } from '../../model/defined.ts';
import type { LoggedChanges } from '../../model/fleet/logged-changes.ts';
import type { TargetSummary } from '../../model/fleet/target-summary.ts';
import type { DigestAddition, TargetChange } from '../../model/queue/outcome.ts';
import type { TargetState } from '../../model/scan/change.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import type { Severity } from '../../model/scan/severity.ts';
import type { Verdict } from '../../model/scan/verdict.ts';
import { worstChanges } from '../../policy/worst-changes.ts';
import { isNew, nonZero } from '../../scan/target-lockfiles.ts';

/** Changes of one scan in the log of the fleet. */
const MAX_LOGGED = 1_000;

/** What is saved with a verdict: the target's new state, its entry in the list of the fleet, and its changes. */
export function targetChange(
  verdict: Verdict,
  { replaces, state, digests }: Pick<TargetChange, 'replaces' | 'state' | 'digests'>,
  lockfiles: TargetChange['lockfiles'],
): TargetChange {
  const { target, counts, open, complete } = verdict;
  const log = loggedChanges(verdict);
  return {
    target: target.id,
    replaces,
    state,
    ...(digests === undefined ? {} : { digests: digests satisfies readonly DigestAddition[] }),
    ...defined({ lockfiles }),
    summary: {
      labels: target.labels,
      packages: counts.packages,
      open: nonZero(open),
      openByRule: openByRule(state.findings),
      ...suppressedIn(state.findings),
      requestedAt: state.requestedAt,
      ...(complete ? {} : { incomplete: true }),
    },
    ...defined({ log }),
  };
}

function loggedChanges({ scan, target, requestedAt, changes: all }: Verdict): LoggedChanges | undefined {
  const changes = all.filter(isNew);
  if (changes.length === 0) return undefined;
  const listed = worstChanges(changes, MAX_LOGGED).changes;
  const omitted = changes.length - listed.length;
  return {
    scan,
    target: target.id,
    labels: target.labels,
    requestedAt,
    changes: listed.map(({ transition, finding }) => ({
      transition,
      fingerprint: finding.fingerprint,
      rule: finding.rule,
      level: finding.level,
      severity: finding.severity,
      purl: finding.package.purl,
      title: finding.title,
      ...(finding.advisory === undefined ? {} : { advisory: finding.advisory.id }),
    })),
    ...(omitted === 0 ? {} : { omitted }),
  };
}

/** Number of open findings that are suppressed. */
function suppressedIn(tracked: TargetState['findings']): Pick<TargetSummary, 'suppressed'> {
  const suppressed = tracked.filter(
    ({ status, finding }) => status === 'open' && finding.suppressed !== undefined,
  ).length;
  return suppressed === 0 ? {} : { suppressed };
}

/** Open findings by rule and severity, without notes and suppressed ones. */
function openByRule(tracked: TargetState['findings']): NonNullable<TargetSummary['openByRule']> {
  const rules: Record<string, Partial<Record<Severity, number>>> = {};
  for (const { finding, status } of tracked) {
    if (status !== 'open' || !isAlert(finding)) continue;
    const counts = rules[finding.rule] ?? {};
    rules[finding.rule] = counts;
    counts[finding.severity] = (counts[finding.severity] ?? 0) + 1;
  }
  return rules;
}
