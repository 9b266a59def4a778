import type { RatedSeverity } from '../../model/scan/finding.ts';
import type { Alert } from '../alert/alert.ts';
import { lineOf, linkOf, titleOf } from '../alert/message.ts';
import { safeUrl } from '../alert/safe-url.ts';
import { worstCounted } from '../alert/summary.ts';
import { briefEvent, fitChanges, jsonBytes } from '../alert/truncate.ts';
import { truncateText } from '../alert/truncate-text.ts';
import type { Preset } from './preset.ts';

const LONGEST_SUMMARY = 1_024;
/** Of the 512 KB that an event may have. */
const DETAILS_BYTES = 400_000;

/** Events API v2. https://developer.pagerduty.com/docs/events-api-v2-overview */
export const pagerdutyPreset: Preset = {
  name: 'pagerduty',
  description: 'PagerDuty Events v2: an incident for each finding, resolved when the finding is.',
  encodeAs: 'json',
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
  limits: ['1,024 characters of summary', '512 KB an event'],
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
      description: 'JSON: the changes, up to 400,000 bytes, and how many are left out.',
      json: detailsOf,
    },
    {
      name: 'PAGERDUTY_LINKS',
      description: 'JSON: list with the link, if there is one.',
      json: (alert) => {
        const href = safeUrl(linkOf(alert));
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
  const { subject, target, test } = alert;
  if (subject === undefined) return truncateText(titleOf(alert), LONGEST_SUMMARY);
  const marked = test === true ? '[test] ' : '';
  return truncateText(`${marked}${target.id}: ${lineOf(subject)}`, LONGEST_SUMMARY);
}

function detailsOf(alert: Alert): object {
  const { target, scan, totals, open, gaps } = alert;
  const { kept, leftOut } = fitChanges(
    alert,
    (change) => briefEvent(change, target.id),
    DETAILS_BYTES,
    (event) => jsonBytes(event) + 1,
  );
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
