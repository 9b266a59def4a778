import type { Change } from '../model/change.ts';
import { SEVERITIES, type Severity } from '../model/finding.ts';
import type { Notification } from '../model/notification.ts';
import { jsonVariable, textVariable, type Variable, type Variables } from './variable.ts';

interface Definition {
  readonly name: string;
  readonly meaning: string;
  readonly value: (notification: Notification) => Variable;
}

const MESSAGE_CHANGES = 20;

/** Every variable a notification gives: the platform's common ones, so that templates written for it work, and ours. */
export const NOTIFICATION_VARIABLES: readonly Definition[] = [
  text('ID', 'id of the notification; the same over retries', ({ id }) => id),
  text('EVENT_TITLE', 'one line: target and counts', titleOf),
  text('EVENT_MSG', 'the changes, a line each, at most 20', messageOf),
  text('EVENT_TYPE', 'always `lockhound_changes`', () => 'lockhound_changes'),
  text('ALERT_TITLE', 'as EVENT_TITLE', titleOf),
  text('ALERT_STATUS', '`Triggered`, or `Recovered` when all changes are resolutions', statusOf),
  text('ALERT_TRANSITION', 'as ALERT_STATUS', statusOf),
  text('PRIORITY', '`normal` for high and critical, else `low`', (one) => (isUrgent(one) ? 'normal' : 'low')),
  json('DATE', 'when the scan was asked for, in milliseconds since 1970', ({ date }) => Date.parse(date)),
  json('LAST_UPDATED', 'as DATE', ({ date }) => Date.parse(date)),
  text('LINK', 'URL of the worst finding’s advisory, when there is one', linkOf),
  text('TAGS', 'labels of the target as `name:value`, comma separated', tagsOf),
  text('HOSTNAME', 'as TARGET', ({ target }) => target.id),
  text('ORG_ID', 'empty', () => ''),
  text('ORG_NAME', 'empty', () => ''),
  text('TARGET', 'id of the target', ({ target }) => target.id),
  text('SCAN', 'id of the scan', ({ scan }) => scan),
  text('REQUESTED_AT', 'when the scan was asked for, RFC 3339', ({ date }) => date),
  text('SEVERITY', 'worst severity among changes that are no resolutions', severityOf),
  text('COUNTS', 'changes by transition, such as `2 opened, 1 resolved`', countsOf),
  json('COUNTS_JSON', 'changes by transition', countTransitions),
  json('OPEN_JSON', 'open findings by severity after the scan', ({ open }) => open),
  json('GAPS', 'number of facts the scan could not find out', ({ gaps }) => gaps),
  json('LABELS_JSON', 'labels of the target', ({ target }) => target.labels),
  json('CHANGES_JSON', 'all changes with their evidence', ({ changes }) => changes.map(changeEntry)),
];

/** The variables of one notification, and the operator's own custom variables, which win. */
export function variablesOf(notification: Notification, custom: ReadonlyMap<string, string>): Variables {
  const variables = new Map(NOTIFICATION_VARIABLES.map(({ name, value }) => [name, value(notification)]));
  for (const [name, value] of custom) variables.set(name, textVariable(value));
  return variables;
}

function text(name: string, meaning: string, value: (notification: Notification) => string): Definition {
  return { name, meaning, value: (notification) => textVariable(value(notification)) };
}

function json(name: string, meaning: string, value: (notification: Notification) => unknown): Definition {
  return { name, meaning, value: (notification) => jsonVariable(value(notification)) };
}

function countTransitions({ changes }: Notification): Readonly<Record<Change['transition'], number>> {
  const counts = { opened: 0, worsened: 0, reopened: 0, resolved: 0 };
  for (const { transition } of changes) counts[transition] += 1;
  return counts;
}

function countsOf(notification: Notification): string {
  const counts = Object.entries(countTransitions(notification)).filter(([, count]) => count > 0);
  return counts.map(([transition, count]) => `${count} ${transition}`).join(', ');
}

function titleOf(notification: Notification): string {
  return `${notification.target.id}: ${countsOf(notification)}`;
}

function messageOf({ changes }: Notification): string {
  const lines = changes.slice(0, MESSAGE_CHANGES).map(({ transition, finding }) => {
    const { name, version } = finding.package;
    const issue = finding.advisory === undefined ? finding.rule : finding.advisory.id;
    return `${transition} ${finding.severity}: ${name}@${version} ${issue} ${finding.title}`;
  });
  const rest = changes.length - lines.length;
  return [...lines, ...(rest > 0 ? [`… and ${rest} more`] : [])].join('\n');
}

function statusOf({ changes }: Notification): string {
  return changes.every(({ transition }) => transition === 'resolved') ? 'Recovered' : 'Triggered';
}

function severityOf({ changes }: Notification): Severity {
  const present = new Set(
    changes.flatMap(({ transition, finding }) => (transition === 'resolved' ? [] : finding.severity)),
  );
  return SEVERITIES.find((severity) => present.has(severity)) ?? 'none';
}

function isUrgent(notification: Notification): boolean {
  const severity = severityOf(notification);
  return severity === 'critical' || severity === 'high';
}

function linkOf({ changes }: Notification): string {
  return changes.find(({ finding }) => finding.advisory !== undefined)?.finding.advisory?.url ?? '';
}

function tagsOf({ target }: Notification): string {
  return Object.entries(target.labels)
    .map(([name, value]) => `${name}:${value}`)
    .join(',');
}

/** A change as receivers get it. */
function changeEntry({ transition, previousSeverity, finding }: Change): object {
  const { fingerprint, rule, severity, title, locations, advisory, advice } = finding;
  return {
    transition,
    ...(previousSeverity === undefined ? {} : { previousSeverity }),
    fingerprint,
    rule,
    severity,
    title,
    package: finding.package,
    locations,
    ...(advisory === undefined ? {} : { advisory }),
    ...(advice === undefined ? {} : { advice }),
  };
}
