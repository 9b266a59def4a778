import { SEVERITIES } from '../../model/scan/finding.ts';
import { changeEvent } from '../alert/change-event.ts';
import { actionOf, dedupKeyOf, linesOf, titleOf } from '../alert/message.ts';
import { worstSeverity } from '../alert/summary.ts';
import { briefEvent } from '../alert/truncate.ts';
import type { NotificationVariable } from './alert-variable.ts';

/** The variables of the alert that are not the platform's, in the order in which the documentation shows them. */
export const OWN_VARIABLES: readonly NotificationVariable[] = [
  { name: 'TARGET', description: 'Id of the target.', text: ({ target }) => target.id },
  {
    name: 'ROUTE',
    description: 'Name of the route; `default` where none are configured.',
    text: ({ route }) => route,
  },
  {
    name: 'MODE',
    description: '`digest` (of one scan), `change` (one change) or `periodic` (of many scans).',
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
  { name: 'SCAN', description: 'Id of the scan.', text: ({ scan }) => scan },
  { name: 'SCANNED_AT', description: 'Time of the scan, RFC 3339.', text: ({ date }) => date },
  { name: 'SEVERITY', description: `Of the worst change: ${SEVERITIES.join(', ')}.`, text: worstSeverity },
  { name: 'SUMMARY', description: 'The same as EVENT_TITLE.', text: titleOf },
  {
    name: 'COUNTS',
    description: 'JSON: number of changes by transition (`opened`, `worsened`, `reopened`, `resolved`).',
    json: ({ totals }) => totals.counts,
  },
  { name: 'OPEN', description: 'JSON: open findings of the target by severity.', json: ({ open }) => open },
  { name: 'GAPS', description: 'JSON number: facts that could not be found out.', json: ({ gaps }) => gaps },
  {
    name: 'CHANGES',
    description: 'One line of text for each change, the worst ones and a count where not all fit.',
    text: linesOf,
  },
  {
    name: 'CHANGES_JSON',
    description: 'JSON: list of the changes as in the generic event, the worst ones where not all fit.',
    json: ({ changes, target, brief }) =>
      changes.map((change) => (brief ? briefEvent : changeEvent)(change, target.id)),
  },
  {
    name: 'LEFT_OUT',
    description: 'JSON number: changes that are counted, and not in CHANGES and CHANGES_JSON.',
    json: ({ leftOut }) => leftOut,
  },
  { name: 'LABELS_JSON', description: "JSON: the target's labels.", json: ({ target }) => target.labels },
  {
    name: 'DEDUP_KEY',
    description: 'Ties alerts about the same together: of the finding (mode `change`) or of the target.',
    text: dedupKeyOf,
  },
  {
    name: 'EVENT_ACTION',
    description: '`resolve` when a change is a resolution, or nothing is open any more; else `trigger`.',
    text: actionOf,
  },
];
