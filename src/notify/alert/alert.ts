import type { Notification, NotifiedChange } from '../../model/alert/notification.ts';
import { printableStrings } from '../../model/printable.ts';
import type { Transition } from '../../model/scan/change.ts';
import { countedSeverity, RATED_SEVERITIES } from '../../model/scan/finding.ts';

/** A notification as one request tells it: with all of its changes, or with the worst ones and a count of the rest. */
export interface Alert extends Notification {
  /** The changes that are told, in the notification's order; the worst ones first where some are left out. */
  readonly changes: readonly NotifiedChange[];
  /** Number of changes that are only counted. */
  readonly leftOut: number;
  /** Whether long lists within a change are cut. */
  readonly brief: boolean;
  /** The changes that are told, worst first. */
  readonly ranked: () => readonly NotifiedChange[];
  /** The change that it is about, in mode `change`. */
  readonly subject: NotifiedChange | undefined;
  readonly totals: AlertTotals;
}

/** What is said of all changes, told or left out. */
export interface AlertTotals {
  readonly changes: number;
  readonly counts: Readonly<Record<Transition, number>>;
  /** The worst change that is not a resolution, or the worst of all when everything was resolved. */
  readonly worst: NotifiedChange | undefined;
}

export interface AlertShape {
  /** Changes to tell at most. Default: all. */
  readonly most?: number;
  /** Default false. */
  readonly brief?: boolean;
}

/** All of a notification. */
export function alertOf(notification: Notification): Alert {
  return alertMaker(notification)();
}

/**
 * A function that makes alerts of a notification; what they have in common is worked out once. Texts from outside are
 * made printable here, before anything is rendered.
 */
export function alertMaker(notification: Notification): (shape?: AlertShape) => Alert {
  const { changes, omitted, mode } = notification;
  const totals = totalsOf(changes, omitted);
  const unlisted = totals.changes - changes.length;
  const subject = mode === 'change' ? printableStrings(changes[0]) : undefined;
  let all: readonly NotifiedChange[] | undefined;
  const allRanked = () => {
    all ??= worstFirst(changes);
    return all;
  };
  return ({ most = changes.length, brief = false } = {}) => {
    const common = { ...printableStrings({ ...notification, changes: [] }), brief, subject, totals };
    if (most >= changes.length) {
      return {
        ...common,
        changes: printableStrings(changes),
        leftOut: unlisted,
        ranked: () => printableStrings(allRanked()),
      };
    }
    const told = printableStrings(allRanked().slice(0, most));
    return { ...common, changes: told, leftOut: totals.changes - told.length, ranked: () => told };
  };
}

/** `omitted`: changes that the notification itself only counts; none of them is worse than those it lists. */
function totalsOf(changes: readonly NotifiedChange[], omitted: Notification['omitted']): AlertTotals {
  const counts = { opened: 0, worsened: 0, reopened: 0, resolved: 0, ...omitted };
  let worst: NotifiedChange | undefined;
  for (const change of changes) {
    counts[change.transition] += 1;
    if (worst === undefined || rankOf(change) < rankOf(worst)) worst = change;
  }
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { changes: all, counts, worst: printableStrings(worst) };
}

/** Those that somebody has to look at by their severity, then resolutions by theirs; equal ones stay in their order. */
function worstFirst(changes: readonly NotifiedChange[]): readonly NotifiedChange[] {
  const ranks: NotifiedChange[][] = Array.from({ length: 2 * RANKS }, () => []);
  for (const change of changes) ranks[rankOf(change)]?.push(change);
  return ranks.flat();
}

/** Each severity has two ranks: what is unrated comes after what is rated like it. */
const RANKS = 2 * RATED_SEVERITIES.length;

function rankOf({ transition, finding }: NotifiedChange): number {
  const unrated = finding.severity === 'unrated' ? 1 : 0;
  const severity = 2 * RATED_SEVERITIES.indexOf(countedSeverity(finding)) + unrated;
  return transition === 'resolved' ? RANKS + severity : severity;
}
