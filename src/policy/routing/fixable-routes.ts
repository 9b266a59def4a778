import { isFixable } from '../../model/advice/fixable.ts';
import type { Routing } from '../../model/alert/routing.ts';
import { defined } from '../../model/defined.ts';
import type { Change, TrackedFinding } from '../../model/scan/change.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import { mapInSlices } from '../../model/yielding.ts';
import type { Comparison } from '../changes.ts';

/** The known fixes when a target is judged. */
interface FixFacts {
  /** The finding with the fixes that are known. */
  with(finding: Finding): Finding;
  /** Whether its fix is still being looked up. */
  isPending(finding: Finding): boolean;
  /** ms since 1970. */
  readonly judgedAt: number;
}

type Mark = NonNullable<TrackedFinding['fixRoutes']>;

/** A fix that is not known after this time counts as none. */
const PATIENCE_MS = 24 * 3_600_000;
/** The least time until a target is judged again because fixes were not known. */
const FIRST_LOOK_MS = 120_000;

/**
 * The comparison for routes that match on `fixable`: each finding has a mark of what these routes got of it. A change whose fix is not
 * known is sent to none of them, and once more, to them alone, when it is known. The mark is stored with the changes, so that each
 * route gets a finding once.
 */
export async function forFixableRoutes(
  comparison: Comparison,
  { rules }: Routing,
  facts: FixFacts,
): Promise<Comparison> {
  if (comparison.superseded) return comparison;
  if (!rules.some(({ match }) => match.fixable !== undefined)) return await withoutMarks(comparison);
  const changes = new Map(comparison.changes.map((change) => [change.finding.fingerprint, change]));
  const late: Change[] = [];
  const tracked = await mapInSlices(comparison.tracked, (one): TrackedFinding => {
    if (one.status !== 'open' || !isAlert(one.finding)) return one;
    const change = changes.get(one.finding.fingerprint);
    const fixRoutes = nextMark(one, change, facts);
    if (change === undefined && isOwed(one.fixRoutes, fixRoutes)) {
      late.push(lateChange(one, fixRoutes));
      return { ...one, fixRoutes, changedAt: new Date(facts.judgedAt).toISOString() };
    }
    return { ...one, fixRoutes };
  });
  const notified = new Map(
    tracked.map(({ finding, fixRoutes }) => [finding.fingerprint, fixRoutes?.notified]),
  );
  return {
    ...comparison,
    tracked,
    changes: [
      ...comparison.changes.map((change) => {
        const own = notified.get(change.finding.fingerprint);
        return own === undefined ? change : { ...change, fixable: own };
      }),
      ...late,
    ],
  };
}

/** The values of `match.fixable` whose routes got a finding, as a part of a change of it. */
export function toldOf(mark: TrackedFinding['fixRoutes']): Pick<Change, 'fixable'> {
  return mark === undefined ? {} : { fixable: mark.notified };
}

/** With `take: first`, a finding that a route took is sent to no other route later. */
export function takenBy(
  tracked: readonly TrackedFinding[],
  routed: readonly Change[],
): readonly TrackedFinding[] {
  const taken = new Set(routed.map(({ finding }) => finding.fingerprint));
  return tracked.map((one) => {
    const { finding, fixRoutes } = one;
    if (fixRoutes === undefined || !taken.has(finding.fingerprint)) return one;
    return { ...one, fixRoutes: { notified: fixRoutes.notified, taken: true } };
  });
}

/** When a target is judged again because a fix is not known: the interval doubles. In ms since 1970. */
export function fixLookTime({ fixRoutes }: Pick<TrackedFinding, 'fixRoutes'>): number {
  if (fixRoutes?.askedAt === undefined) return Number.POSITIVE_INFINITY;
  const asked = Date.parse(fixRoutes.askedAt);
  const looked = Date.parse(fixRoutes.lookedAt ?? fixRoutes.askedAt);
  return looked + Math.max(FIRST_LOOK_MS, looked - asked);
}

function nextMark({ finding, fixRoutes }: TrackedFinding, change: Change | undefined, facts: FixFacts): Mark {
  if (fixRoutes?.taken === true && change?.transition !== 'opened') return fixRoutes;
  const { notified = [], askedAt } = fixRoutes ?? {};
  const now = new Date(facts.judgedAt).toISOString();
  const waits = facts.judgedAt - Date.parse(askedAt ?? now) < PATIENCE_MS;
  if (facts.isPending(finding) && notified.length === 0 && waits) {
    return askedAt === undefined ? { notified, askedAt: now } : { notified, askedAt, lookedAt: now };
  }
  // What is not known any more is as it was.
  if (facts.isPending(finding) && notified.length > 0) return { notified };
  const fixable = isFixable(facts.with(finding));
  return { notified: notified.includes(fixable) ? notified : [...notified, fixable] };
}

/** Whether routes get a finding now that they did not get when it changed. One without a mark is announced with the new settings. */
function isOwed(before: Mark | undefined, { notified }: Mark): boolean {
  if (before === undefined) return false;
  const [added] = notified.slice(before.notified.length);
  // A fix that is no longer one is no news.
  return added === true || (added === false && before.askedAt !== undefined);
}

function lateChange(
  { finding, openedAt, announced, firstSeenAt }: TrackedFinding,
  { notified }: Mark,
): Change {
  return {
    transition: firstSeenAt === undefined ? 'opened' : 'reopened',
    finding,
    since: openedAt,
    fixable: notified.slice(-1),
    isLate: true,
    ...defined({ announced }),
  };
}

async function withoutMarks(comparison: Comparison): Promise<Comparison> {
  if (!comparison.tracked.some(({ fixRoutes }) => fixRoutes !== undefined)) return comparison;
  const tracked = await mapInSlices(comparison.tracked, ({ fixRoutes: _, ...one }) => one);
  return { ...comparison, tracked };
}
