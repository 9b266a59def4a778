import { TRANSITIONS } from '../../model/scan/change.ts';
import { countedSeverity, type RatedSeverity, type Severity } from '../../model/scan/finding.ts';
import type { Alert } from './alert.ts';

/** The severity of the worst change, as it is shown. */
export function worstSeverity({ totals }: Alert): Severity {
  return totals.worst?.finding.severity ?? 'none';
}

/** What the worst change counts as. */
export function worstCounted({ totals: { worst } }: Alert): RatedSeverity {
  return worst === undefined ? 'none' : countedSeverity(worst.finding);
}

/** `2 opened, 1 resolved`. */
export function summaryOf({ totals: { counts } }: Alert): string {
  const parts = TRANSITIONS.filter((transition) => counts[transition] > 0);
  return parts.length === 0 ? 'no changes' : parts.map((name) => `${counts[name]} ${name}`).join(', ');
}

/** Findings were only resolved, if anything changed at all. */
export function isRecovery({ totals: { changes, counts } }: Alert): boolean {
  return counts.resolved === changes;
}

const PRIORITIES: Readonly<Record<RatedSeverity, 'P1' | 'P2' | 'P3' | 'P4' | 'P5'>> = {
  critical: 'P1',
  high: 'P2',
  medium: 'P3',
  low: 'P4',
  none: 'P5',
};

/** `P1` (critical) to `P5`. */
export function priorityOf(alert: Alert): 'P1' | 'P2' | 'P3' | 'P4' | 'P5' {
  return PRIORITIES[worstCounted(alert)];
}

/** `key:value` of each label, sorted, with target and severity in front. */
export function tagsOf(alert: Alert): readonly string[] {
  const { id, labels } = alert.target;
  const own = Object.entries(labels).map(([name, value]) => `${name}:${value}`);
  return [`target:${id}`, `severity:${worstSeverity(alert)}`, ...own.sort()];
}
