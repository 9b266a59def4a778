import { createHash } from 'node:crypto';
import type { NotifiedChange } from '../../model/alert/notification.ts';
import type { Alert } from './alert.ts';
import { safeUrl } from './safe-url.ts';
import { isRecovery, summaryOf, worstSeverity } from './summary.ts';
import { truncateText } from './truncate-text.ts';

const FIRST_SCAN = { opened: 'first scan: ', resolved: 'all of the first scan is over: ' } as const;

const LONGEST_LINE = 1_000;

/** `[high] shop: 2 opened, 1 resolved`. */
export function titleOf(alert: Alert): string {
  const first = alert.firstScan === undefined ? '' : FIRST_SCAN[alert.firstScan];
  const title = `[${worstSeverity(alert)}] ${alert.target.id}: ${first}${summaryOf(alert)}`;
  return alert.test === true ? `[test] ${title}` : title;
}

/** The title, and a line for each change. */
export function messageOf(alert: Alert): string {
  return [titleOf(alert), linesOf(alert)].filter((part) => part !== '').join('\n');
}

/** A line for each change that is told, and one that counts the rest. */
export function linesOf(alert: Alert): string {
  const { changes, brief } = alert;
  const lines = changes.map((change) =>
    brief ? truncateText(lineOf(change), LONGEST_LINE) : lineOf(change),
  );
  const rest = leftOutText(alert.leftOut, alert);
  return (rest === '' ? lines : [...lines, rest]).join('\n');
}

/** `opened critical: title (package@version, GHSA-…)`, behind the target where it is not the alert's. */
export function lineOf({ transition, finding, target }: NotifiedChange): string {
  const { name, version } = finding.package;
  const source = [`${name}@${version}`, ...(finding.advisory === undefined ? [] : [finding.advisory.id])];
  const whose = target === undefined ? '' : `${target}: `;
  return `${whose}${transition} ${finding.severity}: ${finding.title} (${source.join(', ')})`;
}

/** `and 23 more changes: https://…`; empty when nothing is left out. */
export function leftOutText(leftOut: number, alert: Alert): string {
  if (leftOut === 0) return '';
  const link = safeUrl(linkOf(alert));
  const what = `and ${leftOut} more change${leftOut === 1 ? '' : 's'}`;
  return link === undefined ? what : `${what}: ${link}`;
}

/** Where more is to be read: the configured page, else the advisory behind the worst change; may be empty. */
export function linkOf({ link, totals }: Alert): string {
  return link ?? totals.worst?.finding.advisory?.url ?? '';
}

/**
 * What receivers tie alerts about the same thing together by, at most 42 characters: the finding where an alert is about
 * one change, else the target.
 */
export function dedupKeyOf({ subject, target }: Alert): string {
  if (subject !== undefined) return `lockhound-${subject.finding.fingerprint.slice(0, 32)}`;
  return `lockhound-${createHash('sha256').update(target.id).digest('hex').slice(0, 32)}`;
}

/**
 * `resolve` when one change is a resolution, when all that a first scan's summary told is over, or when a digest only has
 * resolutions and nothing is open any more; otherwise `trigger`.
 */
export function actionOf(alert: Alert): 'trigger' | 'resolve' {
  if (alert.firstScan === 'resolved') return 'resolve';
  if (!isRecovery(alert)) return 'trigger';
  if (alert.mode === 'change') return 'resolve';
  return Object.values(alert.open).every((count) => count === 0) ? 'resolve' : 'trigger';
}
