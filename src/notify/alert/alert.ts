import { createHash } from 'node:crypto';
import type { Notification, NotifiedChange } from '../../model/alert/notification.ts';
import { printableStrings } from '../../model/printable.ts';
import { priorityScore } from '../../model/scan/priority.ts';
import type { RatedSeverity, Severity } from '../../model/scan/severity.ts';
import { countedSeverity, RATED_SEVERITIES } from '../../model/scan/severity.ts';
import { endsAlert, TRANSITIONS, type Transition } from '../../model/scan/transition.ts';

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

/** The severity of the worst change, as it is shown. */
export function worstSeverity({ totals }: Alert): Severity {
  return totals.worst?.finding.severity ?? 'none';
}

/** The severity that the worst change counts as. */
export function worstCounted({ totals: { worst } }: Alert): RatedSeverity {
  return worst === undefined ? 'none' : countedSeverity(worst.finding);
}

/** `2 opened, 1 resolved`. */
export function summaryOf({ totals: { counts } }: Alert): string {
  const parts = TRANSITIONS.filter((transition) => counts[transition] > 0);
  return parts.length === 0 ? 'no changes' : parts.map((name) => `${counts[name]} ${name}`).join(', ');
}

/** True when every change is a resolution or a suppression, or nothing changed. */
export function isRecovery({ totals: { changes, counts } }: Alert): boolean {
  return counts.resolved + counts.suppressed === changes;
}

const PRIORITIES: Readonly<Record<RatedSeverity, 'P1' | 'P2' | 'P3' | 'P4' | 'P5'>> = {
  critical: 'P1',
  high: 'P2',
  medium: 'P3',
  low: 'P4',
  none: 'P5',
};

/** `P1` (critical) to `P5`. */
export function priorityOf(alert: Alert): 'P1' | 'P2' | 'P3' | 'P4' | 'P5' {
  return PRIORITIES[worstCounted(alert)];
}

/** `key:value` for target and severity, then for each label, sorted. */
export function tagsOf(alert: Alert): readonly string[] {
  const { id, labels } = alert.target;
  const own = Object.entries(labels).map(([name, value]) => `${name}:${value}`);
  return [`target:${id}`, `severity:${worstSeverity(alert)}`, ...own.sort()];
}

/**
 * The key by which receivers group alerts, at most 42 characters: of the finding in mode `change`, otherwise of the
 * target.
 */
export function dedupKeyOf({ subject, target }: Alert): string {
  if (subject !== undefined) return `lockhound-${subject.finding.fingerprint.slice(0, 32)}`;
  return `lockhound-${createHash('sha256').update(target.id).digest('hex').slice(0, 32)}`;
}

/**
 * `resolve` for the resolution of one finding, for the end of a first-scan summary, and for a digest of resolutions that
 * leaves nothing open; otherwise `trigger`.
 */
export function actionOf(alert: Alert): 'trigger' | 'resolve' {
  if (alert.firstScan === 'resolved') return 'resolve';
  if (!isRecovery(alert)) return 'trigger';
  if (alert.mode === 'change') return 'resolve';
  return Object.values(alert.open).every((count) => count === 0) ? 'resolve' : 'trigger';
}

const MAX_URL = 2_000;

/** The page with the details: `notify.link`, else the advisory of the worst change; empty when there is neither. */
export function linkOf({ link, totals }: Alert): string {
  return link ?? totals.worst?.finding.advisory?.url ?? '';
}

/** The link of an alert as a URL that receivers can link to; `undefined` when it is not one. */
export function detailsUrl(alert: Alert): string | undefined {
  return safeUrl(linkOf(alert));
}

/** The text as an http or https URL of at most 2,000 characters; `undefined` for anything else. */
export function safeUrl(text: string | undefined): string | undefined {
  const url = text === undefined ? null : URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.href.length > MAX_URL) return undefined;
  return url.href;
}

/** For one line of text about one change, in UTF-16 units. */
export const MAX_LINE = 1_000;

/**
 * The text within `limit` UTF-16 units: a longer one is cut between code points and ends with `mark`. `encode` returns
 * a code point as the receiver's format writes it: its length counts, and an escape is never cut in two.
 */
export function truncateText(
  text: string,
  limit: number,
  mark = '…',
  encode: (codePoint: string) => string = (codePoint) => codePoint,
): string {
  let whole = '';
  let cut = '';
  for (const codePoint of text) {
    whole += encode(codePoint);
    if (whole.length + mark.length <= limit) cut = whole;
    if (whole.length > limit) return cut + mark;
  }
  return whole;
}

/** The items made from the changes that fit. */
export interface FittedChanges<Item> {
  readonly kept: readonly Item[];
  /** Number of changes of the notification that are not among them. */
  readonly leftOut: number;
}

/** Makes an item of each change, worst first, until the sum of their sizes exceeds `budget` (in the unit of `sizeOf`). */
export function fitChanges<Item>(
  alert: Alert,
  make: (change: NotifiedChange) => Item,
  budget: number,
  sizeOf: (item: Item) => number,
): FittedChanges<Item> {
  const kept: Item[] = [];
  let used = 0;
  for (const change of alert.ranked()) {
    const item = make(change);
    used += sizeOf(item);
    if (used > budget) break;
    kept.push(item);
  }
  return { kept, leftOut: alert.totals.changes - kept.length };
}

/** Bytes of a value as JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value), 'utf8');
}

/** Disables mentions in a text of a package, with a zero-width space after each `@`: it stays readable. */
export function withoutMentions(text: string): string {
  return text.replaceAll('@', '@\u200b');
}
