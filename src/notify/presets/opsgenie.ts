import { type Alert, detailsUrl, tagsOf, truncateText } from '../alert/alert.ts';
import { messageWithin, testMark, titleOf } from '../alert/message.ts';
import type { Preset } from './preset.ts';

const MAX_MESSAGE = 130;
const MAX_DESCRIPTION = 15_000;
const MAX_NOTE = 25_000;
const MAX_DETAIL = 1_000;
const MAX_TAG = 50;
const MAX_TAGS = 20;
const MAX_ENTITY = 512;

/** The fields that both presets have. */
const SHARED = {
  encodeAs: 'json',
  reminders: false,
  headers: { authorization: 'GenieKey $OPSGENIE_API_KEY' },
  secret: { name: 'OPSGENIE_API_KEY', description: 'key of an API integration' },
  mode: 'change',
} as const satisfies Partial<Preset>;

/** Alert API: creates alerts. `opsgenie-close` closes them. https://docs.opsgenie.com/docs/alert-api */
export const opsgeniePreset: Preset = {
  ...SHARED,
  name: 'opsgenie',
  description: 'Opsgenie: one alert for each finding that opens, worsens or reopens.',
  url: 'https://api.opsgenie.com/v2/alerts',
  payload: `{
  "message": "$OPSGENIE_MESSAGE",
  "alias": "$DEDUP_KEY",
  "description": "$OPSGENIE_DESCRIPTION",
  "priority": "$ALERT_PRIORITY",
  "entity": "$OPSGENIE_ENTITY",
  "source": "Lockhound",
  "tags": $OPSGENIE_TAGS,
  "details": $OPSGENIE_DETAILS
}`,
  transitions: ['opened', 'worsened', 'reopened'],
  limits: ['message: 130 characters', 'description: 15,000', '20 tags of 50 characters', 'details: 8,000'],
  variables: [
    {
      name: 'OPSGENIE_MESSAGE',
      description: 'The headline; at most 130 characters.',
      text: (alert) => truncateText(headline(alert), MAX_MESSAGE),
    },
    {
      name: 'OPSGENIE_DESCRIPTION',
      description: 'One line per change and a count of those left out; at most 15,000 characters.',
      text: (alert) => messageWithin(alert, MAX_DESCRIPTION),
    },
    {
      name: 'OPSGENIE_ENTITY',
      description: 'The target; at most 512 characters.',
      text: ({ target }) => truncateText(target.id, MAX_ENTITY),
    },
    {
      name: 'OPSGENIE_TAGS',
      description: 'JSON: list of at most 20 tags of at most 50 characters.',
      json: (alert) =>
        tagsOf(alert)
          .slice(0, MAX_TAGS)
          .map((tag) => truncateText(tag, MAX_TAG)),
    },
    { name: 'OPSGENIE_DETAILS', description: 'JSON: scan, package, advisory, link.', json: detailsOf },
  ],
};

/**
 * Alert API: closes the alerts that `opsgenie` created. Closing has its own URL, so it needs its own route.
 * https://docs.opsgenie.com/docs/alert-api#close-alert
 */
export const opsgenieClosePreset: Preset = {
  ...SHARED,
  name: 'opsgenie-close',
  description: 'Opsgenie: closes the alert when its finding is resolved.',
  url: 'https://api.opsgenie.com/v2/alerts/$DEDUP_KEY/close?identifierType=alias',
  payload: '{"source": "Lockhound", "user": "Lockhound", "note": "$OPSGENIE_NOTE"}',
  transitions: ['resolved'],
  limits: ['note: 25,000 characters'],
  variables: [
    {
      name: 'OPSGENIE_NOTE',
      description: 'One line per change and a count of those left out; at most 25,000 characters.',
      text: (alert) => messageWithin(alert, MAX_NOTE),
    },
  ],
};

function headline(alert: Alert): string {
  if (alert.subject === undefined) return titleOf(alert);
  const { severity, title, package: of } = alert.subject.finding;
  return testMark(alert, `[${severity}] ${alert.target.id}: ${of.name}@${of.version}: ${title}`);
}

function detailsOf(alert: Alert): Readonly<Record<string, string>> {
  const finding = alert.totals.worst?.finding;
  const details = {
    scan: alert.scan,
    package: finding === undefined ? undefined : `${finding.package.name}@${finding.package.version}`,
    purl: finding?.package.purl,
    advisory: finding?.advisory?.id,
    advice: finding?.advice,
    link: detailsUrl(alert),
  };
  return Object.fromEntries(
    Object.entries(details).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, truncateText(value, MAX_DETAIL)]],
    ),
  );
}
