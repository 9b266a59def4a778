import type { Collection, Outcome, WebhookModel } from './model.ts';

/** Permissions of an application key (webhook-integration API, "Endpoints"). */
export type Permission = 'create_webhooks' | 'integrations_read' | 'manage_integrations';

interface WebhookRequest {
  /** Path parameters, decoded. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface WebhookOperation {
  /** The platform's status for success (field notes). */
  readonly status: 200 | 201;
  readonly permission: Permission;
  run(request: WebhookRequest): Outcome;
}

/** The eight operations by method id. */
export function webhookOperations(model: WebhookModel): Readonly<Record<string, WebhookOperation>> {
  return {
    ...operationsOn('definitions', model.webhooks, 'webhook_name', 'create_webhooks'),
    ...operationsOn('customVariables', model.variables, 'custom_variable_name', 'manage_integrations'),
  };
}

function operationsOn<Item extends { readonly name: string }>(
  resource: string,
  items: Collection<Item>,
  parameter: string,
  creating: Permission,
): Readonly<Record<string, WebhookOperation>> {
  const nameIn = ({ parameters }: WebhookRequest) => parameters.get(parameter) ?? '';
  return {
    [`webhooks.${resource}.create`]: {
      status: 201,
      permission: creating,
      run: ({ body }) => items.create(body),
    },
    [`webhooks.${resource}.get`]: {
      status: 200,
      permission: 'integrations_read',
      run: (request) => items.get(nameIn(request)),
    },
    [`webhooks.${resource}.update`]: {
      status: 200,
      permission: 'manage_integrations',
      run: (request) => items.update(nameIn(request), request.body),
    },
    [`webhooks.${resource}.delete`]: {
      status: 200,
      permission: 'manage_integrations',
      run: (request) => items.delete(nameIn(request)),
    },
  };
}
