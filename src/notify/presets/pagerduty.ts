import type { Severity } from '../../model/finding.ts';
import type { Notification } from '../../model/notification.ts';
import { cutText } from '../cut-text.ts';
import { lineOf, linkOf, titleOf } from '../notification-message.ts';
import { countTransitions, worstSeverity } from '../notification-summary.ts';
import type { Preset } from '../preset.ts';
import { briefEvent, fitItems, jsonBytes, safeUrl } from '../within-limits.ts';

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
      description: '`critical`, `error` (high), `warning` (medium, unknown) or `info`.',
      text: (notification) => SEVERITIES[worstSeverity(notification)],
    },
    {
      name: 'PAGERDUTY_DETAILS',
      description: 'JSON: the changes, up to 400,000 bytes, and how many are left out.',
      json: detailsOf,
    },
    {
      name: 'PAGERDUTY_LINKS',
      description: 'JSON: list with the link, if there is one.',
      json: (notification) => {
        const href = safeUrl(linkOf(notification));
        return href === undefined ? [] : [{ href, text: 'Details' }];
      },
    },
  ],
};

const SEVERITIES: Readonly<Record<Severity, 'critical' | 'error' | 'warning' | 'info'>> = {
  critical: 'critical',
  high: 'error',
  medium: 'warning',
  unknown: 'warning',
  low: 'info',
  none: 'info',
};

function summaryOf(notification: Notification): string {
  const { mode, changes, target, test } = notification;
  const [change] = changes;
  if (mode !== 'change' || change === undefined) return cutText(titleOf(notification), LONGEST_SUMMARY);
  const marked = test === true ? '[test] ' : '';
  return cutText(`${marked}${target.id}: ${lineOf(change)}`, LONGEST_SUMMARY);
}

function detailsOf(notification: Notification): object {
  const { target, scan, changes, open, gaps } = notification;
  const events = changes.map((change) => briefEvent(change, target.id));
  const { kept, leftOut } = fitItems(events, DETAILS_BYTES, (event) => jsonBytes(event) + 1);
  return {
    scan,
    labels: target.labels,
    counts: countTransitions(notification),
    open,
    gaps,
    changes: kept,
    left_out: leftOut,
  };
}
