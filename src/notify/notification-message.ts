import { createHash } from 'node:crypto';
import type { Notification, NotifiedChange } from '../model/notification.ts';
import { isRecovery, summaryOf, worstChange, worstSeverity } from './notification-summary.ts';

/** `[high] shop: 2 opened, 1 resolved`. */
export function titleOf(notification: Notification): string {
  const title = `[${worstSeverity(notification)}] ${notification.target.id}: ${summaryOf(notification)}`;
  return notification.test === true ? `[test] ${title}` : title;
}

/** The title, and a line for each change. */
export function messageOf(notification: Notification): string {
  return [titleOf(notification), linesOf(notification)].filter((part) => part !== '').join('\n');
}

/** A line for each change. */
export function linesOf({ changes }: Notification): string {
  return changes.map(lineOf).join('\n');
}

/** `opened critical: title (package@version, GHSA-…)`, behind the target where it is not the notification's. */
export function lineOf({ transition, finding, target }: NotifiedChange): string {
  const { name, version } = finding.package;
  const source = [`${name}@${version}`, ...(finding.advisory === undefined ? [] : [finding.advisory.id])];
  const whose = target === undefined ? '' : `${target}: `;
  return `${whose}${transition} ${finding.severity}: ${finding.title} (${source.join(', ')})`;
}

/** Where more is to be read: the configured page, else the advisory behind the worst change; may be empty. */
export function linkOf(notification: Notification): string {
  return notification.link ?? worstChange(notification)?.finding.advisory?.url ?? '';
}

/**
 * What receivers tie alerts about the same thing together by, at most 42 characters: the finding where an alert is about
 * one change, else the target.
 */
export function dedupKeyOf(notification: Notification): string {
  const { mode, changes, target } = notification;
  const [change] = changes;
  if (mode === 'change' && change !== undefined)
    return `lockhound-${change.finding.fingerprint.slice(0, 32)}`;
  return `lockhound-${createHash('sha256').update(target.id).digest('hex').slice(0, 32)}`;
}

/**
 * `resolve` when one change is a resolution, or when a digest only has resolutions and nothing is open any more;
 * otherwise `trigger`.
 */
export function actionOf(notification: Notification): 'trigger' | 'resolve' {
  if (!isRecovery(notification)) return 'trigger';
  if (notification.mode === 'change') return 'resolve';
  return Object.values(notification.open).every((count) => count === 0) ? 'resolve' : 'trigger';
}
