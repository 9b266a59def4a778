import type { Notification } from '../../model/notification.ts';
import { cutText } from '../cut-text.ts';
import { linkOf, titleOf } from '../notification-message.ts';
import { countTransitions, worstSeverity } from '../notification-summary.ts';
import type { Preset } from '../preset.ts';
import { briefEvent, fitItems, jsonBytes, safeUrl } from '../within-limits.ts';

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

function clientPayload(notification: Notification): object {
  const { id, route, date, target, changes } = notification;
  const head = {
    schema: 'lockhound.changes/1',
    id,
    route,
    date,
    target: target.id,
    severity: worstSeverity(notification),
    summary: cutText(titleOf(notification), LONGEST_SUMMARY),
    counts: countTransitions(notification),
  };
  const link = safeUrl(linkOf(notification)) ?? null;
  const events = changes.map((change) => briefEvent(change, target.id));
  const frame = jsonBytes({ ...head, changes: [], more: { leftOut: events.length, link } });
  const { kept, leftOut } = fitItems(events, PAYLOAD_BYTES - frame, (event) => jsonBytes(event) + 1);
  return { ...head, changes: kept, more: { leftOut, link } };
}
