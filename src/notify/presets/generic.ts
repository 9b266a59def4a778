import type { Preset } from './preset.ts';

/**
 * The generic event, sent when no payload is configured. Version 1 of its schema keeps these keys and their meaning; new
 * keys may be added. `docs/webhooks.md` has an example.
 */
export const genericPreset: Preset = {
  name: 'generic',
  description:
    'One JSON event per scan: what changed, how many findings are open, how many facts are unknown.',
  encodeAs: 'json',
  payload: `{
  "schema": "lockhound.changes/1",
  "id": "$ID",
  "route": "$ROUTE",
  "test": $TEST,
  "firstScan": $FIRST_SCAN,
  "reminder": $REMINDER,
  "date": "$SCANNED_AT",
  "scan": "$SCAN",
  "target": "$TARGET",
  "labels": $LABELS_JSON,
  "severity": "$SEVERITY",
  "summary": "$SUMMARY",
  "counts": $COUNTS,
  "open": $OPEN,
  "gaps": $GAPS,
  "changes": $CHANGES_JSON,
  "leftOut": $LEFT_OUT
}`,
};
