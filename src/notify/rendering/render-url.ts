import { truncateText } from '../alert/alert.ts';
import { NotifyError } from '../errors.ts';
import { splitTemplate } from './template.ts';
import type { Values } from './values.ts';

/** Host and port: what a custom variable may hold as the authority. */
const AUTHORITY = /^[A-Za-z0-9._-]+:\d{1,5}$/;

/** Servers refuse long URLs, so values from packages are cut. In bytes as they are sent. */
const MAX_VALUE = 2_000;

/**
 * Fills in a URL. Values are percent-encoded; only a custom variable at the beginning may hold the base URL itself. Throws
 * `NotifyError` (`url-invalid`, `variable-unknown`).
 */
export function renderUrl(template: string, values: Values, subject: string): string {
  const pieces = splitTemplate(template, (name) => values.has(name));
  const [first] = pieces;
  if (template.startsWith('$') && first !== undefined && 'text' in first) {
    const name = /^\$[A-Z0-9_]*/.exec(template)?.[0];
    throw new NotifyError(
      'variable-unknown',
      `The URL of ${subject} begins with ${name}, which is not defined`,
    );
  }
  let rendered = '';
  for (const piece of pieces) {
    if ('text' in piece) rendered += piece.text;
    else rendered += placed(rendered, values.get(piece.variable));
  }
  return checked(rendered, subject);
}

function placed(before: string, value: { text: string; trusted: boolean } | undefined): string {
  if (value === undefined) return '';
  const text = value.text.toWellFormed();
  if (!value.trusted) return truncateText(text, MAX_VALUE, '...', encodeURIComponent);
  if (before === '') return text.trim();
  if (/^https?:\/\/$/.test(before) && AUTHORITY.test(text)) return text;
  return encodeURIComponent(text);
}

function checked(rendered: string, subject: string): string {
  const url = URL.parse(rendered);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new NotifyError(
      'url-invalid',
      `The URL of ${subject} is not an http or https URL after its variables are filled in`,
    );
  }
  // The URL parser resolves `..` segments, percent-encoded ones too: a value could reach another resource.
  const path = rendered.replace(/^[^:]+:\/\/[^/?#\\]*/, '').replace(/[?#].*$/s, '');
  if (/(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)/i.test(path)) {
    throw new NotifyError('url-invalid', `The URL of ${subject} has a \`.\` or \`..\` segment in its path`);
  }
  return url.href;
}
