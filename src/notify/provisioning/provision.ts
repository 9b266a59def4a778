import type { ProvisionChange } from '../../model/alert/provision-change.ts';
import type { AppliedObject } from '../../model/ports/applied-objects.ts';
import type { Lock } from '../../model/ports/shared-state.ts';
import { NotifyError } from '../errors.ts';
import type { Desired } from '../webhooks/definition.ts';
import { validateDesired } from '../webhooks/validate.ts';
import { type CompareOptions, compare, readIfThere } from './compare.ts';
import { collectFaults, type Faults, type ObjectFault } from './object-faults.ts';
import { type ReadBack, readBack, withoutFaults } from './read-back.ts';
import { deletion, exists, reconcile, removeObject } from './reconcile.ts';
import { type Account, type Resource, resourcesOf, variableResource } from './resources.ts';

export interface ProvisionOptions extends Account {
  readonly lock: Lock;
  readonly desired: Desired;
  readonly signal: AbortSignal;
  /** Called with each fault when it is found: a platform that hangs takes minutes for each object. */
  readonly onFault?: ((fault: ObjectFault) => void) | undefined;
}

export interface Provisioned extends ReadBack {
  readonly changes: readonly ProvisionChange[];
}

/** The changes that `provision` would make now, in its order. Writes nothing. Throws `NotifyError`. */
export async function plan(options: Omit<ProvisionOptions, 'lock'>): Promise<readonly ProvisionChange[]> {
  const { desired, signal, ...account } = options;
  validateDesired(desired);
  return changesOf(account, desired, signal);
}

/**
 * Applies what is desired to the platform: reads, writes only differences, reads again. Variables come before the webhooks
 * that use them, and orphans are deleted last. A second call writes nothing. Calls for one account are serialised by the
 * lock. An object that is invalid, or that the platform refuses, is a fault of its own: the next call tries it again. Throws `NotifyError`
 * when no object can be valid.
 */
export async function provision(options: ProvisionOptions): Promise<Provisioned> {
  const { lock, desired, signal, onFault, ...account } = options;
  const faults = collectFaults(desired, onFault);
  return holdAccount(lock, account, signal, async (held) => {
    const changes = await changesOf(account, desired, held, faults);
    return { ...(await readBack(account, desired, held, faults)), changes };
  });
}

/** As `provision`, for callers that need all objects: nothing is sent when one is invalid, and the first fault is thrown at the end. */
export async function provisionAll(options: ProvisionOptions): Promise<Provisioned> {
  validateDesired(options.desired);
  return withoutFaults(await provision(options));
}

/** Runs `work` with the account locked; its signal aborts when the lock is lost. */
function holdAccount<T>(
  lock: Lock,
  { account }: Account,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return lock.hold(`provision:${account}`, (held) => work(AbortSignal.any([signal, held])), signal);
}

/**
 * Goes through the desired objects, then deletes those that were applied before and are no longer configured. Without `faults`, it only
 * compares, and throws the first `NotifyError`.
 */
async function changesOf(
  account: Account,
  desired: Desired,
  signal: AbortSignal,
  faults?: Faults,
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
    if (faults === undefined) changes.push(...(await planned(resource, options)));
    else if (kind === 'variable' || !faults.isStopped(id.slice('webhook/'.length)))
      changes.push(...((await faults.attempt(resource, () => reconcile(account, resource, options))) ?? []));
  }
  const wanted = new Set(resources.map(({ id }) => id));
  const orphans = objectsIn(remembered).filter(({ id }) => !wanted.has(id));
  // A configured object may have the name of an orphan now.
  const isReused = ({ kind, id, name }: ObjectName) => isTakenBy(kind, id)(name);
  const unused = orphans.filter((one) => !isReused(one));
  const mode = faults === undefined ? 'plan' : 'apply';
  const known = faults?.found.length;
  changes.push(...(await deletionsOf(account, unused, mode, signal, faults)));
  // Until all orphans are deleted, none is forgotten: the next call has to find them.
  if (faults?.found.length === known && mode === 'apply') await forget(account, orphans);
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
  mode: 'plan' | 'apply',
  signal: AbortSignal,
  faults?: Faults,
): Promise<readonly ProvisionChange[]> {
  const unique = [...new Map(objects.map((one) => [`${one.kind}/${one.name}`, one])).values()];
  const ordered = (['webhook', 'variable'] as const).flatMap((kind) =>
    unique.filter((one) => one.kind === kind),
  );
  const changes: ProvisionChange[] = [];
  for (const object of ordered) {
    const { kind, name } = object;
    const remove = async () => {
      if (!(await exists(account, kind, name, signal))) return;
      if (mode === 'apply') await removeObject(account, kind, name, signal);
      changes.push(deletion(kind, name));
    };
    await (faults === undefined ? remove() : faults.attempt(object, remove));
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
