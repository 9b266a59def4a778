import type { Change, TrackedFinding } from '../model/scan/change.ts';
import { isAlert } from '../model/scan/is-alert.ts';
import { countedSeverity, type RatedSeverity } from '../model/scan/severity.ts';

/**
 * Open findings that receivers know and that are open for longer than `after` (milliseconds, by the severity that they count as), as
 * changes that name since when. `now`: ms since 1970.
 */
export function overdueFindings(
  tracked: readonly TrackedFinding[],
  after: Readonly<Partial<Record<RatedSeverity, number>>>,
  now: number,
): readonly Change[] {
  return tracked.flatMap(({ finding, status, openedAt, announced }): Change | readonly [] => {
    if (status !== 'open' || !isAlert(finding) || announced === 'none') return [];
    const limit = after[countedSeverity(finding)];
    if (limit === undefined || now - Date.parse(openedAt) < limit) return [];
    return { transition: 'opened', finding, since: openedAt };
  });
}
