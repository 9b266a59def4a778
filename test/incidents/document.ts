import type { Incident } from './incident.ts';
import { firstAlert, type Moment } from './replay.ts';

const MINUTE_MS = 60_000;

const HEAD = `<!-- Written by \`npm run incidents\` from the facts in \`test/incidents/cases/\`. -->

# Incidents, replayed

Would Lockhound have warned you? This page replays the facts of known incidents, and of honest releases that look like one. A target locks
each version as soon as it can, and Lockhound judges it at every moment at which the registry changed. "Before" is the time between the first
alert and the advisory, or whatever else ended the incident. An alert is one of the rules \`suspicious\` and \`vanished\`.
[Signals](../signals.md) explains the signals and the score. Times are UTC. The notes name what the sources do not confirm.
`;

interface Replayed {
  readonly incident: Incident;
  readonly moments: readonly Moment[];
}

/** The page about all incidents, in Markdown. */
export function renderIncidents(incidents: readonly Replayed[], twins: readonly Replayed[]): string {
  const found = incidents.filter(({ moments }) => firstAlert(moments) !== undefined);
  const missed = incidents.filter(({ moments }) => firstAlert(moments) === undefined);
  return [
    HEAD,
    `## Alerts: ${found.length} of ${incidents.length}\n`,
    '| incident | first alert | before | what was seen |',
    '|---|---|---|---|',
    ...found.map(foundRow),
    '',
    `## No alert: ${missed.length}\n`,
    '| incident | what was seen |',
    '|---|---|',
    ...missed.map(quietRow),
    '',
    '## Honest releases that look like an incident\n',
    'None alerts.\n',
    '| release | what was seen |',
    '|---|---|',
    ...twins.map(quietRow),
    '',
    '## Notes\n',
    ...[...incidents, ...twins].flatMap(({ incident: { title, note } }) =>
      note === undefined ? [] : [`- **${title}**: ${note}`],
    ),
    '',
  ].join('\n');
}

function foundRow({ incident, moments }: Replayed): string {
  const alert = firstAlert(moments);
  if (alert === undefined) return '';
  const { known, title } = incident;
  const before = known === undefined ? 'not known' : `${spanOf(alert.at, known.at)} (${known.by})`;
  const seen = `${alert.finding.severity}: ${alert.finding.title}`;
  return `| ${title} | ${alert.at.slice(0, 19).replace('T', ' ')} | ${before} | ${cell(seen)} |`;
}

function quietRow({ incident, moments }: Replayed): string {
  const notes = moments.at(0)?.findings.map(({ rule, title }) => `note \`${rule}\`: ${title}`) ?? [];
  return `| ${incident.title} | ${cell(notes.join('; ') || 'nothing')} |`;
}

function spanOf(from: string, to: string): string {
  const minutes = Math.round((Date.parse(to) - Date.parse(from)) / MINUTE_MS);
  if (minutes < 120) return `${minutes} minutes`;
  return minutes < 2_880
    ? `${Math.floor(minutes / 60)} h ${minutes % 60} min`
    : `${Math.floor(minutes / 1_440)} days`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
