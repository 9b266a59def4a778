import { isObject, jsonValue } from '../../model/json-object.ts';
import { truncateText } from '../alert/alert.ts';
import { NotifyError } from '../errors.ts';
import { DEFAULT_PAYLOAD, type WebhookDefinition } from '../webhooks/definition.ts';
import { renderUrl } from './render-url.ts';
import { markQuoted, splitTemplate } from './template.ts';
import type { Values } from './values.ts';

/** A request to a receiver. Holds secret values: never log it. */
export interface RenderedRequest {
  readonly url: string;
  /** Names in lower case; always has `content-type`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const CONTENT_TYPES = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
} as const;

/**
 * Fills in a definition. Each value is escaped for its position and never searched for variables. Throws `NotifyError`
 * (`url-invalid`, `header-invalid`, `template-invalid`, `variable-unknown`), whose messages hold no values.
 */
export function renderRequest(definition: WebhookDefinition, values: Values): RenderedRequest {
  const subject = `webhook ${definition.name}`;
  const json = renderJson(definition.payload ?? DEFAULT_PAYLOAD, values, subject);
  const parsed = parse(json, subject);
  return {
    url: renderUrl(definition.url, values, subject),
    headers: {
      'content-type': CONTENT_TYPES[definition.encodeAs],
      ...renderHeaders(definition.headers, values, subject),
    },
    body: definition.encodeAs === 'form' ? asForm(parsed, subject) : json,
  };
}

function renderJson(template: string, values: Values, subject: string): string {
  const pieces = markQuoted(splitTemplate(template, (name) => values.has(name)));
  const texts = pieces.map((piece) => {
    if ('text' in piece) return piece.text;
    // The backslash would combine with the first character of the value, which may be an escape.
    if (piece.escaped) throw notJson(subject);
    const value = values.get(piece.variable);
    if (value === undefined) return '';
    return piece.quoted ? JSON.stringify(value.text).slice(1, -1) : value.json;
  });
  return texts.join('');
}

function parse(json: string, subject: string): unknown {
  const value = jsonValue(json);
  // The parser's error quotes its input, which may hold a secret: it is dropped.
  if (value === undefined) throw notJson(subject);
  return value;
}

function notJson(subject: string): NotifyError {
  return new NotifyError(
    'template-invalid',
    `The payload of ${subject} is not JSON once its variables are filled in: correct its \`payload\``,
  );
}

/** Each top-level field becomes a form field; values that are not strings are sent as JSON. */
function asForm(payload: unknown, subject: string): string {
  if (!isObject(payload)) {
    throw new NotifyError(
      'template-invalid',
      `The payload of ${subject} must be a JSON object to be sent as a form`,
    );
  }
  const fields = Object.entries(payload).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return new URLSearchParams(fields).toString();
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Servers refuse long headers, most of them above 8 KiB in total, so values from packages are cut. In bytes as they are sent. */
const MAX_VALUE = 2_000;

/** Set by the connection or by the delivery. */
const RESERVED: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'webhook-id', 'webhook-timestamp', 'webhook-signature'],
]);

/** The headers with lower-case names and filled-in values. Throws `NotifyError` (`header-invalid`). */
function renderHeaders(
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
      return value === undefined ? '' : value.trusted ? value.text.trim() : headerValue(value.text);
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

/** A value from packages as a header holds it. A line break in a title must not fail the alert. */
function headerValue(text: string): string {
  return truncateText(text.toWellFormed().replace(/\p{Cc}+/gu, ' '), MAX_VALUE, '...', asAscii);
}

/** Header values are ASCII; other characters are percent-encoded as UTF-8. */
function asAscii(text: string): string {
  return text.replace(/[^\t\x20-\x7e]+/gu, encodeURIComponent);
}

/** A line break that an operator configured is an error. */
function headerSafe(text: string, name: string, subject: string): string {
  if (/[^\P{Cc}\t]/u.test(text)) {
    throw new NotifyError(
      'header-invalid',
      `The header ${name} of ${subject} contains a line break or control character`,
    );
  }
  return asAscii(text.toWellFormed()).trim();
}
