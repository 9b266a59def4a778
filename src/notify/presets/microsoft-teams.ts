import type { NotifiedChange } from '../../model/alert/notification.ts';
import { countedSeverity, type RatedSeverity } from '../../model/scan/finding.ts';
import type { Alert } from '../alert/alert.ts';
import { leftOutText, linkOf, titleOf } from '../alert/message.ts';
import { safeUrl } from '../alert/safe-url.ts';
import { fitChanges, jsonBytes } from '../alert/truncate.ts';
import { truncateText } from '../alert/truncate-text.ts';
import type { Preset } from './preset.ts';

/** Of the 28 KB that a message may have; the rest is for what stands around the card. */
const CARD_BYTES = 27_000;
const LONGEST_TITLE = 300;
const LONGEST_TEXT = 500;

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
  secret: { name: 'TEAMS_WEBHOOK_URL', description: 'address of the workflow' },
  limits: ['28 KB a message'],
  variables: [
    {
      name: 'TEAMS_CARD',
      description: 'JSON: an Adaptive Card of at most 27,000 bytes, with a count of what does not fit.',
      json: cardOf,
    },
  ],
};

function cardOf(alert: Alert): object {
  const title = truncateText(titleOf(alert), LONGEST_TITLE);
  const link = safeUrl(linkOf(alert));
  const head = [run(title, { size: 'Large', weight: 'Bolder' })];
  const frame = card(head, [...moreOf(alert.totals.changes, alert), ...footOf(alert)], link);
  const { kept, leftOut } = fitChanges(
    alert,
    blockOf,
    CARD_BYTES - jsonBytes(frame),
    (block) => jsonBytes(block) + 1,
  );
  return card(head, [...kept, ...moreOf(leftOut, alert), ...footOf(alert)], link);
}

function card(head: readonly object[], body: readonly object[], link: string | undefined): object {
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [block(head), ...body],
    ...(link === undefined ? {} : { actions: [{ type: 'Action.OpenUrl', title: 'Details', url: link }] }),
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

function blockOf({ transition, finding, target }: NotifiedChange): object {
  const { name, version } = finding.package;
  const colour = transition === 'resolved' ? 'Good' : COLOURS[countedSeverity(finding)];
  const whose = target === undefined ? '' : `${truncateText(target, LONGEST_TITLE)}: `;
  const url = safeUrl(finding.advisory?.url);
  const id = truncateText(finding.advisory?.id ?? '', LONGEST_TITLE);
  const source = truncateText(`${name}@${version}`, LONGEST_TITLE);
  return block([
    run(`${whose}${transition} ${finding.severity}: `, { weight: 'Bolder', color: colour }),
    run(`${truncateText(finding.title, LONGEST_TEXT)} (${source}) `),
    ...(id === ''
      ? []
      : [run(id, url === undefined ? {} : { selectAction: { type: 'Action.OpenUrl', url } })]),
  ]);
}

function moreOf(leftOut: number, alert: Alert): readonly object[] {
  const text = leftOutText(leftOut, alert);
  return text === '' ? [] : [block([run(`… ${text}`, { italic: true })])];
}

function footOf({ open, gaps }: Alert): readonly object[] {
  const counts = Object.entries(open).filter(([, count]) => count > 0);
  const said = counts.map(([severity, count]) => `${count} ${severity}`).join(', ') || 'nothing';
  const unknown = gaps > 0 ? ` · could not be found out: ${gaps}` : '';
  return [block([run(`Open: ${said}${unknown}`, { isSubtle: true, size: 'Small' })])];
}

/** Runs of rich text, unlike text blocks, know no Markdown: a package's name is shown as it is. */
function block(inlines: readonly object[]): object {
  return { type: 'RichTextBlock', inlines };
}

function run(text: string, style: object = {}): object {
  return { type: 'TextRun', text, ...style };
}
