import { SEVERITIES } from '../../model/scan/severity.ts';
import { actionOf, dedupKeyOf, worstSeverity } from '../alert/alert.ts';
import { briefEvent, changeEvent } from '../alert/change-event.ts';
import { linesOf, titleOf } from '../alert/message.ts';
import type { AlertVariable } from '../presets/preset.ts';

/** The variables that Lockhound adds to the platform's, in the order of the documentation. */
export const LOCKHOUND_VARIABLES: readonly AlertVariable[] = [
  { name: 'TARGET', description: 'Id of the target.', text: ({ target }) => target.id },
  {
    name: 'ROUTE',
    description: 'Name of the route; `default` when no routes are configured.',
    text: ({ route }) => route,
  },
  {
    name: 'MODE',
    description:
      '`digest` (one scan), `change` (one change), `periodic` (many scans) or `advisory` (one issue, all targets).',
    text: ({ mode }) => mode ?? 'digest',
  },
  {
    name: 'TEST',
    description: 'JSON: `true` for `lockhound webhook test`, otherwise `false`.',
    json: ({ test }) => test === true,
  },
  {
    name: 'FIRST_SCAN',
    description: "JSON: `true` for the summary of a target's first scan (`notify.firstScan`), else `false`.",
    json: ({ firstScan }) => firstScan === 'opened',
  },
  {
    name: 'REMINDER',
    description:
      'JSON: `true` for a digest of findings that are still open (`notify.remindAfter`), else `false`.',
    json: ({ reminder }) => reminder === true,
  },
  { name: 'SCAN', description: 'Id of the scan.', text: ({ scan }) => scan },
  { name: 'SCANNED_AT', description: 'Time of the scan, RFC 3339.', text: ({ date }) => date },
  {
    name: 'SEVERITY',
    description: `Severity of the worst change: ${SEVERITIES.join(', ')}.`,
    text: worstSeverity,
  },
  { name: 'SUMMARY', description: 'The same as EVENT_TITLE.', text: titleOf },
  {
    name: 'COUNTS',
    description:
      'JSON: number of changes by transition (`opened`, `worsened`, `reopened`, `disputed`, `suppressed`, `resolved`).',
    json: ({ totals }) => totals.counts,
  },
  { name: 'OPEN', description: 'JSON: open findings of the target by severity.', json: ({ open }) => open },
  {
    name: 'GAPS',
    description: 'JSON: number of facts that the scan could not determine.',
    json: ({ gaps }) => gaps,
  },
  {
    name: 'CHANGES',
    description: 'One line of text per change; when not all fit, the worst ones and a count.',
    text: linesOf,
  },
  {
    name: 'CHANGES_JSON',
    description: 'JSON: list of the changes as in the generic event; when not all fit, the worst ones.',
    json: ({ changes, target, brief }) =>
      changes.map((change) => (brief ? briefEvent : changeEvent)(change, target.id)),
  },
  {
    name: 'LEFT_OUT',
    description: 'JSON: number of changes left out of CHANGES and CHANGES_JSON.',
    json: ({ leftOut }) => leftOut,
  },
  { name: 'LABELS_JSON', description: "JSON: the target's labels.", json: ({ target }) => target.labels },
  {
    name: 'DEDUP_KEY',
    description: 'Key for grouping alerts: of the finding (mode `change`) or of the target.',
    text: dedupKeyOf,
  },
  {
    name: 'EVENT_ACTION',
    description: '`resolve` when the finding is resolved or nothing is open; otherwise `trigger`.',
    text: actionOf,
  },
];
