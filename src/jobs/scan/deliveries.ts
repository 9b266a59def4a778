import type { Notification } from '../../model/alert/notification.ts';
import type { RouteRule } from '../../model/alert/routing.ts';
import { defined } from '../../model/defined.ts';
import type { Change } from '../../model/scan/change.ts';
import type { Verdict } from '../../model/scan/verdict.ts';
import { isSummarised } from '../../policy/routing/first-scan.ts';
import type { RoutedChanges } from '../../policy/routing/route-changes.ts';
import { addCounts, worstChanges } from '../../policy/worst-changes.ts';
import { contentOf, type DeliverNotification, plannedDelivery } from '../payloads/deliver-notification.ts';

/** Changes that one notification lists; it counts the others. */
export const MAX_LISTED_CHANGES = 10_000;
/** Changes of one scan that a route of mode `change` sends individually; the others are sent together. */
const MAX_SINGLE_CHANGES = 1_000;

/** Findings that the summary of a first scan lists. */
const MAX_SUMMARY_CHANGES = 10;

/**
 * The deliveries of a scan, and its changes that wait for periodic digests. `resolved`: routes for which all findings of the
 * first scan's summary are resolved. `told`: see `TargetState`, before these; in the answer, after these.
 */
export function deliveriesOf(
  verdict: Verdict,
  routed: readonly RoutedChanges[],
  resolved: readonly RouteRule[],
  told?: string,
) {
  const payloads = [
    ...routed.flatMap((one) => payloadsOf(verdict, one)),
    ...resolved.map((rule) => ({ ...digestOf(verdict, rule), first: 'resolved' as const })),
  ];
  const byRoute = new Map(routed.map(({ rule, changes }) => [rule.name, changes]));
  const planned = payloads.map((payload) =>
    plannedDelivery(payload, notificationOf(verdict, payload, byRoute.get(payload.route) ?? []), told),
  );
  const { scan, target, requestedAt: date, counts, open = counts.severities, gaps } = verdict;
  const gathered = routed.filter(({ rule }) => isGathered(rule));
  return {
    next: planned.map(({ next }) => next),
    filed: planned.map(({ filed }) => filed),
    digests: gathered.map(({ rule, changes }) => ({
      route: rule.name,
      entry: {
        scan,
        target,
        date,
        ...listed(verdict, changes),
        open,
        gaps: gaps.length,
        ...defined({ told }),
      },
    })),
    told:
      planned.length + gathered.length === 0
        ? told
        : contentOf(
            { changes: verdict.changes, open, gaps: gaps.length },
            JSON.stringify([told, scan, date]),
          ),
  };
}

/** The part of a verdict that one delivery reports. */
function notificationOf(
  verdict: Verdict,
  payload: DeliverNotification,
  /** The changes of its route. */
  own: readonly number[],
): Omit<Notification, 'id' | 'route'> {
  const { scan, target, requestedAt: date, counts, open = counts.severities, gaps } = verdict;
  const changes = listed(verdict, positionsOf(verdict, payload, own));
  const first = payload.first ?? (changes.changes.some(isSummarised) ? 'opened' : undefined);
  return {
    mode: payload.change === undefined ? 'digest' : 'change',
    scan,
    target,
    date,
    ...changes,
    open,
    gaps: gaps.length,
    ...defined({ firstScan: first }),
  };
}

function positionsOf(
  { changes }: Verdict,
  { change, after, first }: DeliverNotification,
  own: readonly number[],
): readonly number[] {
  if (change !== undefined) return [change];
  if (after !== undefined) return own.filter((index) => isSingle(changes[index])).slice(after);
  if (first === undefined) return own;
  return own.filter(
    (index) => changes[index]?.transition === first && changes[index]?.announced === 'summary',
  );
}

function payloadsOf(verdict: Verdict, { rule, changes }: RoutedChanges): readonly DeliverNotification[] {
  const digest = digestOf(verdict, rule);
  if (rule.mode === 'digest') return [digest];
  if (isGathered(rule)) return [];
  const own = changes.filter((index) => isSingle(verdict.changes[index]));
  const single = own.slice(0, MAX_SINGLE_CHANGES).map((change) => ({ ...digest, change }));
  const summarised = changes.some((index) => isSummarised(verdict.changes[index]));
  return [
    ...(summarised ? [{ ...digest, first: 'opened' as const }] : []),
    ...single,
    ...(own.length > single.length ? [{ ...digest, after: single.length }] : []),
  ];
}

/** Whether a route of mode `change` sends it individually. Findings of a summary are not resolved individually either. */
function isSingle(change: Change | undefined): boolean {
  return change?.announced !== 'summary';
}

/** Whether its changes wait until a job gathers those of several scans. */
function isGathered({ mode }: RouteRule): boolean {
  return mode === 'periodic' || mode === 'advisory';
}

function digestOf({ scan, target, requestedAt }: Verdict, { name }: RouteRule): DeliverNotification {
  return { scan, target: target.id, route: name, requestedAt };
}

function listed(
  { changes }: Verdict,
  positions: readonly number[],
): Pick<Notification, 'changes' | 'omitted'> {
  const own = positions.flatMap((index) => changes[index] ?? []);
  const summary = worstChanges(own.filter(isSummarised), MAX_SUMMARY_CHANGES);
  const kept = new Set(summary.changes);
  const others = worstChanges(
    own.filter((change) => !isSummarised(change)),
    MAX_LISTED_CHANGES,
  );
  for (const change of others.changes) kept.add(change);
  const omitted = addCounts([summary.omitted, others.omitted]);
  return {
    changes: own.filter((change) => kept.has(change)),
    ...defined({ omitted }),
  };
}
