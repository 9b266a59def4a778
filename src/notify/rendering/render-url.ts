import { truncateText } from '../alert/truncate-text.ts';
import { NotifyError } from '../errors.ts';
import { splitTemplate, unknownNames } from './template.ts';
import type { Values } from './values.ts';

/** Host, or host and port: what a configured variable may hold in place of an authority. */
const AUTHORITY = /^[A-Za-z0-9._-]+:\d{1,5}$/;

/** Servers refuse long URLs: what comes from packages is cut. In UTF-16 units. */
const LONGEST_VALUE = 1_000;

/**
 * Fills a URL in: values are percent-encoded, except that a configured variable at the very beginning may be the base URL
 * itself. Throws `NotifyError` (`url-invalid`, `variable-unknown`).
 */
export function renderUrl(template: string, values: Values, subject: string): string {
  if (template.startsWith('$') && unknownNames(template, (name) => values.has(name)).length > 0) {
    const first = splitTemplate(template, (name) => values.has(name))[0];
    if (first !== undefined && 'text' in first) {
      const name = /^\$[A-Z0-9_]*/.exec(template)?.[0];
      throw new NotifyError(
        'variable-unknown',
        `The URL of ${subject} begins with ${name}, which is defined nowhere`,
      );
    }
  }
  let rendered = '';
  for (const piece of splitTemplate(template, (name) => values.has(name))) {
    if ('text' in piece) rendered += piece.text;
    else rendered += placed(rendered, values.get(piece.variable));
  }
  return checked(rendered, subject);
}

function placed(before: string, value: { text: string; trusted: boolean } | undefined): string {
  if (value === undefined) return '';
  const text = (value.trusted ? value.text : truncateText(value.text, LONGEST_VALUE, '...')).toWellFormed();
  if (value.trusted && before === '') return text.trim();
  if (value.trusted && /^https?:\/\/$/.test(before) && AUTHORITY.test(text)) return text;
  return encodeURIComponent(text);
}

function checked(rendered: string, subject: string): string {
  const url = URL.parse(rendered);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new NotifyError(
      'url-invalid',
      `The URL of ${subject} is no http or https URL once its variables are filled in`,
    );
  }
  // The URL parser follows `..` in a value up to another resource; percent-encoding does not keep it from that.
  const path = rendered.replace(/^[^:]+:\/\/[^/?#\\]*/, '').replace(/[?#].*$/s, '');
  if (/(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)/i.test(path)) {
    throw new NotifyError('url-invalid', `The URL of ${subject} has \`.\` or \`..\` as a part of its path`);
  }
  return url.href;
}
