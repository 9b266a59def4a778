import type { RatedSeverity } from '../../model/scan/severity.ts';
import { endsAlert } from '../../model/scan/transition.ts';
import { type Alert, detailsUrl, jsonBytes, safeUrl, truncateText } from '../alert/alert.ts';
import { type ChangeText, leftOutText, notesOf, statusText, titleOf } from '../alert/message.ts';
import { type PackageGroup, packageGroups, whereOf } from '../alert/package-groups.ts';
import type { Preset } from './preset.ts';

/** A message may have 28 KB; the rest is for what surrounds the card. */
const CARD_BYTES = 27_000;
const MAX_TITLE = 300;
const MAX_TEXT = 500;

/** An Adaptive Card for a Workflows webhook. https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors */
export const microsoftTeamsPreset: Preset = {
  name: 'microsoft-teams',
  description: 'Microsoft Teams: an Adaptive Card through a Workflows webhook.',
  encodeAs: 'json',
  url: '$TEAMS_WEBHOOK_URL',
  payload: `{
  "type": "message",
  "attachments": [
    {
      "contentType": "application/vnd.microsoft.card.adaptive",
      "contentUrl": null,
      "content": $TEAMS_CARD
    }
  ]
}`,
  secret: { name: 'TEAMS_WEBHOOK_URL', description: 'URL of the workflow' },
  limits: ['message: 28 KB'],
  variables: [
    {
      name: 'TEAMS_CARD',
      description: 'JSON: an Adaptive Card of at most 27,000 bytes, with a count of changes left out.',
      json: cardOf,
    },
  ],
};

function cardOf(alert: Alert): object {
  const title = truncateText(titleOf(alert), MAX_TITLE);
  const link = detailsUrl(alert);
  const head = [run(title, { size: 'Large', weight: 'Bolder' })];
  const frame = card(head, [...moreOf(alert.totals.changes, alert), footOf(alert)], link);
  const { groups, leftOut } = packageGroups(alert, CARD_BYTES - jsonBytes(frame), (group) =>
    blocksOf(group).reduce((bytes, one) => bytes + jsonBytes(one) + 1, 0),
  );
  return card(head, [...groups.flatMap(blocksOf), ...moreOf(leftOut, alert), footOf(alert)], link);
}

function card(head: readonly object[], body: readonly object[], link: string | undefined): object {
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [block(head), ...body],
    actions: link === undefined ? undefined : [{ type: 'Action.OpenUrl', title: 'Details', url: link }],
    msteams: { width: 'Full' },
  };
}

const COLOURS: Readonly<Record<RatedSeverity, string>> = {
  critical: 'Attention',
  high: 'Attention',
  medium: 'Warning',
  low: 'Default',
  none: 'Default',
};

/** The package with its place, a block for each change with the reason of its priority, then what to do. */
function blocksOf(group: PackageGroup): readonly object[] {
  const { target, name, todo, changes } = group;
  const prefix = target === undefined ? '' : `${truncateText(target, MAX_TITLE)}: `;
  const where = whereOf(group)
    .map((part) => truncateText(part, MAX_TITLE))
    .join(' · ');
  return [
    block([
      run(`${prefix}${truncateText(name, MAX_TITLE)}`, { weight: 'Bolder' }),
      ...(where === '' ? [] : [run(` · ${where}`, { isSubtle: true })]),
    ]),
    ...changes.flatMap(changeBlocks),
    ...(todo === undefined ? [] : [block([run(`→ ${truncateText(todo, MAX_TEXT)}`)])]),
  ];
}

function changeBlocks(change: ChangeText): readonly object[] {
  const { transition, severity, counted, title, advisory } = change;
  const colour = endsAlert(transition) ? 'Good' : COLOURS[counted];
  const rest = notesOf(change).map((part) => truncateText(part, MAX_TEXT));
  return [
    block([
      run(`• ${transition} ${severity}: `, { weight: 'Bolder', color: colour }),
      run(`${truncateText(title, MAX_TEXT)} `),
      ...(advisory === undefined || advisory.id === '' ? [] : [advisoryRun(advisory)]),
    ]),
    ...(rest.length === 0 ? [] : [block([run(rest.join(' · '), { isSubtle: true, size: 'Small' })])]),
  ];
}

function advisoryRun({ id, url: text }: { readonly id: string; readonly url: string }): object {
  const url = safeUrl(text);
  const selectAction = url === undefined ? undefined : { type: 'Action.OpenUrl', url };
  return run(truncateText(id, MAX_TITLE), { selectAction });
}

function moreOf(leftOut: number, alert: Alert): readonly object[] {
  const text = leftOutText(leftOut, alert);
  return text === '' ? [] : [block([run(`… ${text}`, { italic: true })])];
}

function footOf(alert: Alert): object {
  return block([run(statusText(alert), { isSubtle: true, size: 'Small' })]);
}

/** Rich text, unlike a text block, does not interpret Markdown: names of packages are shown literally. */
function block(inlines: readonly object[]): object {
  return { type: 'RichTextBlock', inlines };
}

function run(text: string, style: object = {}): object {
  return { type: 'TextRun', text, ...style };
}
