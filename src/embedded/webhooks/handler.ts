import type { Outcome, WebhookModel } from './model.ts';

/** What an application key may be allowed (webhook-integration API, "Endpoints"). */
export type Permission = 'create_webhooks' | 'integrations_read' | 'manage_integrations';

export interface WebhookRequest {
  /** Path parameters, decoded. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface WebhookOperation {
  /** Status of success that the platform answers with (field notes). */
  readonly status: 200 | 201;
  readonly permission: Permission;
  run(request: WebhookRequest): Outcome;
}

/** The eight operations by method id. */
export function webhookOperations(model: WebhookModel): Readonly<Record<string, WebhookOperation>> {
  const webhook = ({ parameters }: WebhookRequest) => parameters.get('webhook_name') ?? '';
  const variable = ({ parameters }: WebhookRequest) => parameters.get('custom_variable_name') ?? '';
  return {
    'webhooks.definitions.create': {
      status: 201,
      permission: 'create_webhooks',
      run: ({ body }) => model.createWebhook(body),
    },
    'webhooks.definitions.get': reading((request) => model.readWebhook(webhook(request))),
    'webhooks.definitions.update': managing((request) => model.updateWebhook(webhook(request), request.body)),
    'webhooks.definitions.delete': managing((request) => model.deleteWebhook(webhook(request))),
    'webhooks.customVariables.create': {
      ...managing(({ body }) => model.createVariable(body)),
      status: 201,
    },
    'webhooks.customVariables.get': reading((request) => model.readVariable(variable(request))),
    'webhooks.customVariables.update': managing((request) =>
      model.updateVariable(variable(request), request.body),
    ),
    'webhooks.customVariables.delete': managing((request) => model.deleteVariable(variable(request))),
  };
}

function reading(run: WebhookOperation['run']): WebhookOperation {
  return { status: 200, permission: 'integrations_read', run };
}

function managing(run: WebhookOperation['run']): WebhookOperation {
  return { status: 200, permission: 'manage_integrations', run };
}
