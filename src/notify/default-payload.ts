/** What the platform sends when a definition has no payload, and what a null payload reads back as (field notes). */
export const DEFAULT_PAYLOAD: string = JSON.stringify({
  body: '$EVENT_MSG',
  last_updated: '$LAST_UPDATED',
  event_type: '$EVENT_TYPE',
  title: '$EVENT_TITLE',
  date: '$DATE',
  org: { id: '$ORG_ID', name: '$ORG_NAME' },
  id: '$ID',
});
