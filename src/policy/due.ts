import type { TargetState, TrackedFinding } from '../model/scan/change.ts';
import { isNote } from '../model/scan/is-alert.ts';
import { fixLookTime } from './routing/fixable-routes.ts';

/**
 * When a target is judged again although nothing changed: the first suppression of an open finding expires, the first note has
 * been open for as long as it may, or a fix for which routes wait may be known. `noteLimit`: that time by rule, in milliseconds.
 */
export function dueAfter(
  tracked: readonly TrackedFinding[],
  noteLimit: (rule: string) => number,
): Pick<TargetState, 'dueAt'> {
  let first = Number.POSITIVE_INFINITY;
  for (const one of tracked) if (one.status === 'open') first = Math.min(first, dueTime(one, noteLimit));
  return Number.isFinite(first) ? { dueAt: new Date(first).toISOString() } : {};
}

/** In ms since 1970; infinite for a finding that time alone does not change. */
function dueTime(tracked: TrackedFinding, noteLimit: (rule: string) => number): number {
  const { finding, openedAt } = tracked;
  const { suppressed, rule } = finding;
  if (suppressed?.expires !== undefined) return Date.parse(suppressed.expires);
  // It is overdue after the limit, not at it.
  return isNote(finding) ? Date.parse(openedAt) + noteLimit(rule) + 1 : fixLookTime(tracked);
}
