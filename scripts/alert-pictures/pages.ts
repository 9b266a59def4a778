import { z } from 'zod';

/** Draws the body that a receiver gets, as HTML: what its own page shows, without that page's design. */
type Draw = (body: unknown) => string;

const text = (value: string) =>
  value.replace(/[&<>"]/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[one] ?? one);

const slackBlock = z.looseObject({
  type: z.string(),
  text: z.object({ text: z.string() }).optional(),
  elements: z.array(z.object({ text: z.string() })).optional(),
});
const slackBody = z.looseObject({ blocks: z.array(slackBlock) });

/** Text from alerts is escaped as entities by the preset, as Slack requires. */
function mrkdwn(source: string): string {
  return source
    .replace(/<([^<|>]+)\|([^<>]+)>/g, '<a href="$1">$2</a>')
    .replace(/\*([^*\n]+)\*/g, '<b>$1</b>')
    .replace(/(^|\s)_([^_\n]+)_/g, '$1<i>$2</i>')
    .replaceAll('\n', '<br>');
}

const slack: Draw = (body) =>
  slackBody
    .parse(body)
    .blocks.map(({ type, text: own, elements = [] }) => {
      if (type === 'header') return `<h2>${text(own?.text ?? '')}</h2>`;
      if (type === 'context')
        return `<p class="faint">${elements.map((one) => mrkdwn(one.text)).join(' ')}</p>`;
      return `<p>${mrkdwn(own?.text ?? '')}</p>`;
    })
    .join('');

const teamsBody = z.looseObject({
  attachments: z.array(
    z.looseObject({
      content: z.looseObject({
        body: z.array(
          z.looseObject({
            inlines: z.array(
              z.looseObject({
                text: z.string(),
                weight: z.string().optional(),
                color: z.string().optional(),
                isSubtle: z.boolean().optional(),
                size: z.string().optional(),
                selectAction: z.object({ url: z.string() }).optional(),
              }),
            ),
          }),
        ),
        actions: z.array(z.looseObject({ title: z.string() })).optional(),
      }),
    }),
  ),
});

const teams: Draw = (body) => {
  const [card] = teamsBody.parse(body).attachments;
  const blocks = (card?.content.body ?? []).map(({ inlines }) => {
    const runs = inlines.map(({ text: own, weight, color, isSubtle, size, selectAction }) => {
      const names = [weight, color, size, isSubtle === true ? 'faint' : undefined].filter(Boolean).join(' ');
      return selectAction === undefined
        ? `<span class="${names}">${text(own)}</span>`
        : `<a href="${text(selectAction.url)}">${text(own)}</a>`;
    });
    return `<p>${runs.join('')}</p>`;
  });
  const buttons = (card?.content.actions ?? []).map(({ title }) => `<button>${text(title)}</button>`);
  return `${blocks.join('')}${buttons.join('')}`;
};

const issueBody = z.looseObject({
  client_payload: z.object({ title: z.string(), body: z.string(), labels: z.array(z.string()) }),
});

/** The part of Markdown that the preset writes. Escaped characters become entities first. */
function markdown(source: string): string {
  const inline = (line: string) =>
    text(line)
      .replace(/\\([\\`*_{}[\]|~!#])/g, (_, one: string) => `&#${one.charCodeAt(0)};`)
      .replace(/\\(&(?:amp|lt|gt);)/g, '$1')
      .replace(/\[([^[\]]+)\]\(([^()]+)\)/g, '<a href="$2">$1</a>')
      .replace(/\*\*([^*]+)\*\*/g, '<b>$1</b>');
  return source
    .split('\n\n')
    .map((part) => {
      if (part.startsWith('### ')) return `<h3>${inline(part.slice(4))}</h3>`;
      if (!part.startsWith('- ')) return `<p>${inline(part)}</p>`;
      const items = part
        .split(/\n(?=- )/)
        .map((item) => `<li>${inline(item.slice(2)).replace(/ {2}\n/g, '<br>')}</li>`);
      return `<ul>${items.join('')}</ul>`;
    })
    .join('');
}

const githubIssue: Draw = (body) => {
  const { title, body: content, labels } = issueBody.parse(body).client_payload;
  const badges = labels.map((label) => `<span class="badge">${text(label)}</span>`).join(' ');
  return `<h2>${text(title)}</h2><p>${badges}</p>${markdown(content)}`;
};

/** Receivers that show fields: a title, and the named ones at any depth. */
function fields(title: string, shown: readonly string[]): Draw {
  return (body) => {
    const found = new Map(leavesOf(z.record(z.string(), z.unknown()).parse(body)));
    const rows = shown.map((name) => `<dt>${text(name)}</dt><dd>${text(found.get(name) ?? '')}</dd>`);
    return `<h2>${text(found.get(title) ?? '')}</h2><dl>${rows.join('')}</dl>`;
  };
}

/** Fields with their texts; lists on one line. */
function leavesOf(body: object): readonly (readonly [name: string, text: string])[] {
  return Object.entries(body).flatMap(([name, value]: [string, unknown]) => {
    if (Array.isArray(value)) return [[name, value.join(', ')] as const];
    return value !== null && typeof value === 'object' ? leavesOf(value) : [[name, String(value)] as const];
  });
}

/** By preset; the others send JSON for programs. */
export const DRAWN: Readonly<Record<string, { readonly mode: 'digest' | 'change'; readonly draw: Draw }>> = {
  slack: { mode: 'digest', draw: slack },
  'microsoft-teams': { mode: 'digest', draw: teams },
  'github-issue': { mode: 'change', draw: githubIssue },
  'jira-issue': { mode: 'change', draw: fields('summary', ['priority', 'labels', 'description', 'link']) },
  pagerduty: {
    mode: 'change',
    draw: fields('summary', ['severity', 'source', 'class', 'timestamp', 'team', 'scan']),
  },
  opsgenie: { mode: 'change', draw: fields('message', ['priority', 'entity', 'tags', 'description']) },
};

/** The page of one picture. */
export function pageOf(preset: string, content: string): string {
  return `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; padding: 16px; background: #e9ecef; font: 15px/1.45 system-ui, "DejaVu Sans", sans-serif; color: #1d1c1d }
main { background: #fff; border: 1px solid #d0d5da; border-left: 4px solid #8a929b; border-radius: 6px; padding: 12px 18px }
header { font-size: 13px; color: #5b6168; margin-bottom: 6px } h2 { font-size: 18px; margin: 4px 0 10px } h3 { font-size: 16px; margin: 12px 0 4px }
p { margin: 6px 0 } ul { margin: 4px 0; padding-left: 20px } a { color: #0b62c4; text-decoration: none }
.faint { color: #5b6168 } .Bolder { font-weight: 600 } .Small { font-size: 13px } .Large { font-size: 17px }
.Attention { color: #b3261e } .Warning { color: #8a5a00 } .Good { color: #1e6b34 }
.badge { border: 1px solid #b7bec6; border-radius: 10px; padding: 1px 8px; font-size: 13px }
button { border: 1px solid #b7bec6; background: #fff; border-radius: 4px; padding: 5px 14px; font: inherit }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 14px; margin: 0 } dt { color: #5b6168 } dd { margin: 0; white-space: pre-line; overflow-wrap: anywhere }
</style><main><header>preset <b>${text(preset)}</b></header>${content}</main>`;
}
