import type { Alert } from '../alert/alert.ts';
import { linkOf, titleOf } from '../alert/message.ts';
import { safeUrl } from '../alert/safe-url.ts';
import { worstSeverity } from '../alert/summary.ts';
import { briefEvent, fitChanges, jsonBytes } from '../alert/truncate.ts';
import { truncateText } from '../alert/truncate-text.ts';
import type { Preset } from './preset.ts';

/** Of the 64 KB that `client_payload` may have. */
const PAYLOAD_BYTES = 60_000;
const LONGEST_SUMMARY = 1_000;

/**
 * `repository_dispatch`: starts workflows that listen for the event type `lockhound.changes`. `client_payload` has the ten
 * keys that are allowed. https://docs.github.com/rest/repos/repos#create-a-repository-dispatch-event
 */
export const githubRepositoryDispatchPreset: Preset = {
  name: 'github-repository-dispatch',
  description: 'GitHub: a `repository_dispatch` event that workflows can act on.',
  encodeAs: 'json',
  headers: {
    accept: 'application/vnd.github+json',
    authorization: 'Bearer $GITHUB_TOKEN',
    'x-github-api-version': '2022-11-28',
  },
  payload: '{"event_type": "$EVENT_TYPE", "client_payload": $GITHUB_CLIENT_PAYLOAD}',
  secret: { name: 'GITHUB_TOKEN', description: 'token with write access to the contents of the repository' },
  limits: ['100 characters of `event_type`', '10 keys and 64 KB of `client_payload`'],
  variables: [
    {
      name: 'GITHUB_CLIENT_PAYLOAD',
      description: 'JSON: the generic event in ten keys and 60,000 bytes, with a count of what does not fit.',
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
    summary: truncateText(titleOf(alert), LONGEST_SUMMARY),
    counts: totals.counts,
  };
  const link = safeUrl(linkOf(alert)) ?? null;
  const frame = jsonBytes({ ...head, changes: [], more: { leftOut: totals.changes, link } });
  const { kept, leftOut } = fitChanges(
    alert,
    (change) => briefEvent(change, target.id),
    PAYLOAD_BYTES - frame,
    (event) => jsonBytes(event) + 1,
  );
  return { ...head, changes: kept, more: { leftOut, link } };
}
