import { type Alert, detailsUrl, jsonBytes, truncateText, worstSeverity } from '../alert/alert.ts';
import { fitEvents } from '../alert/change-event.ts';
import { issueAction, issueKey, issueMarkdown, issueTitle } from '../alert/issue.ts';
import { titleOf } from '../alert/message.ts';
import type { Preset } from './preset.ts';

/** The fields of both presets: each sends a `repository_dispatch` event. */
const SHARED = {
  encodeAs: 'json',
  headers: {
    accept: 'application/vnd.github+json',
    authorization: 'Bearer $GITHUB_TOKEN',
    'x-github-api-version': '2022-11-28',
  },
  secret: { name: 'GITHUB_TOKEN', description: 'token with write access to the contents of the repository' },
} as const satisfies Partial<Preset>;

/** `client_payload` may have 64 KB. */
const PAYLOAD_BYTES = 60_000;
const MAX_SUMMARY = 1_000;

/**
 * `repository_dispatch`: starts workflows that listen for the event type `lockhound.changes`. `client_payload` uses all ten
 * keys that are allowed. https://docs.github.com/rest/repos/repos#create-a-repository-dispatch-event
 */
export const githubRepositoryDispatchPreset: Preset = {
  ...SHARED,
  name: 'github-repository-dispatch',
  description: 'GitHub: a `repository_dispatch` event that starts workflows.',
  payload: '{"event_type": "$EVENT_TYPE", "client_payload": $GITHUB_CLIENT_PAYLOAD}',
  limits: ['`event_type`: 100 characters', '`client_payload`: 10 keys and 64 KB'],
  variables: [
    {
      name: 'GITHUB_CLIENT_PAYLOAD',
      description: 'JSON: the generic event in ten keys and 60,000 bytes, with a count of changes left out.',
      json: clientPayload,
    },
  ],
};

function clientPayload(alert: Alert): object {
  const { id, route, date, target, totals } = alert;
  const head = {
    schema: 'lockhound.changes/1',
    id,
    route,
    date,
    target: target.id,
    severity: worstSeverity(alert),
    summary: truncateText(titleOf(alert), MAX_SUMMARY),
    counts: totals.counts,
  };
  const link = detailsUrl(alert) ?? null;
  const frame = jsonBytes({ ...head, changes: [], more: { leftOut: totals.changes, link } });
  const { kept, leftOut } = fitEvents(alert, PAYLOAD_BYTES - frame);
  return { ...head, changes: kept, more: { leftOut, link } };
}

const MAX_TITLE = 240;
/** An issue may have 65,536 characters, `client_payload` 64 KB of UTF-8. */
const MAX_BODY = 20_000;

/**
 * Issues in GitHub. Commenting and closing need the number of an issue, which one request cannot look up: the preset starts a workflow
 * (`examples/github-issue.yaml`) that creates, comments, reopens and closes.
 * https://docs.github.com/rest/repos/repos#create-a-repository-dispatch-event
 */
export const githubIssuePreset: Preset = {
  ...SHARED,
  name: 'github-issue',
  description: 'GitHub: one issue for each finding, commented and closed by a workflow of the repository.',
  reminders: false,
  payload: '{"event_type": "lockhound.issue", "client_payload": $GITHUB_ISSUE}',
  mode: 'change',
  limits: ['`client_payload`: 10 keys and 64 KB', 'title: 256 characters'],
  variables: [
    {
      name: 'GITHUB_ISSUE',
      description:
        'JSON: `action` (`open`, `comment`, `close`), `key`, `title`, `body`, `labels` of an issue.',
      json: issueOf,
    },
  ],
};

function issueOf(alert: Alert): object {
  return {
    action: issueAction(alert),
    key: issueKey(alert),
    title: issueTitle(alert, MAX_TITLE),
    body: issueMarkdown(alert, MAX_BODY),
    labels: ['lockhound', `severity:${worstSeverity(alert)}`],
  };
}
