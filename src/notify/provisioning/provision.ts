import type { ProvisionChange } from '../../model/alert/provision-change.ts';
import type { AppliedObject } from '../../model/ports/applied-objects.ts';
import type { Lock } from '../../model/ports/shared-state.ts';
import { NotifyError } from '../errors.ts';
import {
  type Desired,
  readDefinition,
  type VariableValue,
  type WebhookDefinition,
} from '../webhooks/definition.ts';
import { validateDesired } from '../webhooks/validate.ts';
import { type CompareOptions, compare, readIfThere } from './compare.ts';
import { deletion, exists, reconcile, removeObject } from './reconcile.ts';
import { type Account, type Resource, resourcesOf, variableResource } from './resources.ts';

export interface ProvisionOptions extends Account {
  readonly lock: Lock;
  readonly desired: Desired;
  readonly signal: AbortSignal;
}

/** Alerts are rendered with this: the platform's objects, and the configured secrets, which it never returns. */
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

type Mode = 'plan' | 'apply';

/** Goes through the desired objects, then deletes those that were applied before and are no longer configured. `plan` only compares. */
async function changesOf(
  account: Account,
  desired: Desired,
  mode: Mode,
  signal: AbortSignal,
): Promise<readonly ProvisionChange[]> {
  const remembered = await account.applied.read(account.account);
  const resources = resourcesOf(account, desired);
  const isTakenBy = (kind: Resource['kind'], own: string) => (name: string) =>
    resources.some((one) => one.kind === kind && one.id !== own && one.name === name);
  const changes: ProvisionChange[] = [];
  for (const resource of resources) {
    const { kind, id } = resource;
    const options = {
      remembered: remembered.get(id),
      drift: desired.drift ?? 'restore',
      isTaken: isTakenBy(kind, id),
      signal,
    };
    changes.push(
      ...(await (mode === 'plan' ? planned(resource, options) : reconcile(account, resource, options))),
    );
  }
  const wanted = new Set(resources.map(({ id }) => id));
  const orphans = objectsIn(remembered).filter(({ id }) => !wanted.has(id));
  // A configured object may have the name of an orphan now.
  const isReused = ({ kind, id, name }: ObjectName) => isTakenBy(kind, id)(name);
  changes.push(
    ...(await deletionsOf(
      account,
      orphans.filter((one) => !isReused(one)),
      mode,
      signal,
    )),
  );
  if (mode === 'apply') await forget(account, orphans);
  return changes;
}

/** An object of the platform by its name there, and the key under which it is remembered. */
type ObjectName = Pick<Resource, 'id' | 'kind' | 'name'>;

function objectsIn(remembered: ReadonlyMap<string, AppliedObject>): readonly ObjectName[] {
  return Array.from(remembered, ([id, { name }]) => {
    return { id, kind: id.startsWith('webhook/') ? 'webhook' : 'variable', name };
  });
}

/** Deletes the objects that exist, webhooks before the variables that they use, and each once. `plan` only looks for them. */
async function deletionsOf(
  account: Account,
  objects: readonly ObjectName[],
  mode: Mode,
  signal: AbortSignal,
): Promise<readonly ProvisionChange[]> {
  const unique = [...new Map(objects.map((one) => [`${one.kind}/${one.name}`, one])).values()];
  const ordered = (['webhook', 'variable'] as const).flatMap((kind) =>
    unique.filter((one) => one.kind === kind),
  );
  const changes: ProvisionChange[] = [];
  for (const { kind, name } of ordered) {
    if (!(await exists(account, kind, name, signal))) continue;
    if (mode === 'apply') await removeObject(account, kind, name, signal);
    changes.push(deletion(kind, name));
  }
  return changes;
}

/** Forgets objects once all of them are deleted: until then, another call has to find them. */
async function forget({ applied, account }: Account, objects: readonly ObjectName[]): Promise<void> {
  for (const { id } of objects) await applied.remove(account, id);
}

/** The deletions that `destroy` would make, in its order. Writes nothing. Throws `NotifyError`. */
export async function planDestroy(
  options: Omit<ProvisionOptions, 'lock'>,
): Promise<readonly ProvisionChange[]> {
  const { desired, signal, ...account } = options;
  return deletionsOf(account, await objectsToDelete(account, desired), 'plan', signal);
}

/**
 * Deletes all configured and all previously applied objects. Missing objects are not an error. Throws `NotifyError`; another call
 * continues from there.
 */
export async function destroy(options: ProvisionOptions): Promise<readonly ProvisionChange[]> {
  const { lock, desired, signal, ...account } = options;
  return holdAccount(lock, account, signal, async (held) => {
    const objects = await objectsToDelete(account, desired);
    const changes = await deletionsOf(account, objects, 'apply', held);
    await forget(account, objects);
    return changes;
  });
}

/** The configured and the remembered objects. A renamed webhook may exist under both names. */
async function objectsToDelete(account: Account, desired: Desired): Promise<readonly ObjectName[]> {
  const remembered = await account.applied.read(account.account);
  return [...resourcesOf(account, desired).toReversed(), ...objectsIn(remembered)];
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

/** Returns what alerts are rendered with when no platform is configured. Throws `NotifyError` for what provisioning would reject. */
export function configuredAlone(desired: Desired): ReadBack {
  validateDesired(desired);
  const { webhooks, variables } = desired;
  return {
    definitions: new Map(webhooks.map(({ route, ...definition }) => [route, definition])),
    variables,
  };
}

interface RotateOptions extends ProvisionOptions {
  readonly variable: string;
}

/**
 * Sends the value of one secret variable again, even if it was applied before: a secret cannot be read back, so a value
 * that was replaced on the platform goes unnoticed. Throws `NotifyError` (`bad-request` when it is not a configured
 * secret).
 */
export async function rotate(options: RotateOptions): Promise<readonly ProvisionChange[]> {
  const { lock, desired, variable, signal, ...account } = options;
  const value = Object.hasOwn(desired.variables, variable) ? desired.variables[variable] : undefined;
  if (value === undefined || !('secret' in value)) throw notRotatable(variable, desired);
  const resource = variableResource(account, variable, value) as Resource;
  return holdAccount(lock, account, signal, async (held) => {
    const existing = await readIfThere(resource, variable, held);
    const remembered = (await account.applied.read(account.account)).get(resource.id);
    const { value: _forgotten, ...fields } = remembered?.fields ?? {};
    return reconcile(account, resource, {
      // Without its hash the value counts as never applied; a deleted variable is recreated.
      remembered: existing === undefined ? undefined : { name: variable, fields },
      drift: 'restore',
      isTaken: () => false,
      signal: held,
    });
  });
}

function notRotatable(variable: string, { variables }: Desired): NotifyError {
  if (Object.hasOwn(variables, variable)) {
    const message = `The variable ${variable} is not a secret: change its value in the configuration, then run \`lockhound webhook apply\``;
    return new NotifyError('bad-request', message);
  }
  const secrets = Object.entries(variables).filter(([, value]) => 'secret' in value);
  const known = secrets.map(([name]) => name).join(', ') || 'none';
  return new NotifyError(
    'bad-request',
    `The variable ${variable} is not configured in \`notify.variables\`; its secret variables are: ${known}`,
  );
}
