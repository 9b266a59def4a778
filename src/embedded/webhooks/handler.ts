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
  const [id, read, manage] = [`webhooks.${resource}`, 'integrations_read', 'manage_integrations'] as const;
  return {
    [`${id}.create`]: { status: 201, permission: creating, run: ({ body }) => items.create(body) },
    [`${id}.get`]: { status: 200, permission: read, run: (call) => items.get(nameIn(call)) },
    [`${id}.update`]: {
      status: 200,
      permission: manage,
      run: (call) => items.update(nameIn(call), call.body),
    },
    [`${id}.delete`]: { status: 200, permission: manage, run: (call) => items.delete(nameIn(call)) },
  };
}
