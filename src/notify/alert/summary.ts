import { createHash } from 'node:crypto';
import { countedSeverity, type RatedSeverity, type Severity } from '../../model/scan/severity.ts';
import { TRANSITIONS } from '../../model/scan/transition.ts';
import type { Alert } from './alert.ts';

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
