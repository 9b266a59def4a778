import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ECOSYSTEMS } from '../src/model/lockfile/ecosystem.ts';
import { TRANSITIONS } from '../src/model/scan/transition.ts';
import { PRESETS } from '../src/notify/presets/catalog.ts';
import type { AlertVariable, Preset } from '../src/notify/presets/preset.ts';
import { LOCKHOUND_VARIABLES } from '../src/notify/rendering/lockhound-variables.ts';
import { PLATFORM_VARIABLES } from '../src/notify/rendering/platform-variables.ts';
import { RULE_NAMES } from '../src/policy/catalog.ts';
import { ownRuleTable, rulePages, ruleTable } from './docs/rule-pages.ts';
import { genericEventOf, sampleEnvelope, sampleNotification } from './docs-samples.ts';

/** The generated sections of pages, by the name in their markers `<!-- begin NAME -->`, `<!-- end NAME -->`. */
const PAGES: Readonly<Record<string, Readonly<Record<string, () => string | Promise<string>>>>> = {
  'docs/rules/index.md': { rules: () => ruleTable(''), 'own rules': ownRuleTable },
  'docs/webhooks.md': {
    'platform variables': () => variableTable(PLATFORM_VARIABLES),
    'own variables': () => variableTable(LOCKHOUND_VARIABLES),
    presets: () => presetTable(PRESETS),
    'preset variables': () => variableTable(PRESETS.flatMap(({ variables }) => variables ?? [])),
    'route names': routeNames,
    'generic event': async () => jsonBlock(genericEventOf(await sampleNotification())),
  },
  'docs/producers.md': { envelope: () => jsonBlock(sampleEnvelope()) },
};

/** The documentation with tables, lists and examples generated from the code. */
export async function generateDocs(): Promise<
  readonly { readonly path: string; readonly content: string }[]
> {
  const pages = await Promise.all(
    Object.entries(PAGES).map(async ([page, sections]) => {
      const text = await readFile(path.resolve(import.meta.dirname, '..', page), 'utf8');
      let content = text;
      for (const [name, section] of Object.entries(sections)) {
        content = replaceSection(content, page, name, await section());
      }
      return { path: page, content };
    }),
  );
  return [...pages, ...Object.entries(rulePages()).map(([page, content]) => ({ path: page, content }))];
}

function replaceSection(text: string, page: string, name: string, section: string): string {
  const [begin, end] = [`<!-- begin ${name} -->\n`, `<!-- end ${name} -->`];
  const [start, stop] = [text.indexOf(begin), text.indexOf(end)];
  if (start < 0 || stop < start)
    throw new RangeError(`${page} lacks the markers <!-- begin ${name} --> and <!-- end ${name} -->`);
  return text.slice(0, start) + begin + section + text.slice(stop);
}

function jsonBlock(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`\n`;
}

function routeNames(): string {
  const list = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
  return [
    `- \`rules\`: ${list(RULE_NAMES)}.`,
    `- \`ecosystems\`: ${list(ECOSYSTEMS)}.`,
    `- \`transitions\`: ${list(TRANSITIONS)}.`,
    '',
  ].join('\n');
}

function variableTable(variables: readonly AlertVariable[]): string {
  const empty = variables.filter(({ description }) => description.startsWith('Empty:'));
  const rows = variables
    .filter((variable) => !empty.includes(variable))
    .map((variable) =>
      row([`\`$${variable.name}\``, 'json' in variable ? 'JSON' : 'text', meaning(variable)]),
    );
  const rest =
    empty.length === 0
      ? []
      : ['', `Supported, always empty: ${empty.map(({ name }) => `\`$${name}\``).join(', ')}.`];
  return `${table(['variable', 'kind', 'meaning'], rows)}${rest.map((line) => `${line}\n`).join('')}`;
}

function presetTable(presets: readonly Preset[]): string {
  const rows = presets.map(({ name, description, url, secret, mode, transitions, limits }) => {
    const address = url === undefined ? 'yours' : `\`${url}\``;
    const key = secret === undefined ? '' : `\`${secret.name}\`: ${secret.description}`;
    const sent = `\`${mode ?? 'digest'}\`${transitions === undefined ? '' : ` (${transitions.join(', ')})`}`;
    return row([`\`${name}\``, description, address, key, sent, (limits ?? []).join('; ')]);
  });
  return table(['preset', 'sends', '`url`', 'secret variable', 'mode', 'limits'], rows);
}

function table(head: readonly string[], rows: readonly string[]): string {
  return `${[row(head), `|${'---|'.repeat(head.length)}`, ...rows].join('\n')}\n`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function meaning({ description }: AlertVariable): string {
  return description
    .replace(/^JSON: (.)/, (_all, first: string) => first.toUpperCase())
    .replaceAll('|', '\\|');
}
