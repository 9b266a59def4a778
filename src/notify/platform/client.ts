import type { ApiClient } from '../../discovery/client.ts';
import type { Secret } from '../../model/secret.ts';
import type {
  WebhookMethods,
  WebhooksIntegration,
  WebhooksIntegrationCustomVariable,
  WebhooksIntegrationCustomVariableResponse,
  WebhooksIntegrationCustomVariableUpdateRequest,
  WebhooksIntegrationUpdateRequest,
} from './api.generated.ts';
import { objectIn, refusal, withoutAnswer } from './outcome.ts';

/** The eight operations. All throw `NotifyError`; an aborted call throws the `HttpError` (`aborted`). */
export interface PlatformClient {
  createWebhook(webhook: WebhooksIntegration, signal?: AbortSignal): Promise<WebhooksIntegration>;
  readWebhook(name: string, signal?: AbortSignal): Promise<WebhooksIntegration>;
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
  readVariable(name: string, signal?: AbortSignal): Promise<WebhooksIntegrationCustomVariableResponse>;
  updateVariable(
    name: string,
    changes: WebhooksIntegrationCustomVariableUpdateRequest,
    signal?: AbortSignal,
  ): Promise<WebhooksIntegrationCustomVariableResponse>;
  deleteVariable(name: string, signal?: AbortSignal): Promise<void>;
}

export interface PlatformClientOptions {
  /** Client of `apis/webhooks.v1.json` with the credential headers. */
  readonly api: ApiClient;
  /** Values that messages must not hold: the credentials and the configured secrets. */
  readonly secrets?: readonly Secret[];
}

export function createPlatformClient({ api, secrets = [] }: PlatformClientOptions): PlatformClient {
  const call = createCaller(api, secrets);
  return {
    createWebhook: (body, signal) => call('webhooks.definitions.create', { body, signal }),
    readWebhook: (name, signal) =>
      call('webhooks.definitions.get', { params: { webhook_name: name }, signal }),
    updateWebhook: (name, body, signal) =>
      call('webhooks.definitions.update', { params: { webhook_name: name }, body, signal }),
    deleteWebhook: (name, signal) =>
      call('webhooks.definitions.delete', { params: { webhook_name: name }, signal }),
    createVariable: (body, signal) => call('webhooks.customVariables.create', { body, signal }),
    readVariable: (name, signal) =>
      call('webhooks.customVariables.get', { params: { custom_variable_name: name }, signal }),
    updateVariable: (name, body, signal) =>
      call('webhooks.customVariables.update', { params: { custom_variable_name: name }, body, signal }),
    deleteVariable: (name, signal) =>
      call('webhooks.customVariables.delete', { params: { custom_variable_name: name }, signal }),
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
