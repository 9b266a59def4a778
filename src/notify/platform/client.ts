import type { ApiCall, ApiClient, ApiResponse } from '../../discovery/client.ts';
import { DiscoveryError } from '../../discovery/errors.ts';
import { HttpError } from '../../http/errors.ts';
import { NotifyError } from '../errors.ts';
import type {
  WebhookMethods,
  WebhooksIntegration,
  WebhooksIntegrationCustomVariable,
  WebhooksIntegrationCustomVariableResponse,
  WebhooksIntegrationCustomVariableUpdateRequest,
  WebhooksIntegrationUpdateRequest,
} from './api.generated.ts';

/**
 * The 8 operations of the webhook-integration API. All throw `NotifyError`; reading something that is not there gives
 * `undefined`.
 */
export interface WebhookPlatform {
  createWebhook(definition: WebhooksIntegration, signal?: AbortSignal): Promise<WebhooksIntegration>;
  getWebhook(name: string, signal?: AbortSignal): Promise<WebhooksIntegration | undefined>;
  updateWebhook(
    name: string,
    changes: WebhooksIntegrationUpdateRequest,
    signal?: AbortSignal,
  ): Promise<WebhooksIntegration>;
  deleteWebhook(name: string, signal?: AbortSignal): Promise<void>;
  createVariable(
    variable: WebhooksIntegrationCustomVariable,
    signal?: AbortSignal,
  ): Promise<WebhooksIntegrationCustomVariableResponse>;
  getVariable(
    name: string,
    signal?: AbortSignal,
  ): Promise<WebhooksIntegrationCustomVariableResponse | undefined>;
  updateVariable(
    name: string,
    changes: WebhooksIntegrationCustomVariableUpdateRequest,
    signal?: AbortSignal,
  ): Promise<WebhooksIntegrationCustomVariableResponse>;
  deleteVariable(name: string, signal?: AbortSignal): Promise<void>;
}

/** The operations over a client of `apis/webhooks.v1.json` that sends the credential headers. */
export function createWebhookPlatform(api: ApiClient): WebhookPlatform {
  const webhook = (name: string) => ({ params: { webhook_name: name } });
  const variable = (name: string) => ({ params: { custom_variable_name: name } });
  return {
    createWebhook: (body, signal) => call(api, 'webhooks.definitions.create', { body }, signal),
    getWebhook: (name, signal) => orUndefined(call(api, 'webhooks.definitions.get', webhook(name), signal)),
    updateWebhook: (name, body, signal) =>
      call(api, 'webhooks.definitions.update', { ...webhook(name), body }, signal),
    deleteWebhook: async (name, signal) =>
      void (await send(api, 'webhooks.definitions.delete', webhook(name), signal)),
    createVariable: (body, signal) => call(api, 'webhooks.customVariables.create', { body }, signal),
    getVariable: (name, signal) =>
      orUndefined(call(api, 'webhooks.customVariables.get', variable(name), signal)),
    updateVariable: (name, body, signal) =>
      call(api, 'webhooks.customVariables.update', { ...variable(name), body }, signal),
    deleteVariable: async (name, signal) =>
      void (await send(api, 'webhooks.customVariables.delete', variable(name), signal)),
  };
}

async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NotifyError && error.code === 'not-found') return undefined;
    throw error;
  }
}

async function call<Id extends keyof WebhookMethods>(
  api: ApiClient,
  id: Id,
  input: ApiCall,
  signal: AbortSignal | undefined,
): Promise<NonNullable<WebhookMethods[Id]['response']>> {
  const { content, request, status } = await send(api, id, input, signal);
  if (content.kind === 'json' && typeof content.value === 'object' && content.value !== null) {
    return content.value as NonNullable<WebhookMethods[Id]['response']>;
  }
  throw new NotifyError(
    'contract',
    `${request}: HTTP ${status} without the JSON object that the API promises`,
  );
}

async function send(
  api: ApiClient,
  id: string,
  input: ApiCall,
  signal: AbortSignal | undefined,
): Promise<ApiResponse> {
  let response: ApiResponse;
  try {
    response = await api.call(id, signal === undefined ? input : { ...input, signal });
  } catch (error) {
    if (error instanceof DiscoveryError)
      throw new NotifyError('bad-request', error.message, { cause: error });
    if (!(error instanceof HttpError) || error.code === 'aborted') throw error;
    throw new NotifyError('unavailable', error.message, { cause: error, retryable: true });
  }
  if (response.status >= 200 && response.status < 300) return response;
  throw refusal(response);
}

/** Names of outcomes by status code (specification, "Errors"; codes from the field notes). */
function refusal({ status, content, request, retryAfterMs }: ApiResponse): NotifyError {
  const errors = errorsOf(content);
  const message = `${request}: HTTP ${status}${errors === undefined ? '' : `, ${errors.join('; ')}`}`;
  const later = { retryable: true, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  if (status === 429) return new NotifyError('too-many-requests', message, later);
  if (status >= 500 || status === 408) return new NotifyError('unavailable', message, later);
  if (status === 401 || status === 403) {
    return new NotifyError(
      'authentication',
      `${message}; check API key, application key and their permissions`,
    );
  }
  if (errors === undefined)
    return new NotifyError('contract', `${message}: no answer of the webhook-integration API; check its URL`);
  if (status === 404) return new NotifyError('not-found', message);
  const exists = status === 409 || errors.some((text) => /already exists|duplicate/i.test(text));
  return new NotifyError(exists ? 'conflict' : 'bad-request', message);
}

function errorsOf(content: ApiResponse['content']): readonly string[] | undefined {
  if (content.kind !== 'json' || typeof content.value !== 'object' || content.value === null)
    return undefined;
  const { errors } = content.value as { readonly errors?: unknown };
  return Array.isArray(errors) ? errors.map((text) => String(text).slice(0, 300)) : undefined;
}
