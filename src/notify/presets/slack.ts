import type { NotifiedChange } from '../../model/alert/notification.ts';
import type { Alert } from '../alert/alert.ts';
import { linkOf, safeUrl } from '../alert/links.ts';
import { changeText, moreText, statusText, titleOf } from '../alert/message.ts';
import { fitChanges, truncateText } from '../alert/truncate.ts';
import type { Preset } from './preset.ts';

const MAX_TEXT = 3_000;
const MAX_HEADER = 150;
/** For all lines. The limit for all blocks of a message is not documented; it was observed just above 13,000. */
const MAX_MESSAGE = 12_000;
const MAX_TITLE = 500;
const MAX_NAME = 200;
const MAX_LINK = 1_000;

/** Incoming webhooks with Block Kit. https://docs.slack.dev/reference/block-kit/blocks */
export const slackPreset: Preset = {
  name: 'slack',
  description: 'Slack: a Block Kit message through an incoming webhook.',
  encodeAs: 'json',
  url: '$SLACK_WEBHOOK_URL',
  payload: '{"text": "$SLACK_TEXT", "blocks": $SLACK_BLOCKS}',
  secret: { name: 'SLACK_WEBHOOK_URL', description: 'URL of the incoming webhook' },
  limits: [
    'section: 3,000 characters',
    'header: 150 characters',
    '50 blocks',
    'all lines: 12,000 characters (set by Lockhound)',
  ],
  variables: [
    {
      name: 'SLACK_TEXT',
      description: 'The headline in mrkdwn, shown in notifications; at most 3,000 characters.',
      text: (alert) => truncateText(titleOf(alert), MAX_TEXT, '…', entity),
    },
    {
      name: 'SLACK_BLOCKS',
      description: 'JSON: Block Kit blocks, with a count of changes left out.',
      json: blocksOf,
    },
  ],
};

function blocksOf(alert: Alert): readonly object[] {
  const { kept, leftOut } = fitChanges(alert, lineOf, MAX_MESSAGE, (line) => line.length + 1);
  const more = leftOut === 0 ? [] : [section(`_${moreText(leftOut)}_${details(alert, ': ')}`)];
  return [
    {
      type: 'header',
      text: { type: 'plain_text', text: truncateText(titleOf(alert), MAX_HEADER), emoji: false },
    },
    ...sectionsOf(kept).map(section),
    ...more,
    { type: 'context', elements: [{ type: 'mrkdwn', text: `${statusText(alert)}${details(alert, ' · ')}` }] },
  ];
}

/** Joins lines into sections; at most seven, because two adjacent sections never fit into one. */
function sectionsOf(lines: readonly string[]): readonly string[] {
  const sections: string[] = [];
  for (const line of lines) {
    const longer = `${sections.at(-1)}\n${line}`;
    if (sections.length > 0 && longer.length <= MAX_TEXT) sections[sections.length - 1] = longer;
    else sections.push(line);
  }
  return sections;
}

function lineOf(change: NotifiedChange): string {
  const { target, transition, severity, title, facts, advisory } = changeText(change);
  const prefix = target === undefined ? '' : `${escaped(target, MAX_NAME)}: `;
  const shown = facts.map((fact) => escaped(fact, MAX_NAME)).join(', ');
  const link = linked(advisory?.url, escaped(advisory?.id ?? '', MAX_NAME));
  return `${prefix}*${transition}* ${severity}: ${escaped(title, MAX_TITLE)} (${shown}) ${link}`.trimEnd();
}

function details(alert: Alert, before: string): string {
  const link = linked(linkOf(alert), 'details');
  return link === 'details' ? '' : `${before}${link}`;
}

/** A link; only its label when there is no URL, or one too long for a line. */
function linked(url: string | undefined, label: string): string {
  const safe = [...(safeUrl(url)?.replaceAll('|', '%7C') ?? '')].map(entity).join('');
  return safe === '' || safe.length > MAX_LINK ? label : `<${safe}|${label}>`;
}

function section(text: string): object {
  return { type: 'section', text: { type: 'mrkdwn', text } };
}

function escaped(text: string, limit: number): string {
  return truncateText(text.replace(/\s+/g, ' '), limit, '…', entity);
}

/** Escapes the three control characters of mrkdwn, so that text from packages cannot mention or link. */
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
