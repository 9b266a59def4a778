import type { ApiClient, ApiResponse } from '../../discovery/client.ts';
import { DiscoveryError } from '../../discovery/errors.ts';
import { HttpError } from '../../http/errors.ts';
import { isObject } from '../../model/json-object.ts';
import { isRateLimited, isTemporary, retryOptions } from '../../model/retry-after.ts';
import type { Secret } from '../../model/secret.ts';
import { createMasker, harmlessCause, type Masker } from '../../model/secret.ts';
import { NotifyError, type NotifyErrorCode } from '../errors.ts';
import type {
  WebhooksIntegrationCustomVariableUpdateRequest as VariableUpdate,
  WebhookMethods,
  WebhooksIntegration,
  WebhooksIntegrationCustomVariable,
  WebhooksIntegrationUpdateRequest,
} from './api.generated.ts';

/** The eight operations. All throw `NotifyError`; an aborted call throws the `HttpError` (`aborted`). */
export type PlatformClient = ReturnType<typeof createPlatformClient>;

export interface PlatformClientOptions {
  /** Client of `apis/webhooks.v1.json` with the credential headers. */
  readonly api: ApiClient;
  /** Values that messages must not hold: the credentials and the configured secrets. */
  readonly secrets?: readonly Secret[];
}

export function createPlatformClient({ api, secrets = [] }: PlatformClientOptions) {
  const call = createCaller(api, secrets);
  const webhook = (name: string) => ({ webhook_name: name });
  const variable = (name: string) => ({ custom_variable_name: name });
  return {
    createWebhook: (body: WebhooksIntegration, signal?: AbortSignal) =>
      call('webhooks.definitions.create', { body, signal }),
    readWebhook: (name: string, signal?: AbortSignal) =>
      call('webhooks.definitions.get', { params: webhook(name), signal }),
    updateWebhook: (name: string, body: WebhooksIntegrationUpdateRequest, signal?: AbortSignal) =>
      call('webhooks.definitions.update', { params: webhook(name), body, signal }),
    deleteWebhook: (name: string, signal?: AbortSignal) =>
      call('webhooks.definitions.delete', { params: webhook(name), signal }),
    createVariable: (body: WebhooksIntegrationCustomVariable, signal?: AbortSignal) =>
      call('webhooks.customVariables.create', { body, signal }),
    readVariable: (name: string, signal?: AbortSignal) =>
      call('webhooks.customVariables.get', { params: variable(name), signal }),
    updateVariable: (name: string, body: VariableUpdate, signal?: AbortSignal) =>
      call('webhooks.customVariables.update', { params: variable(name), body, signal }),
    deleteVariable: (name: string, signal?: AbortSignal) =>
      call('webhooks.customVariables.delete', { params: variable(name), signal }),
  };
}

interface CallInput<Id extends keyof WebhookMethods> {
  readonly params?: WebhookMethods[Id]['params'];
  readonly body?: WebhookMethods[Id]['body'];
  readonly signal: AbortSignal | undefined;
}

type Caller = <Id extends keyof WebhookMethods>(
  id: Id,
  input: CallInput<Id>,
) => Promise<WebhookMethods[Id]['response']>;

function createCaller(api: ApiClient, secrets: readonly Secret[]): Caller {
  return async (id, { params, body, signal }) => {
    // An error answer may quote the request, which holds the value of a variable.
    const hidden = [...secrets.map((secret) => secret.reveal()), ...valueIn(body)];
    const response = await api.call(id, { params: { ...params }, body, signal }).catch((error: unknown) => {
      throw withoutAnswer(error, hidden);
    });
    if (response.status < 200 || response.status > 299) throw refusal(response, hidden);
    return id.endsWith('.delete') ? undefined : objectIn(response, hidden);
  };
}

/** The value of a variable, unless it is marked as not secret. */
function valueIn(body: object | undefined): string[] {
  if (body === undefined || !('value' in body) || typeof body.value !== 'string') return [];
  return 'is_secret' in body && body.is_secret === false ? [] : [body.value];
}

const MAX_QUOTE = 300;

/** The error for a call without an answer; `hidden` values are masked in its message. */
function withoutAnswer(error: unknown, hidden: readonly string[]): unknown {
  const mask = createMasker(hidden);
  if (error instanceof DiscoveryError) {
    return new NotifyError('bad-request', mask(error.message), harmlessCause(error, mask));
  }
  if (!(error instanceof HttpError) || error.code === 'aborted') return error;
  const broken = error.code === 'too-large' || error.code === 'invalid-answer';
  return new NotifyError(broken ? 'contract' : 'unavailable', mask(error.message), {
    ...harmlessCause(error, mask),
    retryable: error.retryable,
  });
}

/** The error for an answer that is not a success. */
function refusal(response: ApiResponse, hidden: readonly string[]): NotifyError {
  const { request, status } = response;
  const reason = reasonIn(response);
  const code = codeOf(status, reason);
  const mask = createMasker(hidden);
  const message = `${mask(request)}: HTTP ${status}, ${quote(reason, mask)}${adviceFor(code)}`;
  return new NotifyError(code, message, retryOptions(response));
}

/** The types of the fields that are read. Each may be absent or `null`. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ...['name', 'url', 'custom_headers', 'payload', 'encode_as', 'value'].map(
    (one) => [one, 'string'] as const,
  ),
  ['is_secret', 'boolean'],
]);

/** The JSON object of a success. Throws `NotifyError` (`contract`). */
function objectIn<Value>(response: ApiResponse, hidden: readonly string[]): Value {
  const { content, request, status } = response;
  if (content.kind === 'json' && isObject(content.value)) {
    const [misfit] = Object.entries(content.value).flatMap(([name, value]) =>
      value === null || typeof value === (TYPES.get(name) ?? typeof value) ? [] : name,
    );
    if (misfit === undefined) return content.value as Value;
    const message = `${request}: HTTP ${status}, \`${misfit}\` is no ${TYPES.get(misfit)}`;
    throw new NotifyError('contract', message, { retryable: true });
  }
  // A proxy may have answered or cut the answer short: a retry may succeed.
  const reason = quote(reasonIn(response), createMasker(hidden));
  throw new NotifyError('contract', `${request}: HTTP ${status}, ${reason} where a JSON object is expected`, {
    retryable: true,
  });
}

function codeOf(status: number, reason: string): NotifyErrorCode {
  if (status === 401 || status === 403) return 'authentication';
  if (status === 404) return 'not-found';
  if (isRateLimited({ status })) return 'too-many-requests';
  if (status === 409 || (status === 400 && /already exists/i.test(reason))) return 'conflict';
  if (isTemporary({ status })) return 'unavailable';
  return status < 400 ? 'contract' : 'bad-request';
}

function adviceFor(code: NotifyErrorCode): string {
  if (code === 'authentication') {
    return '. Check `notify.platform`: both keys, `headerPrefix`, the site, and the permissions of the application key';
  }
  return code === 'contract' ? '. Check the URL or site of `notify.platform`' : '';
}

/** The `errors` of the answer, otherwise its content. */
function reasonIn({ content }: ApiResponse): string {
  if (content.kind === 'empty') return '';
  if (content.kind === 'text')
    return /^\s*<(?:!doctype|html)/i.test(content.text) ? 'an HTML page' : content.text;
  const { value } = content;
  if (typeof value === 'object' && value !== null && 'errors' in value && Array.isArray(value.errors)) {
    return value.errors.map(String).join('; ');
  }
  return JSON.stringify(value);
}

/** Masked before it is cut, because a mask does not find half a secret. */
function quote(text: string, mask: Masker): string {
  const shown = mask(text).trim();
  return shown === '' ? 'without a reason' : JSON.stringify(shown.slice(0, MAX_QUOTE));
}
