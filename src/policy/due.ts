import { withAge } from '../model/scan/age.ts';
import type { Change, TargetState, TrackedFinding } from '../model/scan/change.ts';
import { isAlert, isNote } from '../model/scan/is-alert.ts';
import type { Policy } from '../model/scan/policy.ts';
import { countedSeverity } from '../model/scan/severity.ts';
import { fixLookTime, toldOf } from './routing/fixable-routes.ts';

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

/**
 * Open findings that receivers know and that are open for longer than `after` (milliseconds, by the severity that they count as), as
 * changes that name since when. `now`: ms since 1970.
 */
export function overdueFindings(
  tracked: readonly TrackedFinding[],
  { after, dueIn }: { readonly after: Policy['dueIn']; readonly dueIn: Policy['dueIn'] },
  now: number,
): readonly Change[] {
  return tracked.flatMap(({ finding, status, openedAt, announced, fixRoutes }): Change | readonly [] => {
    if (status !== 'open' || !isAlert(finding) || announced === 'none') return [];
    const severity = countedSeverity(finding);
    const limit = after[severity];
    if (limit === undefined || now - Date.parse(openedAt) < limit) return [];
    return {
      transition: 'opened',
      finding: withAge(finding, openedAt, now, dueIn[severity]),
      since: openedAt,
      ...toldOf(fixRoutes),
    };
  });
}
