import { isObject } from '../../model/json-object.ts';
import { NotifyError } from '../errors.ts';
import { DEFAULT_PAYLOAD, type WebhookDefinition } from '../webhooks/definition.ts';
import { renderHeaders } from './render-headers.ts';
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
  try {
    return JSON.parse(json);
  } catch {
    // The parser's error quotes its input, which may hold a secret: it is dropped.
    throw notJson(subject);
  }
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
