import { type Change, TRANSITIONS, type Transition } from '../model/change.ts';
import { SEVERITIES, type Severity } from '../model/finding.ts';
import type { Notification } from '../model/notification.ts';

/** Number of changes by transition; all four are there. */
export function countTransitions({ changes }: Notification): Readonly<Record<Transition, number>> {
  const counts = { opened: 0, worsened: 0, reopened: 0, resolved: 0 };
  for (const { transition } of changes) counts[transition] += 1;
  return counts;
}

/** Changes that somebody has to look at. */
export function alarming({ changes }: Notification): readonly Change[] {
  return changes.filter(({ transition }) => transition !== 'resolved');
}

/** The worst change that is not a resolution, or the worst of all when everything was resolved. */
export function worstChange(notification: Notification): Change | undefined {
  const candidates = alarming(notification).length > 0 ? alarming(notification) : notification.changes;
  const rank = ({ finding }: Change) => SEVERITIES.indexOf(finding.severity);
  return candidates.reduce<Change | undefined>(
    (worst, change) => (worst === undefined || rank(change) < rank(worst) ? change : worst),
    undefined,
  );
}

export function worstSeverity(notification: Notification): Severity {
  return worstChange(notification)?.finding.severity ?? 'none';
}

/** `2 opened, 1 resolved`. */
export function summaryOf(notification: Notification): string {
  const counts = countTransitions(notification);
  const parts = TRANSITIONS.filter((transition) => counts[transition] > 0);
  return parts.length === 0 ? 'no changes' : parts.map((name) => `${counts[name]} ${name}`).join(', ');
}

/** Findings were only resolved, if anything changed at all. */
export function isRecovery(notification: Notification): boolean {
  return alarming(notification).length === 0;
}

const PRIORITIES: Readonly<Record<Severity, 'P1' | 'P2' | 'P3' | 'P4' | 'P5'>> = {
  critical: 'P1',
  high: 'P2',
  medium: 'P3',
  unknown: 'P3',
  low: 'P4',
  none: 'P5',
};

/** `P1` (critical) to `P5`. */
export function priorityOf(notification: Notification): 'P1' | 'P2' | 'P3' | 'P4' | 'P5' {
  return PRIORITIES[worstSeverity(notification)];
}

/** `key:value` of each label, sorted, with target and severity in front. */
export function tagsOf(notification: Notification): readonly string[] {
  const { id, labels } = notification.target;
  const own = Object.entries(labels).map(([name, value]) => `${name}:${value}`);
  return [`target:${id}`, `severity:${worstSeverity(notification)}`, ...own.sort()];
}
