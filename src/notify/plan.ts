import type { DesiredWebhook } from './definition.ts';
import { compare, type ProvisionChange } from './reconcile.ts';
import { type Account, variableResource, webhookResource } from './resources.ts';
import { validateDesired } from './validate.ts';

export interface PlanOptions extends Account {
  readonly desired: DesiredWebhook;
  readonly signal: AbortSignal;
}

/**
 * What `provision` would do now, in its order: variables, then the webhook that uses them. Writes nothing. Throws
 * `NotifyError`.
 */
export async function plan({
  desired,
  signal,
  ...account
}: PlanOptions): Promise<readonly ProvisionChange[]> {
  validateDesired(desired);
  const changes: ProvisionChange[] = [];
  for (const [name, value] of Object.entries(desired.variables)) {
    changes.push((await compare(variableResource(account, name, value), signal)).change);
  }
  changes.push((await compare(webhookResource(account, desired), signal)).change);
  return changes;
}
