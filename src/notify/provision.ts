import type { Lock } from '../model/lock.ts';
import { type DesiredWebhook, readDefinition, type WebhookDefinition } from './definition.ts';
import { type ProvisionChange, reconcile } from './reconcile.ts';
import { type Account, variableResource, webhookResource } from './resources.ts';
import { validateDesired } from './validate.ts';

export interface ProvisionOptions extends Account {
  readonly lock: Lock;
  readonly desired: DesiredWebhook;
  readonly signal: AbortSignal;
}

export interface Provisioned {
  /** As the platform reads it back after everything was applied. */
  readonly definition: WebhookDefinition;
  readonly changes: readonly ProvisionChange[];
}

/**
 * Makes the platform hold what is desired: reads, writes only what differs, reads again. Variables come before the webhook
 * that uses them. Applied twice it writes nothing the second time. One at a time for each account. Throws `NotifyError`;
 * what was applied before an error stays, and the next call goes on from there.
 */
export async function provision(options: ProvisionOptions): Promise<Provisioned> {
  const { lock, desired, signal, ...account } = options;
  validateDesired(desired);
  return lock.hold(
    `provision:${account.account}`,
    (held) => apply(account, desired, AbortSignal.any([signal, held])),
    signal,
  );
}

async function apply(account: Account, desired: DesiredWebhook, signal: AbortSignal): Promise<Provisioned> {
  const changes: ProvisionChange[] = [];
  for (const [name, value] of Object.entries(desired.variables)) {
    changes.push(await reconcile(variableResource(account, name, value), signal));
  }
  changes.push(await reconcile(webhookResource(account, desired), signal));
  const definition = readDefinition(await account.client.readWebhook(desired.webhook.name, signal));
  return { definition, changes };
}
