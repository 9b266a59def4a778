import { type Alert, linkOf, safeUrl, truncateText, withoutMentions } from '../alert/alert.ts';
import { type ChangeText, moreText, notesOf, statusText, titleOf } from '../alert/message.ts';
import { type PackageGroup, packageGroups, whereOf } from '../alert/package-groups.ts';
import type { Preset } from './preset.ts';

const MAX_TEXT = 3_000;
const MAX_HEADER = 150;
/** The most characters of all lines. The limit for all blocks of a message is not documented; it was observed just above 13,000. */
const MAX_MESSAGE = 12_000;
const MAX_TITLE = 500;
const MAX_NAME = 200;
const MAX_LINK = 1_000;

/** Incoming webhooks with Block Kit. https://docs.slack.dev/reference/block-kit/blocks */
export const slackPreset: Preset = {
  name: 'slack',
  description: 'Slack and Mattermost: a Block Kit message through an incoming webhook.',
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
      description: 'The alert as text, shown in notifications and by Mattermost; at most 3,000 characters.',
      text: plainText,
    },
    {
      name: 'SLACK_BLOCKS',
      description: 'JSON: Block Kit blocks, with a count of changes left out.',
      json: blocksOf,
    },
  ],
};

/** Mattermost has neither blocks nor `*bold*`, and turns every `@name` into a mention. */
function plainText(alert: Alert): string {
  const title = withoutMentions(truncateText(titleOf(alert), MAX_HEADER, '…', entity));
  // The longest it can get: the count only shrinks.
  const tail = moreText(alert.totals.changes).length + 1;
  const { groups, leftOut } = packageGroups(
    alert,
    MAX_TEXT - title.length - tail,
    (group) => plainLinesOf(group).join('\n').length + 1,
  );
  const more = leftOut === 0 ? [] : [moreText(leftOut)];
  return [title, ...groups.flatMap(plainLinesOf), ...more].join('\n');
}

function plainLinesOf(group: PackageGroup): readonly string[] {
  return linesOf(group).map((line) =>
    withoutMentions(line.replaceAll(/(?<=^|[ •:])[*_](?=\S)|(?<=\S)[*_](?= |$|:)/g, '')),
  );
}

function blocksOf(alert: Alert): readonly object[] {
  const { groups, leftOut } = packageGroups(
    alert,
    MAX_MESSAGE,
    (group) => linesOf(group).join('\n').length + 2,
  );
  const more = leftOut === 0 ? [] : [section(`_${moreText(leftOut)}_${details(alert, ': ')}`)];
  return [
    {
      type: 'header',
      text: { type: 'plain_text', text: truncateText(titleOf(alert), MAX_HEADER), emoji: false },
    },
    ...sectionsOf(groups).map(section),
    ...more,
    { type: 'context', elements: [{ type: 'mrkdwn', text: `${statusText(alert)}${details(alert, ' · ')}` }] },
  ];
}

/** Groups in as few sections as possible, and with an empty line between them. A long group continues in the next section. */
function sectionsOf(groups: readonly PackageGroup[]): readonly string[] {
  const sections: string[] = [];
  for (const group of groups) {
    for (const [index, line] of linesOf(group).entries()) {
      const last = sections.at(-1);
      const longer = `${last}\n${index === 0 ? '\n' : ''}${line}`;
      if (last !== undefined && longer.length <= MAX_TEXT) sections[sections.length - 1] = longer;
      else sections.push(line);
    }
  }
  return sections;
}

/** The package with its place, a line for each change with the reason of its priority, then what to do. */
function linesOf(group: PackageGroup): readonly string[] {
  const { target, name, todo, changes } = group;
  const prefix = target === undefined ? '' : `${escaped(target, MAX_NAME)}: `;
  const where = whereOf(group)
    .map((part) => escaped(part, MAX_NAME))
    .join(' · ');
  return [
    `${prefix}*${escaped(name, MAX_NAME)}*${where === '' ? '' : ` · ${where}`}`,
    ...changes.flatMap(changeLines),
    ...(todo === undefined ? [] : [`→ ${escaped(todo, MAX_TITLE)}`]),
  ];
}

function changeLines(change: ChangeText): readonly string[] {
  const { transition, severity, title, advisory } = change;
  const link = linked(advisory?.url, escaped(advisory?.id ?? '', MAX_NAME));
  const rest = notesOf(change).map((part) => escaped(part, MAX_TITLE));
  return [
    `• *${transition}* ${severity}: ${escaped(title, MAX_TITLE)} ${link}`.trimEnd(),
    ...(rest.length === 0 ? [] : [`   _${rest.join(' · ').replaceAll('_', ' ')}_`]),
  ];
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
