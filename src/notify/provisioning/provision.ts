import type { ProvisionChange } from '../../model/alert/provision-change.ts';
import type { Lock } from '../../model/ports/lock.ts';
import {
  type Desired,
  readDefinition,
  type VariableValue,
  type WebhookDefinition,
} from '../webhooks/definition.ts';
import { validateDesired } from '../webhooks/validate.ts';
import { readIfThere } from './compare.ts';
import { orphansIn, takenBy } from './orphans.ts';
import { reconcile } from './reconcile.ts';
import { deletion, isThere, removeObject } from './remove.ts';
import type { Resource } from './resource.ts';
import { type Account, resourcesOf } from './resources.ts';

export interface ProvisionOptions extends Account {
  readonly lock: Lock;
  readonly desired: Desired;
  readonly signal: AbortSignal;
}

/** What alerts are rendered with: what the platform reads back, and the secrets, which it does not. */
export interface ReadBack {
  /** By route. A webhook that is not there has none. */
  readonly definitions: ReadonlyMap<string, WebhookDefinition>;
  readonly variables: Readonly<Record<string, VariableValue>>;
}

export interface Provisioned extends ReadBack {
  readonly changes: readonly ProvisionChange[];
}

/**
 * Makes the platform hold what is desired: reads, writes only what differs, reads again. Variables come before the
 * webhooks that use them; what was applied once and is not wanted any more goes last. Applied twice it writes nothing the
 * second time. One at a time for each account. Throws `NotifyError`; what was applied before an error stays, and the
 * next call goes on from there.
 */
export async function provision(options: ProvisionOptions): Promise<Provisioned> {
  const { lock, desired, signal, ...account } = options;
  validateDesired(desired);
  return holdAccount(lock, account, signal, (held) => apply(account, desired, held));
}

/** Runs `work` while nobody else writes to the account; its signal aborts when the lock is lost. */
export function holdAccount<T>(
  lock: Lock,
  { account }: Account,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return lock.hold(`provision:${account}`, (held) => work(AbortSignal.any([signal, held])), signal);
}

async function apply(account: Account, desired: Desired, signal: AbortSignal): Promise<Provisioned> {
  const remembered = await account.applied.read(account.account);
  const resources = resourcesOf(account, desired);
  const changes: ProvisionChange[] = [];
  for (const resource of resources) {
    const { kind, id } = resource;
    const options = {
      remembered: remembered.get(id),
      drift: desired.drift ?? 'restore',
      isTaken: takenBy(resources, kind, id),
      signal,
    };
    changes.push(...(await reconcile(account, resource, options)));
  }
  changes.push(...(await removeOrphans(account, resources, remembered, signal)));
  return { ...(await readBack(account, desired, signal)), changes };
}

async function removeOrphans(
  account: Account,
  resources: readonly Resource[],
  remembered: Parameters<typeof orphansIn>[1],
  signal: AbortSignal,
): Promise<readonly ProvisionChange[]> {
  const changes: ProvisionChange[] = [];
  for (const { id, kind, name } of orphansIn(resources, remembered)) {
    const taken = takenBy(resources, kind, id)(name);
    if (!taken && (await isThere(account, kind, name, signal))) {
      await removeObject(account, kind, name, signal);
      changes.push(deletion(kind, name));
    }
    await account.applied.remove(account.account, id);
  }
  return changes;
}

/** What the platform holds. Throws `NotifyError`. */
export async function readBack(
  { client }: Account,
  desired: Desired,
  signal: AbortSignal,
): Promise<ReadBack> {
  const variables: Record<string, VariableValue> = { ...desired.variables };
  for (const [name, wanted] of Object.entries(desired.variables)) {
    if ('secret' in wanted) continue;
    // Another value than the configured one is there only where an operator's change is kept.
    const value = (await readIfThere({ read: client.readVariable }, name, signal))?.value.value;
    if (value !== undefined) variables[name] = { value };
  }
  const definitions = new Map<string, WebhookDefinition>();
  for (const { route, name } of desired.webhooks) {
    const found = await readIfThere({ read: client.readWebhook }, name, signal);
    if (found !== undefined) definitions.set(route, readDefinition(found.value));
  }
  return { definitions, variables };
}
