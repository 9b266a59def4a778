import type { Preset } from '../preset.ts';

/**
 * Lockhound's own event, version 1. Unquoted variables are whole JSON values. Receivers may rely on every field; new
 * ones may be added, a changed meaning gets a new number in `schema`.
 */
export const generic: Preset = {
  name: 'generic',
  payload: `{
  "schema": "lockhound.changes/1",
  "id": "$ID",
  "date": "$REQUESTED_AT",
  "scan": "$SCAN",
  "target": "$TARGET",
  "labels": $LABELS_JSON,
  "title": "$EVENT_TITLE",
  "text": "$EVENT_MSG",
  "severity": "$SEVERITY",
  "counts": $COUNTS_JSON,
  "open": $OPEN_JSON,
  "gaps": $GAPS,
  "changes": $CHANGES_JSON
}`,
};
