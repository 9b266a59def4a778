import { atLeast } from '../../model/scan/severity.ts';
import {
  type Alert,
  dedupKeyOf,
  isRecovery,
  linkOf,
  priorityOf,
  summaryOf,
  tagsOf,
  worstCounted,
} from '../alert/alert.ts';
import { messageOf, titleOf } from '../alert/message.ts';
import type { AlertVariable } from '../presets/preset.ts';

/** The platform's variables that have a meaning here, so that templates written for it work. */
const SUPPORTED: readonly AlertVariable[] = [
  {
    name: 'ID',
    description: 'Id of the alert; the same in every delivery attempt.',
    text: ({ id }) => id,
  },
  { name: 'EVENT_TITLE', description: 'Headline: severity, target and number of changes.', text: titleOf },
  { name: 'EVENT_MSG', description: 'The headline and one line for each change.', text: messageOf },
  { name: 'TEXT_ONLY_MSG', description: 'The same as EVENT_MSG.', text: messageOf },
  { name: 'EVENT_TYPE', description: 'Always `lockhound.changes`.', text: () => 'lockhound.changes' },
  { name: 'ALERT_ID', description: 'The same as ID.', text: ({ id }) => id },
  { name: 'ALERT_TITLE', description: 'The same as EVENT_TITLE.', text: titleOf },
  { name: 'ALERT_STATUS', description: 'Number of changes: `2 opened, 1 resolved`.', text: summaryOf },
  {
    name: 'ALERT_TRANSITION',
    description: '`Triggered`, or `Recovered` when all changes are resolutions.',
    text: (alert) => (isRecovery(alert) ? 'Recovered' : 'Triggered'),
  },
  {
    name: 'ALERT_TYPE',
    description: '`error` (high or worse), `warning`, or `success` when all changes are resolutions.',
    text: alertTypeOf,
  },
  { name: 'ALERT_PRIORITY', description: '`P1` (critical) to `P5`.', text: priorityOf },
  { name: 'ALERT_SCOPE', description: 'The same as TAGS.', text: (alert) => tagsOf(alert).join(',') },
  { name: 'ALERT_CYCLE_KEY', description: 'The same as DEDUP_KEY.', text: dedupKeyOf },
  { name: 'AGGREG_KEY', description: 'The same as DEDUP_KEY.', text: dedupKeyOf },
  {
    name: 'PRIORITY',
    description: '`normal`, or `low` when no unresolved change is medium or worse.',
    text: (alert) => (!isRecovery(alert) && atLeast(worstCounted(alert), 'medium') ? 'normal' : 'low'),
  },
  { name: 'DATE', description: 'Time of the scan, in milliseconds since 1970.', text: epochOf },
  { name: 'LAST_UPDATED', description: 'The same as DATE.', text: epochOf },
  {
    name: 'LINK',
    description: '`notify.link`, else the page of the advisory of the worst change; may be empty.',
    text: linkOf,
  },
  {
    name: 'TAGS',
    description:
      'Target, severity and labels as `name:value`, separated by commas; `$TAGS[team]` is one value.',
    text: (alert) => tagsOf(alert).join(','),
  },
  {
    name: 'ORG_ID',
    description: "The target's label `org_id`, or empty.",
    text: (alert) => labelOf(alert, 'org_id'),
  },
  {
    name: 'ORG_NAME',
    description: "The target's label `org`, or empty.",
    text: (alert) => labelOf(alert, 'org'),
  },
  { name: 'HOSTNAME', description: 'The target.', text: ({ target }) => target.id },
  { name: 'USER', description: 'Always `lockhound`.', text: () => 'lockhound' },
  { name: 'USERNAME', description: 'Always `lockhound`.', text: () => 'lockhound' },
];

/** The platform's other variables: empty here, so that templates that use them still work. */
const EMPTY = [
  ...['ALERT_METRIC', 'ALERT_QUERY', 'EMAIL', 'LOGS_SAMPLE', 'METRIC_NAMESPACE', 'SNAPSHOT'],
  ...['INCIDENT_ATTACHMENTS', 'INCIDENT_COMMANDER', 'INCIDENT_CREATED', 'INCIDENT_CUSTOMER_IMPACT'],
  ...['INCIDENT_FIELDS', 'INCIDENT_INTEGRATIONS', 'INCIDENT_MSG', 'INCIDENT_PUBLIC_ID', 'INCIDENT_SEVERITY'],
  ...['INCIDENT_STATUS', 'INCIDENT_TITLE', 'INCIDENT_TODOS', 'INCIDENT_URL', 'INCIDENT_UUID'],
  ...['SECURITY_RULE_GROUP_BY_FIELDS', 'SECURITY_RULE_ID', 'SECURITY_RULE_MATCHED_QUERIES'],
  ...['SECURITY_RULE_NAME', 'SECURITY_RULE_TYPE', 'SECURITY_SIGNAL_ATTRIBUTES', 'SECURITY_SIGNAL_ID'],
  ...['SECURITY_SIGNAL_MSG', 'SECURITY_SIGNAL_SEVERITY', 'SECURITY_SIGNAL_TITLE'],
  ...['SYNTHETICS_FIRST_FAILING_STEP_NAME', 'SYNTHETICS_SUMMARY', 'SYNTHETICS_TEST_NAME'],
];

export const PLATFORM_VARIABLES: readonly AlertVariable[] = [
  ...SUPPORTED,
  ...EMPTY.map((name) => ({
    name,
    description: 'Empty: not supported here.',
    text: () => '',
  })),
];

/** `$TAGS[name]`: the value of one tag, or empty. */
export function tagOf(alert: Alert, name: string): string {
  const tag = tagsOf(alert).find((one) => one.startsWith(`${name}:`));
  return tag?.slice(name.length + 1) ?? '';
}

function alertTypeOf(alert: Alert): string {
  if (isRecovery(alert)) return 'success';
  return atLeast(worstCounted(alert), 'high') ? 'error' : 'warning';
}

function epochOf({ date }: Alert): string {
  const time = Date.parse(date);
  return Number.isNaN(time) ? date : String(time);
}

function labelOf({ target }: Alert, name: string): string {
  return Object.hasOwn(target.labels, name) ? (target.labels[name] ?? '') : '';
}
