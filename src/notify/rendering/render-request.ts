import { NotifyError } from '../errors.ts';
import { DEFAULT_PAYLOAD } from '../webhooks/default-payload.ts';
import type { WebhookDefinition } from '../webhooks/definition.ts';
import { renderHeaders } from './render-headers.ts';
import { renderUrl } from './render-url.ts';
import { markQuoted, splitTemplate } from './template.ts';
import type { Values } from './values.ts';

/** What is sent. Holds secret values: not for logs. */
export interface RenderedRequest {
  readonly url: string;
  /** Names in lower case; `content-type` is always there. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const CONTENT_TYPES = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
} as const;

/**
 * Fills a definition in. Every value is escaped for where it stands and none is looked at for variables again. Throws
 * `NotifyError` (`url-invalid`, `header-invalid`, `template-invalid`, `variable-unknown`), whose messages hold no value.
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
    // The backslash would take the first character of the value with it, and that may be one of our own escapes.
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
    // The parser quotes what it read, and that may be a secret: its error goes nowhere.
    throw notJson(subject);
  }
}

function notJson(subject: string): NotifyError {
  return new NotifyError(
    'template-invalid',
    `The payload of ${subject} is not JSON once its variables are filled in: correct its \`payload\``,
  );
}

/** Top-level fields become form fields; what is no text stays JSON (field notes: `form` is written as JSON). */
function asForm(payload: unknown, subject: string): string {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw new NotifyError(
      'template-invalid',
      `The payload of ${subject} has to be a JSON object to be sent as a form`,
    );
  }
  const fields = Object.entries(payload).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return new URLSearchParams(fields).toString();
}
