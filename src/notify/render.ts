import { isIP } from 'node:net';
import { DEFAULT_PAYLOAD } from './default-payload.ts';
import { NotifyError } from './errors.ts';
import type { WebhooksIntegration } from './platform/api.generated.ts';
import { renderJson } from './render-json.ts';
import { piecesOf, type Variables } from './variable.ts';

/** A request as it goes out. May hold secrets: not for logs. */
export interface RenderedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Renders a definition as it reads back from the platform: URL, headers and payload, values escaped for where they
 * stand. Throws `NotifyError` (`url-invalid`, `header-invalid`, `template-invalid`); messages hold no values.
 */
export function renderRequest(definition: WebhooksIntegration, variables: Variables): RenderedRequest {
  const payload = renderJson(definition.payload ?? DEFAULT_PAYLOAD, variables);
  const asForm = definition.encode_as === 'form';
  const contentType = asForm ? 'application/x-www-form-urlencoded' : 'application/json';
  return {
    url: renderUrl(definition.url, variables),
    headers: { 'content-type': contentType, ...renderHeaders(definition.custom_headers, variables) },
    body: asForm ? formOf(payload) : payload,
  };
}

/** A variable at the very beginning is the base of the URL itself; any other is one percent-encoded part. */
function renderUrl(template: string, variables: Variables): string {
  const rendered = piecesOf(template, variables)
    .map((piece, index) => {
      if ('literal' in piece) return piece.literal;
      return index === 0 ? piece.variable.text : encodeURIComponent(piece.variable.text);
    })
    .join('');
  const url = URL.parse(rendered);
  if (url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.hostname !== '')
    return url.href;
  throw new NotifyError(
    'url-invalid',
    'the webhook’s URL, with its variables filled in, is no http or https URL',
  );
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Headers that belong to the connection or to us. */
const RESERVED =
  /^(?:host|content-length|transfer-encoding|connection|upgrade|webhook-(?:id|timestamp|signature))$/i;

function renderHeaders(
  text: string | null | undefined,
  variables: Variables,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, template] of Object.entries(parseHeaders(text))) {
    if (!HEADER_NAME.test(name) || RESERVED.test(name)) {
      throw new NotifyError(
        'header-invalid',
        `"${name.slice(0, 60)}" cannot be set as a header of the webhook`,
      );
    }
    const value = piecesOf(template, variables)
      .map((piece) => ('literal' in piece ? piece.literal : piece.variable.text))
      .join('');
    headers[name.toLowerCase()] = headerSafe(value);
  }
  return headers;
}

function parseHeaders(text: string | null | undefined): Readonly<Record<string, string>> {
  if (text === null || text === undefined || text === '') return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Reported below, like any other text that is not an object of strings.
  }
  const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  if (isObject && Object.values(parsed as object).every((value) => typeof value === 'string')) {
    return parsed as Record<string, string>;
  }
  throw new NotifyError('header-invalid', 'the webhook’s custom headers are not a JSON object of strings');
}

/** One line, in bytes a header may have; text beyond Latin-1 goes as UTF-8. */
function headerSafe(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get through
  const oneLine = value.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim();
  return Buffer.from(oneLine, 'utf8').toString('latin1');
}

/** The payload is written as JSON all the same (field notes): its members become fields, nested ones as JSON text. */
function formOf(payload: string): string {
  const parsed: unknown = JSON.parse(payload);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return new URLSearchParams({ payload }).toString();
  }
  const fields = Object.entries(parsed).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return new URLSearchParams(fields).toString();
}

/** Host of a rendered URL for messages; the rest of it may hold secrets. */
export function receiverName(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
}
