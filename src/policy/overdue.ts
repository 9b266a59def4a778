import { withAge } from '../model/scan/age.ts';
import type { Change, TrackedFinding } from '../model/scan/change.ts';
import { isAlert } from '../model/scan/is-alert.ts';
import type { Policy } from '../model/scan/policy.ts';
import { countedSeverity } from '../model/scan/severity.ts';
import { toldOf } from './routing/fixable-routes.ts';

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
