import type { Outcome, WebhookModel } from './model.ts';

export interface WebhookRequest {
  /** Path parameters, decoded. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The eight operations by method id, on the status of success that the platform answers with (field notes). */
export function webhookOperations(
  model: WebhookModel,
): Readonly<Record<string, { readonly status: number; run(request: WebhookRequest): Outcome }>> {
  const webhook = ({ parameters }: WebhookRequest) => parameters.get('webhook_name') ?? '';
  const variable = ({ parameters }: WebhookRequest) => parameters.get('custom_variable_name') ?? '';
  return {
    'webhooks.definitions.create': { status: 201, run: ({ body }) => model.createWebhook(body) },
    'webhooks.definitions.get': { status: 200, run: (request) => model.readWebhook(webhook(request)) },
    'webhooks.definitions.update': {
      status: 200,
      run: (request) => model.updateWebhook(webhook(request), request.body),
    },
    'webhooks.definitions.delete': { status: 200, run: (request) => model.deleteWebhook(webhook(request)) },
    'webhooks.customVariables.create': { status: 201, run: ({ body }) => model.createVariable(body) },
    'webhooks.customVariables.get': { status: 200, run: (request) => model.readVariable(variable(request)) },
    'webhooks.customVariables.update': {
      status: 200,
      run: (request) => model.updateVariable(variable(request), request.body),
    },
    'webhooks.customVariables.delete': {
      status: 200,
      run: (request) => model.deleteVariable(variable(request)),
    },
  };
}
