import { printable } from '../../model/printable.ts';

/** Markup that is safe to insert: only `html` and `trusted` create it. */
export interface Markup {
  readonly markup: string;
}

type Value = string | number | Markup | undefined | readonly Markup[];

/**
 * A template of HTML or SVG. Every inserted text is escaped, so that text from outside is never mark-up; it is safe in content and in
 * quoted attributes. Control characters and other characters that are not drawn become visible.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  let markup = parts[0] ?? '';
  for (const [index, value] of values.entries()) markup += inserted(value) + (parts[index + 1] ?? '');
  return { markup };
}

/** Mark-up of our own that is inserted as it is: the script and the style sheet. Never text from outside. */
export function trusted(markup: string): Markup {
  return { markup };
}

/** Escaped text; what is between backticks, such as a command, is code. */
export function withCode(text: string): readonly Markup[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

export const NOTHING: Markup = { markup: '' };

function inserted(value: Value): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return escaped(value);
  if ('markup' in value) return value.markup;
  return value.map(({ markup }) => markup).join('');
}

function escaped(text: string): string {
  return printable(text).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
