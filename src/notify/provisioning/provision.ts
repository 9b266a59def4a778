import type { ProvisionChange } from '../../model/alert/provision-change.ts';
import type { Lock } from '../../model/ports/lock.ts';
import {
  type Desired,
  readDefinition,
  type VariableValue,
  type WebhookDefinition,
} from '../webhooks/definition.ts';
import { validateDesired } from '../webhooks/validate.ts';
import { type CompareOptions, compare, readIfThere } from './compare.ts';
import { isTakenBy, orphansIn } from './orphans.ts';
import { reconcile } from './reconcile.ts';
import { deletion, exists, removeObject } from './remove.ts';
import type { Resource } from './resource.ts';
import { type Account, resourcesOf } from './resources.ts';

export interface ProvisionOptions extends Account {
  readonly lock: Lock;
  readonly desired: Desired;
  readonly signal: AbortSignal;
}

/** What alerts are rendered with: the platform's objects, and the configured secrets, which it never returns. */
export interface ReadBack {
  /** By route; a webhook that does not exist has none. */
  readonly definitions: ReadonlyMap<string, WebhookDefinition>;
  readonly variables: Readonly<Record<string, VariableValue>>;
}

export interface Provisioned extends ReadBack {
  readonly changes: readonly ProvisionChange[];
}

/** The changes that `provision` would make now, in its order. Writes nothing. Throws `NotifyError`. */
export async function plan(options: Omit<ProvisionOptions, 'lock'>): Promise<readonly ProvisionChange[]> {
  const { desired, signal, ...account } = options;
  validateDesired(desired);
  return changesOf(account, desired, 'plan', signal);
}

/**
 * Applies what is desired to the platform: reads, writes only differences, reads again. Variables come before the webhooks
 * that use them, and orphans are deleted last. A second call writes nothing. Calls for one account are serialised by the
 * lock. Throws `NotifyError`; what was applied before an error stays, and the next call continues from there.
 */
export async function provision(options: ProvisionOptions): Promise<Provisioned> {
  const { lock, desired, signal, ...account } = options;
  validateDesired(desired);
  return holdAccount(lock, account, signal, async (held) => {
    const changes = await changesOf(account, desired, 'apply', held);
    return { ...(await readBack(account, desired, held)), changes };
  });
}

/** Runs `work` with the account locked; its signal aborts when the lock is lost. */
export function holdAccount<T>(
  lock: Lock,
  { account }: Account,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return lock.hold(`provision:${account}`, (held) => work(AbortSignal.any([signal, held])), signal);
}

/** Goes through the desired objects, then the orphans. `plan` only compares; `apply` also writes. */
async function changesOf(
  account: Account,
  desired: Desired,
  mode: 'plan' | 'apply',
  signal: AbortSignal,
): Promise<readonly ProvisionChange[]> {
  const remembered = await account.applied.read(account.account);
  const resources = resourcesOf(account, desired);
  const changes: ProvisionChange[] = [];
  for (const resource of resources) {
    const { kind, id } = resource;
    const options = {
      remembered: remembered.get(id),
      drift: desired.drift ?? 'restore',
      isTaken: isTakenBy(resources, kind, id),
      signal,
    };
    changes.push(
      ...(await (mode === 'plan' ? planned(resource, options) : reconcile(account, resource, options))),
    );
  }
  for (const { id, kind, name, reused } of orphansIn(resources, remembered)) {
    if (!reused && (await exists(account, kind, name, signal))) {
      if (mode === 'apply') await removeObject(account, kind, name, signal);
      changes.push(deletion(kind, name));
    }
    if (mode === 'apply') await account.applied.remove(account.account, id);
  }
  return changes;
}

async function planned(resource: Resource, options: CompareOptions): Promise<readonly ProvisionChange[]> {
  const { change, stale } = await compare(resource, options);
  return stale === undefined ? [change] : [change, deletion(resource.kind, stale)];
}

/** Reads the configured objects from the platform. Throws `NotifyError`. */
export async function readBack(
  { client }: Account,
  desired: Desired,
  signal: AbortSignal,
): Promise<ReadBack> {
  const variables: Record<string, VariableValue> = { ...desired.variables };
  for (const [name, wanted] of Object.entries(desired.variables)) {
    if ('secret' in wanted) continue;
    // The value differs from the configured one only when an operator's change is kept.
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
