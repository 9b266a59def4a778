import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { NotificationVariable } from '../src/notify/notification-variable.ts';
import { OWN_VARIABLES } from '../src/notify/notification-variables.ts';
import { PLATFORM_VARIABLES } from '../src/notify/platform-variables.ts';
import type { Preset } from '../src/notify/preset.ts';
import { PRESETS } from '../src/notify/presets/catalog.ts';

const PATH = 'docs/webhooks.md';

/** The generated parts of the documentation, by the name in their markers `<!-- begin NAME -->`, `<!-- end NAME -->`. */
const SECTIONS: Readonly<Record<string, () => string>> = {
  'platform variables': () => variableTable(PLATFORM_VARIABLES),
  'own variables': () => variableTable(OWN_VARIABLES),
  presets: () => presetTable(PRESETS),
  'preset variables': () => variableTable(PRESETS.flatMap(({ variables }) => variables ?? [])),
};

/** The documentation of webhooks with its tables as the code has them. */
export async function generateDocs(): Promise<
  readonly { readonly path: string; readonly content: string }[]
> {
  const text = await readFile(path.resolve(import.meta.dirname, '..', PATH), 'utf8');
  const content = Object.entries(SECTIONS).reduce((page, [name, section]) => {
    const [begin, end] = [`<!-- begin ${name} -->\n`, `<!-- end ${name} -->`];
    const [start, stop] = [page.indexOf(begin), page.indexOf(end)];
    if (start < 0 || stop < start) throw new RangeError(`${PATH} has no place for "${name}"`);
    return page.slice(0, start) + begin + section() + page.slice(stop);
  }, text);
  return [{ path: PATH, content }];
}

function variableTable(variables: readonly NotificationVariable[]): string {
  const silent = variables.filter(({ description }) => description.startsWith('Empty:'));
  const rows = variables
    .filter((variable) => !silent.includes(variable))
    .map(
      (variable) =>
        `| \`$${variable.name}\` | ${'json' in variable ? 'JSON' : 'text'} | ${meaning(variable)} |`,
    );
  const rest =
    silent.length === 0
      ? []
      : ['', `Known and empty: ${silent.map(({ name }) => `\`$${name}\``).join(', ')}.`];
  return `${['| variable | kind | meaning |', '|---|---|---|', ...rows, ...rest].join('\n')}\n`;
}

function presetTable(presets: readonly Preset[]): string {
  const rows = presets.map(({ name, description, url, secret, mode, transitions, limits }) => {
    const address = url === undefined ? 'yours' : `\`${url}\``;
    const key = secret === undefined ? '' : `\`${secret.name}\`: ${secret.description}`;
    const sent = `\`${mode ?? 'digest'}\`${transitions === undefined ? '' : ` (${transitions.join(', ')})`}`;
    return `| \`${name}\` | ${description} | ${address} | ${key} | ${sent} | ${(limits ?? []).join('; ')} |`;
  });
  const head = ['| preset | sends | `url` | secret variable | mode | limits |', '|---|---|---|---|---|---|'];
  return `${[...head, ...rows].join('\n')}\n`;
}

function meaning({ description }: NotificationVariable): string {
  return description
    .replace(/^JSON: (.)/, (_all, first: string) => first.toUpperCase())
    .replaceAll('|', '\\|');
}
