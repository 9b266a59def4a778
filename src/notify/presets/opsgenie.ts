import type { Alert } from '../alert/alert.ts';
import { detailsUrl } from '../alert/links.ts';
import { messageWithin, testMark, titleOf } from '../alert/message.ts';
import { tagsOf } from '../alert/summary.ts';
import { truncateText } from '../alert/truncate.ts';
import type { Preset } from './preset.ts';

const MAX_MESSAGE = 130;
const MAX_DESCRIPTION = 15_000;
const MAX_DETAIL = 1_000;
const MAX_TAG = 50;
const MAX_TAGS = 20;
const MAX_ENTITY = 512;

/** Alert API: creates alerts. `opsgenie-close` closes them. https://docs.opsgenie.com/docs/alert-api */
export const opsgeniePreset: Preset = {
  name: 'opsgenie',
  description: 'Opsgenie: one alert for each finding that opens, worsens or reopens.',
  encodeAs: 'json',
  reminders: false,
  url: 'https://api.opsgenie.com/v2/alerts',
  headers: { authorization: 'GenieKey $OPSGENIE_API_KEY' },
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
  secret: { name: 'OPSGENIE_API_KEY', description: 'key of an API integration' },
  mode: 'change',
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
