import { atLeast, SEVERITIES, type Severity } from '../model/finding.ts';
import type { Notification } from '../model/notification.ts';
import { changeEvent } from './change-event.ts';
import {
  alarming,
  countTransitions,
  lineOf,
  summaryOf,
  tagsOf,
  worstChange,
  worstSeverity,
} from './notification-summary.ts';

/** A variable of the alert itself. Text, or (`json`) any JSON value, which stands unquoted in a template. */
export type NotificationVariable = {
  readonly name: string;
  /** One line, for the documentation. */
  readonly description: string;
} & (
  | { readonly text: (notification: Notification) => string }
  | { readonly json: (notification: Notification) => unknown }
);

/** Of the platform's own variables, those that have a meaning here: templates written for it work. */
const PLATFORM_VARIABLES: readonly NotificationVariable[] = [
  {
    name: 'ID',
    description: 'Id of the alert; the same in every attempt to deliver it.',
    text: ({ id }) => id,
  },
  { name: 'EVENT_TITLE', description: 'Headline: severity, target and what changed.', text: titleOf },
  { name: 'EVENT_MSG', description: 'The headline and one line for each change.', text: messageOf },
  { name: 'TEXT_ONLY_MSG', description: 'The same as EVENT_MSG.', text: messageOf },
  { name: 'EVENT_TYPE', description: 'Always `lockhound.changes`.', text: () => 'lockhound.changes' },
  { name: 'ALERT_ID', description: 'The same as ID.', text: ({ id }) => id },
  { name: 'ALERT_TITLE', description: 'The same as EVENT_TITLE.', text: titleOf },
  { name: 'ALERT_STATUS', description: 'What changed: `2 opened, 1 resolved`.', text: summaryOf },
  {
    name: 'ALERT_TRANSITION',
    description: '`Triggered`, or `Recovered` when findings were only resolved.',
    text: (notification) => (isRecovery(notification) ? 'Recovered' : 'Triggered'),
  },
  {
    name: 'ALERT_TYPE',
    description: '`error` (high or worse), `warning`, or `success` when findings were only resolved.',
    text: (notification) => {
      if (isRecovery(notification)) return 'success';
      return atLeast(worstSeverity(notification), 'high') ? 'error' : 'warning';
    },
  },
  {
    name: 'ALERT_PRIORITY',
    description: '`P1` (critical) to `P5`.',
    text: (notification) => PRIORITIES[worstSeverity(notification)],
  },
  {
    name: 'PRIORITY',
    description: '`normal`, or `low` when nothing alarming is medium or worse.',
    text: (notification) =>
      !isRecovery(notification) && atLeast(worstSeverity(notification), 'medium') ? 'normal' : 'low',
  },
  { name: 'DATE', description: 'Time of the scan, in milliseconds since 1970.', text: epochOf },
  { name: 'LAST_UPDATED', description: 'The same as DATE.', text: epochOf },
  {
    name: 'LINK',
    description: 'Page of the advisory behind the worst change; empty when it has none.',
    text: (notification) => worstChange(notification)?.finding.advisory?.url ?? '',
  },
  {
    name: 'TAGS',
    description: 'Target, severity and labels as `name:value`, separated by commas.',
    text: (notification) => tagsOf(notification).join(','),
  },
  {
    name: 'ORG_ID',
    description: "The target's label `org_id`, or empty.",
    text: (it) => labelOf(it, 'org_id'),
  },
  { name: 'ORG_NAME', description: "The target's label `org`, or empty.", text: (it) => labelOf(it, 'org') },
  { name: 'HOSTNAME', description: 'The target.', text: ({ target }) => target.id },
];

const OWN_VARIABLES: readonly NotificationVariable[] = [
  { name: 'TARGET', description: 'Id of the target.', text: ({ target }) => target.id },
  {
    name: 'ROUTE',
    description: 'Name of the route; `default` where none are configured.',
    text: ({ route }) => route,
  },
  {
    name: 'TEST',
    description: 'JSON: `true` for `lockhound webhook test`, otherwise `false`.',
    json: ({ test }) => test === true,
  },
  { name: 'SCAN', description: 'Id of the scan.', text: ({ scan }) => scan },
  { name: 'SCANNED_AT', description: 'Time of the scan, RFC 3339.', text: ({ date }) => date },
  { name: 'SEVERITY', description: `Of the worst change: ${SEVERITIES.join(', ')}.`, text: worstSeverity },
  { name: 'SUMMARY', description: 'The same as EVENT_TITLE.', text: titleOf },
  {
    name: 'COUNTS',
    description: 'JSON: number of changes by transition (`opened`, `worsened`, `reopened`, `resolved`).',
    json: countTransitions,
  },
  { name: 'OPEN', description: 'JSON: open findings of the target by severity.', json: ({ open }) => open },
  { name: 'GAPS', description: 'JSON number: facts that could not be found out.', json: ({ gaps }) => gaps },
  { name: 'CHANGES', description: 'One line of text for each change.', text: linesOf },
  {
    name: 'CHANGES_JSON',
    description: 'JSON: list of the changes, as in the generic event.',
    json: ({ changes }) => changes.map(changeEvent),
  },
  { name: 'LABELS_JSON', description: "JSON: the target's labels.", json: ({ target }) => target.labels },
];

/** All of them, in the order in which the documentation shows them. */
export const NOTIFICATION_VARIABLES: readonly NotificationVariable[] = [
  ...PLATFORM_VARIABLES,
  ...OWN_VARIABLES,
];

const PRIORITIES: Readonly<Record<Severity, string>> = {
  critical: 'P1',
  high: 'P2',
  medium: 'P3',
  unknown: 'P3',
  low: 'P4',
  none: 'P5',
};

function titleOf(notification: Notification): string {
  const title = `[${worstSeverity(notification)}] ${notification.target.id}: ${summaryOf(notification)}`;
  return notification.test === true ? `[test] ${title}` : title;
}

function messageOf(notification: Notification): string {
  return [titleOf(notification), linesOf(notification)].filter((part) => part !== '').join('\n');
}

function linesOf({ changes }: Notification): string {
  return changes.map(lineOf).join('\n');
}

function epochOf({ date }: Notification): string {
  const time = Date.parse(date);
  return Number.isNaN(time) ? date : String(time);
}

function isRecovery(notification: Notification): boolean {
  return alarming(notification).length === 0;
}

function labelOf({ target }: Notification, name: string): string {
  return Object.hasOwn(target.labels, name) ? (target.labels[name] ?? '') : '';
}
