/**
 * What the platform sends, and reads back, where the payload is null (field notes, "Webhook-integration API"). Compared by
 * meaning: its spacing is the platform's affair.
 */
export const DEFAULT_PAYLOAD = JSON.stringify({
  body: '$EVENT_MSG',
  last_updated: '$LAST_UPDATED',
  event_type: '$EVENT_TYPE',
  title: '$EVENT_TITLE',
  date: '$DATE',
  org: { id: '$ORG_ID', name: '$ORG_NAME' },
  id: '$ID',
});
