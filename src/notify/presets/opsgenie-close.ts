import { messageWithin } from '../alert/message.ts';
import type { Preset } from './preset.ts';

const MAX_NOTE = 25_000;

/**
 * Alert API: closes the alerts that `opsgenie` created. Closing has its own URL, so it needs its own route.
 * https://docs.opsgenie.com/docs/alert-api#close-alert
 */
export const opsgenieClosePreset: Preset = {
  name: 'opsgenie-close',
  description: 'Opsgenie: closes the alert when its finding is resolved.',
  encodeAs: 'json',
  reminders: false,
  url: 'https://api.opsgenie.com/v2/alerts/$DEDUP_KEY/close?identifierType=alias',
  headers: { authorization: 'GenieKey $OPSGENIE_API_KEY' },
  payload: '{"source": "Lockhound", "user": "Lockhound", "note": "$OPSGENIE_NOTE"}',
  secret: { name: 'OPSGENIE_API_KEY', description: 'key of an API integration' },
  mode: 'change',
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
