import type { Alert } from '../alert/alert.ts';
import { fitEvents } from '../alert/change-event.ts';
import { detailsUrl } from '../alert/links.ts';
import { titleOf } from '../alert/message.ts';
import { worstSeverity } from '../alert/summary.ts';
import { jsonBytes, truncateText } from '../alert/truncate.ts';
import type { Preset } from './preset.ts';

/** `client_payload` may have 64 KB. */
const PAYLOAD_BYTES = 60_000;
const MAX_SUMMARY = 1_000;

/**
 * `repository_dispatch`: starts workflows that listen for the event type `lockhound.changes`. `client_payload` uses all ten
 * keys that are allowed. https://docs.github.com/rest/repos/repos#create-a-repository-dispatch-event
 */
export const githubRepositoryDispatchPreset: Preset = {
  name: 'github-repository-dispatch',
  description: 'GitHub: a `repository_dispatch` event that starts workflows.',
  encodeAs: 'json',
  headers: {
    accept: 'application/vnd.github+json',
    authorization: 'Bearer $GITHUB_TOKEN',
    'x-github-api-version': '2022-11-28',
  },
  payload: '{"event_type": "$EVENT_TYPE", "client_payload": $GITHUB_CLIENT_PAYLOAD}',
  secret: { name: 'GITHUB_TOKEN', description: 'token with write access to the contents of the repository' },
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
