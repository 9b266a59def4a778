import { truncateText } from '../alert/truncate.ts';
import { NotifyError } from '../errors.ts';
import { splitTemplate } from './template.ts';
import type { Values } from './values.ts';

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Servers refuse long headers, most of them above 8 KiB in total, so values from packages are cut. In UTF-16 units. */
const MAX_VALUE = 1_000;

/** Set by the connection or by the delivery. */
const RESERVED: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'webhook-id', 'webhook-timestamp', 'webhook-signature'],
]);

/** The headers with lower-case names and filled-in values. Throws `NotifyError` (`header-invalid`). */
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

function checkName(name: string, subject: string): void {
  if (!TOKEN.test(name)) {
    throw new NotifyError('header-invalid', `${JSON.stringify(name)} is not a header name (${subject})`);
  }
  if (RESERVED.has(name.toLowerCase())) {
    throw new NotifyError(
      'header-invalid',
      `The header ${name} is set by the delivery itself and cannot be configured (${subject})`,
    );
  }
}

/** A line break in a title must not fail the alert. */
function withoutControls(text: string): string {
  return truncateText(text.replace(/\p{Cc}+/gu, ' '), MAX_VALUE, '...');
}

/** A line break that an operator configured is an error. */
function headerSafe(text: string, name: string, subject: string): string {
  if (/[^\P{Cc}\t]/u.test(text)) {
    throw new NotifyError(
      'header-invalid',
      `The header ${name} of ${subject} contains a line break or control character`,
    );
  }
  // Header values are ASCII; other characters are percent-encoded as UTF-8.
  return text
    .toWellFormed()
    .replace(/[^\t\x20-\x7e]+/gu, encodeURIComponent)
    .trim();
}
