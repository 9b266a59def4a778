import type { ApiClient } from '../../discovery/client.ts';
import type { Secret } from '../../model/secret.ts';
import type {
  WebhooksIntegrationCustomVariableUpdateRequest as VariableUpdate,
  WebhookMethods,
  WebhooksIntegration,
  WebhooksIntegrationCustomVariable,
  WebhooksIntegrationUpdateRequest,
} from './api.generated.ts';
import { objectIn, refusal, withoutAnswer } from './outcome.ts';

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
