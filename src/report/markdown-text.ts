import { printable } from '../model/printable.ts';
import { webAddress } from './finding-parts.ts';

/** Text from outside in a Markdown document: it is shown as it is, on one line, and makes no mark-up, link or mention. */
export function markdownText(value: string): string {
  return printable(value)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[\\`*_{}[\]#|!~$]/g, '\\$&')
    .replaceAll('@', '&#64;');
}

/** Text from outside as code. */
export function markdownCode(value: string): string {
  const escaped = printable(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<code>${escaped.replaceAll('|', '&#124;').replaceAll('@', '&#64;')}</code>`;
}

/** A sentence with commands in backticks, which are shown as code. All of it is text from outside. */
export function markdownSentence(value: string): string {
  const parts = printable(value).split('`');
  // A backtick without a second one is text.
  const last = parts.length % 2 === 0 ? `\\\`${markdownText(parts.pop() ?? '')}` : '';
  return parts.map((part, at) => (at % 2 === 0 ? markdownText(part) : markdownCode(part))).join('') + last;
}

/** A link; the text alone when the address is not one of the web. */
export function markdownLink(label: string, address: string): string {
  const url = webAddress(address);
  if (url === undefined) return markdownText(label);
  return `[${markdownText(label)}](${url.replace(/[()<>|\\]/g, (one) => `%${one.charCodeAt(0).toString(16)}`)})`;
}
