import { truncateText } from '../alert/truncate-text.ts';
import { NotifyError } from '../errors.ts';
import { splitTemplate } from './template.ts';
import type { Values } from './values.ts';

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Servers refuse long headers, most from 8 KiB for all of them: what comes from packages is cut. In UTF-16 units. */
const LONGEST_VALUE = 1_000;

/** Set by the connection, or by us for every delivery. */
const RESERVED: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'webhook-id', 'webhook-timestamp', 'webhook-signature'],
]);

/** Names in lower case, values filled in. Throws `NotifyError` (`header-invalid`). */
export function renderHeaders(
  headers: Readonly<Record<string, string>>,
  values: Values,
  subject: string,
): Readonly<Record<string, string>> {
  const rendered = Object.entries(headers).map(([name, template]): [string, string] => {
    checkName(name, subject);
    const pieces = splitTemplate(template, (variable) => values.has(variable));
    const texts = pieces.map((piece) => {
      if ('text' in piece) return piece.text;
      const value = values.get(piece.variable);
      return value === undefined ? '' : value.trusted ? value.text.trim() : withoutControls(value.text);
    });
    return [name.toLowerCase(), headerSafe(texts.join(''), name, subject)];
  });
  return Object.fromEntries(rendered);
}

export function checkName(name: string, subject: string): void {
  if (!TOKEN.test(name)) {
    throw new NotifyError('header-invalid', `${JSON.stringify(name)} is no header name (${subject})`);
  }
  if (RESERVED.has(name.toLowerCase())) {
    throw new NotifyError(
      'header-invalid',
      `The header ${name} cannot be set (${subject}): the delivery sets it itself`,
    );
  }
}

/** A title with a line break is no reason to lose the alert. */
function withoutControls(text: string): string {
  return truncateText(text.replace(/\p{Cc}+/gu, ' '), LONGEST_VALUE, '...');
}

/** What an operator wrote with a line break in it is a mistake to point out, not to send. */
function headerSafe(text: string, name: string, subject: string): string {
  if (/[^\P{Cc}\t]/u.test(text)) {
    throw new NotifyError(
      'header-invalid',
      `The header ${name} of ${subject} holds a line break or control character`,
    );
  }
  // Header values are ASCII; anything else is percent-encoded as UTF-8.
  return text
    .toWellFormed()
    .replace(/[^\t\x20-\x7e]+/gu, encodeURIComponent)
    .trim();
}
