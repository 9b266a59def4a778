import { defined } from '../../model/defined.ts';
import type { Change, TrackedFinding } from '../../model/scan/change.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { isExpired } from './suppressor.ts';

/** The time of a scan: RFC 3339 for what is stored, and in ms since 1970 for expiries. */
interface Moment {
  readonly requestedAt: string;
  readonly judgedAt: number;
}

/**
 * The state and the change of an open finding that is suppressed now or was so before; `undefined` for any other. While it is
 * suppressed, its severity changes silently.
 */
export function suppressionStep(
  tracked: TrackedFinding,
  before: Finding,
  { requestedAt, judgedAt }: Moment,
): { readonly tracked: TrackedFinding; readonly change?: Change } | undefined {
  const { finding } = tracked;
  if (finding.suppressed !== undefined) {
    if (before.suppressed !== undefined) return { tracked };
    const { announced } = tracked;
    const change = { transition: 'suppressed', finding, ...defined({ announced }) };
    return { tracked: { ...tracked, changedAt: requestedAt }, change: change as Change };
  }
  if (before.suppressed === undefined) return undefined;
  const { announced: _announced, unreported: _unreported, ...rest } = tracked;
  return {
    tracked: { ...rest, changedAt: requestedAt },
    change: { transition: 'reopened', finding, reason: endOf(before.suppressed, judgedAt) },
  };
}

/** Why a finding is no longer suppressed. */
function endOf({ by, reason, expires }: NonNullable<Finding['suppressed']>, now: number): string {
  return expires !== undefined && isExpired({ expires }, now)
    ? `its suppression expired at ${expires}: ${reason} (${by})`
    : `no longer suppressed by ${by}: ${reason}`;
}
