import type { TargetFindings } from '../../fleet/fleet.ts';
import type { Notification, NotifiedChange } from '../../model/alert/notification.ts';
import { defined } from '../../model/defined.ts';
import type { Change } from '../../model/scan/change.ts';
import type { Severity } from '../../model/scan/severity.ts';
import type { Target } from '../../model/scan/target.ts';
import type { TransitionCounts } from '../../model/scan/transition.ts';
import { addCounts, worstChanges } from '../../policy/worst-changes.ts';
import { targetOf } from '../gather-digest.ts';
import type { JobRun } from '../job.ts';
import type { plannedDelivery } from '../payloads/deliver-notification.ts';
import { MAX_LISTED_CHANGES } from '../scan/deliveries.ts';

/** What one route gets about open findings of many targets. */
export interface OpenSummary {
  add(target: TargetFindings, changes: readonly Change[]): void;
  /** Number of findings, listed or only counted. */
  findings(): number;
  /** The content of one notification: the worst changes, and the number of the others. */
  content(): Pick<Notification, 'target' | 'changes' | 'omitted' | 'open'>;
}

/** At most twice the listed changes are in memory. */
export function createOpenSummary(): OpenSummary {
  const targets: Target[] = [];
  const sum: Record<Severity, number> = { critical: 0, high: 0, medium: 0, low: 0, none: 0, unrated: 0 };
  let listed: NotifiedChange[] = [];
  let omitted: TransitionCounts | undefined;
  let findings = 0;
  const keepWorst = (): void => {
    const worst = worstChanges(listed, MAX_LISTED_CHANGES);
    listed = [...worst.changes];
    omitted = addCounts([omitted, worst.omitted]);
  };
  return {
    add({ target, open }, changes) {
      targets.push(target);
      findings += changes.length;
      for (const severity of Object.keys(sum) as Severity[]) sum[severity] += open[severity] ?? 0;
      for (const change of changes) listed.push({ ...change, target: target.id });
      if (listed.length >= 2 * MAX_LISTED_CHANGES) keepWorst();
    },
    findings: () => findings,
    content() {
      keepWorst();
      return {
        target: targetOf(targets),
        // A single target is named by the notification.
        changes: targets.length > 1 ? listed : listed.map(({ target: _, ...change }) => change),
        ...defined({ omitted }),
        open: sum,
      };
    },
  };
}

/** The summary of a route, created on first use. */
export function summaryOf(summaries: Map<string, OpenSummary>, route: string): OpenSummary {
  const summary = summaries.get(route) ?? createOpenSummary();
  summaries.set(route, summary);
  return summary;
}

/** The outcome of a job that sends one alert for each route. */
export function runOf(
  summaries: ReadonlyMap<string, OpenSummary>,
  planned: readonly ReturnType<typeof plannedDelivery>[],
): JobRun<{ readonly routes: number; readonly findings: number }> {
  const findings = [...summaries.values()].reduce((sum, summary) => sum + summary.findings(), 0);
  return {
    result: { routes: summaries.size, findings },
    next: planned.map(({ next }) => next),
    deliveries: planned.map(({ filed }) => filed),
  };
}
