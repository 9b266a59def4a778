import { isDeepStrictEqual } from 'node:util';
import type { Secret } from '../model/secret.ts';
import { DEFAULT_PAYLOAD } from './default-payload.ts';
import type { WebhooksIntegration } from './platform/api.generated.ts';

/** A webhook definition as the operator wants it. */
export interface DesiredWebhook {
  readonly name: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON template; `null` for the platform's default payload. */
  readonly payload: string | null;
  readonly encodeAs: 'json' | 'form';
}

export type DesiredVariable = { readonly value: string } | { readonly secret: Secret };

export interface DesiredState {
  readonly webhook: DesiredWebhook;
  readonly variables: ReadonlyMap<string, DesiredVariable>;
}

/** The wanted definition in the API's own form. */
export function definitionOf({ name, url, headers, payload, encodeAs }: DesiredWebhook): WebhooksIntegration {
  const hasHeaders = headers !== undefined && Object.keys(headers).length > 0;
  return {
    name,
    url,
    custom_headers: hasHeaders ? JSON.stringify(headers) : null,
    payload,
    encode_as: encodeAs,
  };
}

/**
 * The fields in which a definition differs by meaning, with the wanted values: header and payload texts are compared as
 * JSON, a null payload is the default payload, and keys that we do not know are left alone.
 */
export function differences(
  wanted: WebhooksIntegration,
  actual: WebhooksIntegration,
): Partial<WebhooksIntegration> {
  return {
    ...(wanted.url === actual.url ? {} : { url: wanted.url }),
    ...(sameText(wanted.custom_headers ?? '{}', actual.custom_headers || '{}')
      ? {}
      : { custom_headers: wanted.custom_headers ?? null }),
    ...(sameText(wanted.payload ?? DEFAULT_PAYLOAD, actual.payload ?? DEFAULT_PAYLOAD)
      ? {}
      : { payload: wanted.payload ?? null }),
    ...((wanted.encode_as ?? 'json') === (actual.encode_as ?? 'json')
      ? {}
      : { encode_as: wanted.encode_as ?? 'json' }),
  };
}

/** Equal texts, or texts of equal JSON. A template with unquoted variables is no JSON, and compared as it stands. */
function sameText(left: string, right: string): boolean {
  if (left === right) return true;
  try {
    return isDeepStrictEqual(JSON.parse(left), JSON.parse(right));
  } catch {
    return false;
  }
}
