import type { RatedSeverity } from '../../model/scan/severity.ts';
import { type Alert, detailsUrl, truncateText, worstCounted } from '../alert/alert.ts';
import { fitEvents } from '../alert/change-event.ts';
import { testMark, titleLineOf, titleOf } from '../alert/message.ts';
import type { Preset } from './preset.ts';

const MAX_SUMMARY = 1_024;
/** An event may have 512 KB. */
const DETAILS_BYTES = 400_000;

/** Events API v2. https://developer.pagerduty.com/docs/events-api-v2-overview */
export const pagerdutyPreset: Preset = {
  name: 'pagerduty',
  description: 'PagerDuty Events v2: one incident per finding, resolved when the finding is resolved.',
  encodeAs: 'json',
  reminders: false,
  url: 'https://events.pagerduty.com/v2/enqueue',
  payload: `{
  "routing_key": "$PAGERDUTY_ROUTING_KEY",
  "event_action": "$EVENT_ACTION",
  "dedup_key": "$DEDUP_KEY",
  "client": "Lockhound",
  "links": $PAGERDUTY_LINKS,
  "payload": {
    "summary": "$PAGERDUTY_SUMMARY",
    "source": "$TARGET",
    "severity": "$PAGERDUTY_SEVERITY",
    "timestamp": "$SCANNED_AT",
    "class": "$EVENT_TYPE",
    "custom_details": $PAGERDUTY_DETAILS
  }
}`,
  secret: { name: 'PAGERDUTY_ROUTING_KEY', description: 'integration key of the service' },
  mode: 'change',
  limits: ['summary: 1,024 characters', 'event: 512 KB'],
  variables: [
    {
      name: 'PAGERDUTY_SUMMARY',
      description: 'The change, or the headline of a digest; at most 1,024 characters.',
      text: summaryOf,
    },
    {
      name: 'PAGERDUTY_SEVERITY',
      description: '`critical`, `error` (high), `warning` (medium) or `info`.',
      text: (alert) => SEVERITIES[worstCounted(alert)],
    },
    {
      name: 'PAGERDUTY_DETAILS',
      description: 'JSON: at most 400,000 bytes of changes, and a count of those left out.',
      json: detailsOf,
    },
    {
      name: 'PAGERDUTY_LINKS',
      description: 'JSON: list with the link to the details, or an empty list.',
      json: (alert) => {
        const href = detailsUrl(alert);
        return href === undefined ? [] : [{ href, text: 'Details' }];
      },
    },
  ],
};

const SEVERITIES: Readonly<Record<RatedSeverity, 'critical' | 'error' | 'warning' | 'info'>> = {
  critical: 'critical',
  high: 'error',
  medium: 'warning',
  low: 'info',
  none: 'info',
};

function summaryOf(alert: Alert): string {
  const { subject, target } = alert;
  const summary =
    subject === undefined ? titleOf(alert) : testMark(alert, `${target.id}: ${titleLineOf(subject)}`);
  return truncateText(summary, MAX_SUMMARY);
}

function detailsOf(alert: Alert): object {
  const { target, scan, totals, open, gaps } = alert;
  const { kept, leftOut } = fitEvents(alert, DETAILS_BYTES);
  return {
    scan,
    labels: target.labels,
    counts: totals.counts,
    open,
    gaps,
    changes: kept,
    left_out: leftOut,
  };
}
