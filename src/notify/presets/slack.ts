import type { NotifiedChange } from '../../model/alert/notification.ts';
import type { Alert } from '../alert/alert.ts';
import { linkOf, titleOf } from '../alert/message.ts';
import { safeUrl } from '../alert/safe-url.ts';
import { fitChanges } from '../alert/truncate.ts';
import { truncateText } from '../alert/truncate-text.ts';
import type { Preset } from './preset.ts';

const LONGEST_TEXT = 3_000;
const LONGEST_HEADER = 150;
/** Of all lines. All blocks of a message together have a limit too, which is not documented: a good 13,000. */
const LONGEST_MESSAGE = 12_000;
const LONGEST_TITLE = 500;
const LONGEST_NAME = 200;
const LONGEST_LINK = 1_000;

/** Incoming webhooks with Block Kit. https://docs.slack.dev/reference/block-kit/blocks */
export const slackPreset: Preset = {
  name: 'slack',
  description: 'Slack: a Block Kit message through an incoming webhook.',
  encodeAs: 'json',
  url: '$SLACK_WEBHOOK_URL',
  payload: '{"text": "$SLACK_TEXT", "blocks": $SLACK_BLOCKS}',
  secret: { name: 'SLACK_WEBHOOK_URL', description: 'address of the incoming webhook' },
  limits: [
    '3,000 characters a section',
    '150 characters a header',
    '50 blocks',
    '12,000 characters in all (ours)',
  ],
  variables: [
    {
      name: 'SLACK_TEXT',
      description: 'The headline in mrkdwn, for notifications; at most 3,000 characters.',
      text: (alert) => truncateText(titleOf(alert), LONGEST_TEXT, '…', entity),
    },
    {
      name: 'SLACK_BLOCKS',
      description: 'JSON: Block Kit blocks, with a count of what does not fit.',
      json: blocksOf,
    },
  ],
};

function blocksOf(alert: Alert): readonly object[] {
  const { kept, leftOut } = fitChanges(alert, lineOf, LONGEST_MESSAGE, (line) => line.length + 1);
  const more = leftOut === 0 ? [] : [section(`_and ${leftOut} more_${details(alert, ': ')}`)];
  return [
    {
      type: 'header',
      text: { type: 'plain_text', text: truncateText(titleOf(alert), LONGEST_HEADER), emoji: false },
    },
    ...sectionsOf(kept).map(section),
    ...more,
    { type: 'context', elements: [{ type: 'mrkdwn', text: contextOf(alert) }] },
  ];
}

/** Lines put together into as few texts as they fit into; at most seven, as two neighbours never fit into one. */
function sectionsOf(lines: readonly string[]): readonly string[] {
  const sections: string[] = [];
  for (const line of lines) {
    const longer = `${sections.at(-1)}\n${line}`;
    if (sections.length > 0 && longer.length <= LONGEST_TEXT) sections[sections.length - 1] = longer;
    else sections.push(line);
  }
  return sections;
}

function lineOf({ transition, finding, target }: NotifiedChange): string {
  const { name, version } = finding.package;
  const whose = target === undefined ? '' : `${escaped(target, LONGEST_NAME)}: `;
  const what = `${escaped(finding.title, LONGEST_TITLE)} (${escaped(`${name}@${version}`, LONGEST_NAME)})`;
  const advisory = finding.advisory;
  const link = linked(advisory?.url, escaped(advisory?.id ?? '', LONGEST_NAME));
  return `${whose}*${transition}* ${finding.severity}: ${what} ${link}`.trimEnd();
}

function contextOf(alert: Alert): string {
  const open = Object.entries(alert.open)
    .filter(([, count]) => count > 0)
    .map(([severity, count]) => `${count} ${severity}`);
  const parts = [`Open: ${open.join(', ') || 'nothing'}`];
  if (alert.gaps > 0) parts.push(`could not be found out: ${alert.gaps}`);
  return `${parts.join(' · ')}${details(alert, ' · ')}`;
}

function details(alert: Alert, before: string): string {
  const link = linked(linkOf(alert), 'details');
  return link === 'details' ? '' : `${before}${link}`;
}

/** A link, or its label where there is no address to link to, or one too long for a line. */
function linked(url: string | undefined, label: string): string {
  const safe = [...(safeUrl(url)?.replaceAll('|', '%7C') ?? '')].map(entity).join('');
  return safe === '' || safe.length > LONGEST_LINK ? label : `<${safe}|${label}>`;
}

function section(text: string): object {
  return { type: 'section', text: { type: 'mrkdwn', text } };
}

function escaped(text: string, limit: number): string {
  return truncateText(text.replace(/\s+/g, ' '), limit, '…', entity);
}

/** The three characters that mean something in mrkdwn; without them nobody is mentioned and nothing linked. */
function entity(codePoint: string): string {
  switch (codePoint) {
    case '&':
      return '&amp;';
    case '<':
      return '&lt;';
    case '>':
      return '&gt;';
    default:
      return codePoint;
  }
}
