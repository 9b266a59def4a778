import type { Notification, NotifiedChange } from '../../model/alert/notification.ts';
import { printableStrings } from '../../model/printable.ts';
import { priorityScore } from '../../model/scan/priority.ts';
import { countedSeverity, RATED_SEVERITIES } from '../../model/scan/severity.ts';
import { endsAlert, type Transition } from '../../model/scan/transition.ts';

/** The content of one request about a notification: all of its changes, or the worst ones and a count of the rest. */
export interface Alert extends Notification {
  /** The changes listed: in the notification's order, or worst first when some are left out. */
  readonly changes: readonly NotifiedChange[];
  /** Number of changes that are counted but not listed. */
  readonly leftOut: number;
  /** Whether long lists within a change are cut. */
  readonly brief: boolean;
  /** The changes listed, worst first. */
  readonly ranked: () => readonly NotifiedChange[];
  /** The one change of an alert of mode `change`. */
  readonly subject: NotifiedChange | undefined;
  readonly totals: AlertTotals;
}

/** Totals over all changes, listed or left out. */
interface AlertTotals {
  readonly changes: number;
  readonly counts: Readonly<Record<Transition, number>>;
  /** The worst change that is not a resolution; the worst resolution when there is no other change. */
  readonly worst: NotifiedChange | undefined;
}

export interface AlertShape {
  /** Maximum number of changes listed. Default: all. */
  readonly most?: number;
  /** Default false. */
  readonly brief?: boolean;
}

/** The alert with all changes of a notification. */
export function alertOf(notification: Notification): Alert {
  return alertMaker(notification)();
}

/**
 * Returns a function that builds alerts of different sizes from one notification. Common parts are computed once. Text
 * from packages and advisories becomes printable here, before it is rendered.
 */
export function alertMaker(notification: Notification): (shape?: AlertShape) => Alert {
  const { changes, omitted, mode } = notification;
  const totals = totalsOf(changes, omitted);
  const subject = mode === 'change' ? printableStrings(changes[0]) : undefined;
  let all: readonly NotifiedChange[] | undefined;
  const allRanked = () => {
    all ??= worstFirst(changes);
    return all;
  };
  return ({ most = changes.length, brief = false } = {}) => {
    const complete = most >= changes.length;
    const listed = printableStrings(complete ? changes : allRanked().slice(0, most));
    return {
      ...printableStrings({ ...notification, changes: [] }),
      brief,
      subject,
      totals,
      changes: listed,
      leftOut: totals.changes - listed.length,
      ranked: () => (complete ? worstFirst(listed) : listed),
    };
  };
}

/** `omitted` counts changes that the notification does not list; none of them is worse than those it lists. */
function totalsOf(changes: readonly NotifiedChange[], omitted: Notification['omitted']): AlertTotals {
  const counts = { opened: 0, worsened: 0, reopened: 0, disputed: 0, suppressed: 0, resolved: 0, ...omitted };
  let worst: NotifiedChange | undefined;
  for (const change of changes) {
    counts[change.transition] += 1;
    if (worst === undefined || rankOf(change) < rankOf(worst)) worst = change;
  }
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { changes: all, counts, worst: printableStrings(worst) };
}

/** Open changes by priority, then resolutions by priority; stable among equals. */
function worstFirst(changes: readonly NotifiedChange[]): readonly NotifiedChange[] {
  const places: NotifiedChange[][] = Array.from({ length: 2 * PLACES }, () => []);
  for (const change of changes) places[placeOf(change)]?.push(change);
  return places.flat();
}

/** Each priority from 100 to 0 has two places: unrated findings follow the rated ones that they count as. */
const PLACES = 2 * 101;

function placeOf({ transition, finding }: NotifiedChange): number {
  const place = 2 * (100 - Math.round(priorityScore(finding))) + (finding.severity === 'unrated' ? 1 : 0);
  return endsAlert(transition) ? PLACES + place : place;
}

/** Each severity has two ranks: unrated findings follow the rated ones they count as. */
const RANKS = 2 * RATED_SEVERITIES.length;

function rankOf({ transition, finding }: NotifiedChange): number {
  const unrated = finding.severity === 'unrated' ? 1 : 0;
  const severity = 2 * RATED_SEVERITIES.indexOf(countedSeverity(finding)) + unrated;
  return endsAlert(transition) ? RANKS + severity : severity;
}
