import { isObject, jsonValue } from '../../model/json-object.ts';
import type { Secret } from '../../model/secret.ts';
import { NotifyError } from '../errors.ts';
import type { WebhooksIntegration } from '../platform/api.generated.ts';

/** A webhook as the platform stores it ("Webhook integration"). */
export interface WebhookDefinition {
  readonly name: string;
  /** Template. */
  readonly url: string;
  /** Names as they were configured; values are templates. */
  readonly headers: Readonly<Record<string, string>>;
  /** Template; `null`: the platform's default payload. */
  readonly payload: string | null;
  readonly encodeAs: 'json' | 'form';
}

/** A custom variable as it is configured. */
export type VariableValue = { readonly value: string } | { readonly secret: Secret };

/** A webhook as the configuration asks for it. */
export interface DesiredWebhook extends WebhookDefinition {
  /** Name of its route; stays the same when the webhook is renamed. */
  readonly route: string;
}

/** Everything that the configuration asks for in one account. */
export interface Desired {
  readonly webhooks: readonly DesiredWebhook[];
  readonly variables: Readonly<Record<string, VariableValue>>;
  /** Whether changes that an operator made on the platform are undone. Default `restore`. */
  readonly drift?: 'restore' | 'keep' | undefined;
}

/** The payload that the platform uses, and reads back, for `null`. Compared by meaning: its spacing may change. */
export const DEFAULT_PAYLOAD = JSON.stringify({
  body: '$EVENT_MSG',
  last_updated: '$LAST_UPDATED',
  event_type: '$EVENT_TYPE',
  title: '$EVENT_TITLE',
  date: '$DATE',
  org: { id: '$ORG_ID', name: '$ORG_NAME' },
  id: '$ID',
});

/** Returns the fields of a definition as the platform has them. */
export function bodyOf({ url, headers, payload, encodeAs }: WebhookDefinition) {
  return {
    url,
    custom_headers: Object.keys(headers).length === 0 ? null : JSON.stringify(headers),
    encode_as: encodeAs,
    payload,
  };
}

/**
 * Returns the definition in an answer of the platform; unknown keys are ignored. Throws `NotifyError` (`contract`) when name or
 * URL are missing, (`header-invalid`) when the headers are not a JSON object.
 */
export function readDefinition(answer: WebhooksIntegration): WebhookDefinition {
  const { name, url, custom_headers: headers, payload, encode_as: encoding } = answer;
  if (typeof name !== 'string' || typeof url !== 'string') {
    throw new NotifyError('contract', 'The platform returned a webhook without `name` or `url`', {
      retryable: true,
    });
  }
  const read = parseHeaders(headers ?? null);
  if (read === undefined) {
    throw new NotifyError(
      'header-invalid',
      `The headers of webhook ${name} on the platform are not a JSON object of strings: run \`lockhound webhook apply\``,
    );
  }
  return {
    name,
    url,
    headers: read,
    payload: payload ?? null,
    encodeAs: encoding === 'form' ? 'form' : 'json',
  };
}

/** The object in `custom_headers`, which is JSON text; `undefined` when the text is not a JSON object. */
export function parseHeaders(text: string | null): Record<string, string> | undefined {
  if (text === null || text.trim() === '') return {};
  const value = jsonValue(text);
  if (!isObject(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      typeof item === 'string' ? item : JSON.stringify(item),
    ]),
  );
}
