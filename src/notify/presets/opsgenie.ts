import type { Alert } from '../alert/alert.ts';
import { linkOf, titleOf } from '../alert/message.ts';
import { safeUrl } from '../alert/safe-url.ts';
import { tagsOf } from '../alert/summary.ts';
import { messageWithin } from '../alert/truncate.ts';
import { truncateText } from '../alert/truncate-text.ts';
import type { Preset } from './preset.ts';

const LONGEST_MESSAGE = 130;
const LONGEST_DESCRIPTION = 15_000;
const LONGEST_DETAIL = 1_000;
const LONGEST_TAG = 50;
const MOST_TAGS = 20;
const LONGEST_ENTITY = 512;

/** Alert API: creates alerts. `opsgenie-close` closes them. https://docs.opsgenie.com/docs/alert-api */
export const opsgeniePreset: Preset = {
  name: 'opsgenie',
  description: 'Opsgenie: an alert for each finding that opens, worsens or returns.',
  encodeAs: 'json',
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
  limits: ['130 characters of message', '15,000 of description', '20 tags of 50', '8,000 of details'],
  variables: [
    {
      name: 'OPSGENIE_MESSAGE',
      description: 'The headline; at most 130 characters.',
      text: (alert) => truncateText(headline(alert), LONGEST_MESSAGE),
    },
    {
      name: 'OPSGENIE_DESCRIPTION',
      description: 'A line for each change, with a count of what does not fit; at most 15,000 characters.',
      text: (alert) => messageWithin(alert, LONGEST_DESCRIPTION),
    },
    {
      name: 'OPSGENIE_ENTITY',
      description: 'The target; at most 512 characters.',
      text: ({ target }) => truncateText(target.id, LONGEST_ENTITY),
    },
    {
      name: 'OPSGENIE_TAGS',
      description: 'JSON: list of at most 20 tags of 50 characters.',
      json: (alert) =>
        tagsOf(alert)
          .slice(0, MOST_TAGS)
          .map((tag) => truncateText(tag, LONGEST_TAG)),
    },
    { name: 'OPSGENIE_DETAILS', description: 'JSON: scan, package, advisory, link.', json: detailsOf },
  ],
};

function headline(alert: Alert): string {
  if (alert.subject === undefined) return titleOf(alert);
  const { severity, title, package: of } = alert.subject.finding;
  const marked = alert.test === true ? '[test] ' : '';
  return `${marked}[${severity}] ${alert.target.id}: ${of.name}@${of.version}: ${title}`;
}

function detailsOf(alert: Alert): Readonly<Record<string, string>> {
  const finding = alert.totals.worst?.finding;
  const details = {
    scan: alert.scan,
    package: finding === undefined ? undefined : `${finding.package.name}@${finding.package.version}`,
    purl: finding?.package.purl,
    advisory: finding?.advisory?.id,
    advice: finding?.advice,
    link: safeUrl(linkOf(alert)),
  };
  return Object.fromEntries(
    Object.entries(details).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, truncateText(value, LONGEST_DETAIL)]],
    ),
  );
}
