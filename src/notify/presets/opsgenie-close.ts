import { messageWithin } from '../alert/truncate.ts';
import type { Preset } from './preset.ts';

const LONGEST_NOTE = 25_000;

/**
 * Alert API: closes what `opsgenie` created, which has an address of its own, hence a route of its own.
 * https://docs.opsgenie.com/docs/alert-api#close-alert
 */
export const opsgenieClosePreset: Preset = {
  name: 'opsgenie-close',
  description: 'Opsgenie: closes the alert of a finding that is resolved.',
  encodeAs: 'json',
  url: 'https://api.opsgenie.com/v2/alerts/$DEDUP_KEY/close?identifierType=alias',
  headers: { authorization: 'GenieKey $OPSGENIE_API_KEY' },
  payload: '{"source": "Lockhound", "user": "Lockhound", "note": "$OPSGENIE_NOTE"}',
  secret: { name: 'OPSGENIE_API_KEY', description: 'key of an API integration' },
  mode: 'change',
  transitions: ['resolved'],
  limits: ['25,000 characters of note'],
  variables: [
    {
      name: 'OPSGENIE_NOTE',
      description: 'A line for each change, with a count of what does not fit; at most 25,000 characters.',
      text: (alert) => messageWithin(alert, LONGEST_NOTE),
    },
  ],
};
