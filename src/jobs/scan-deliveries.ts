import type { FiledDelivery } from '../model/delivery.ts';
import type { Notification } from '../model/notification.ts';
import type { Verdict } from '../model/scan.ts';
import type { RoutedChanges } from '../policy/route-changes.ts';
import { worstChanges } from '../policy/worst-changes.ts';
import { type DeliverNotification, plannedDelivery } from './deliver-notification.payload.ts';
import type { FollowUp } from './follow-up.ts';
import type { DigestAddition } from './job.ts';

/** Changes that one notification lists; of the others it has the number. */
export const MAX_LISTED_CHANGES = 10_000;
/** Changes of one scan that a route of mode `change` sends one by one; the others go together. */
export const MAX_SINGLE_CHANGES = 1_000;

export interface ScanDeliveries {
  readonly next: readonly FollowUp[];
  readonly filed: readonly FiledDelivery[];
  /** What waits for periodic digests. */
  readonly digests: readonly DigestAddition[];
}

/** What is sent of a scan by each of its routes: at once, or with the next periodic digest. */
export function deliveriesOf(verdict: Verdict, routed: readonly RoutedChanges[]): ScanDeliveries {
  const planned = routed.flatMap((one) =>
    payloadsOf(verdict, one).map((payload) => plannedDelivery(payload, notificationOf(verdict, payload))),
  );
  const { scan, target, requestedAt: date, counts, open = counts.severities, gaps } = verdict;
  const periodic = routed.filter(({ rule }) => rule.mode === 'periodic');
  return {
    next: planned.map(({ next }) => next),
    filed: planned.map(({ filed }) => filed),
    digests: periodic.map(({ rule, changes }) => ({
      route: rule.name,
      entry: {
        scan,
        target,
        date,
        ...listed(verdict, changes),
        open,
        gaps: gaps.length,
      },
    })),
  };
}

/** The part of a verdict that one delivery reports. */
export function notificationOf(
  verdict: Verdict,
  { route, change, after = 0 }: DeliverNotification,
): Omit<Notification, 'id' | 'route'> {
  const {
    scan,
    target,
    requestedAt: date,
    changes,
    counts,
    open = counts.severities,
    gaps,
    routed,
  } = verdict;
  // A verdict of release 0.1.0 may have no routes: all its changes went by each.
  const own = change === undefined ? (routed?.[route] ?? [...changes.keys()]).slice(after) : [change];
  return {
    mode: change === undefined ? 'digest' : 'change',
    scan,
    target,
    date,
    ...listed(verdict, own),
    open,
    gaps: gaps.length,
  };
}

function payloadsOf(
  { scan, target, requestedAt }: Verdict,
  { rule, changes }: RoutedChanges,
): readonly DeliverNotification[] {
  const digest = { scan, target: target.id, route: rule.name, requestedAt };
  if (rule.mode === 'digest') return [digest];
  if (rule.mode === 'periodic') return [];
  const single = changes.slice(0, MAX_SINGLE_CHANGES).map((change) => ({ ...digest, change }));
  return changes.length > single.length ? [...single, { ...digest, after: single.length }] : single;
}

function listed(
  { changes }: Verdict,
  positions: readonly number[],
): Pick<Notification, 'changes' | 'omitted'> {
  const own = positions.flatMap((index) => changes[index] ?? []);
  const { changes: kept, omitted } = worstChanges(own, MAX_LISTED_CHANGES);
  return { changes: kept, ...(omitted === undefined ? {} : { omitted }) };
}
