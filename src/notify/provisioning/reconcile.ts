import type { ProvisionChange } from '../../model/alert/provision-change.ts';
import type { AppliedObject } from '../../model/ports/applied-objects.ts';
import { NotifyError } from '../errors.ts';
import { type CompareOptions, type Comparison, compare, readIfThere } from './compare.ts';
import type { Account, Resource } from './resources.ts';

/** How often another writer may create or delete the object between a read and the write that follows. */
const ATTEMPTS = 3;

/**
 * Reads, then creates, renames or updates, and remembers what was applied. When another writer interfered (the object
 * exists already, or is gone), it starts again. The platform answers 400 for a name in use, with an undocumented text, so
 * the first refused creation is repeated as well.
 */
export async function reconcile(
  account: Account,
  resource: Resource,
  options: CompareOptions,
): Promise<readonly ProvisionChange[]> {
  for (let attempt = 1; ; attempt += 1) {
    const comparison = await compare(resource, options);
    try {
      return await write(account, resource, comparison, options);
    } catch (error) {
      const creating = comparison.at === undefined;
      if (!isConcurrentWrite(error, creating && attempt === 1) || attempt === ATTEMPTS) throw error;
    }
  }
}

function isConcurrentWrite(error: unknown, firstCreation: boolean): boolean {
  if (!(error instanceof NotifyError)) return false;
  const { code } = error;
  return code === 'conflict' || code === 'not-found' || (firstCreation && code === 'bad-request');
}

async function write(
  account: Account,
  resource: Resource,
  { change, at, send, stale }: Comparison,
  { remembered, signal }: CompareOptions,
): Promise<readonly ProvisionChange[]> {
  const { id, kind, name, fields } = resource;
  const remember = (object: AppliedObject) => account.applied.write(account.account, id, object);
  if (at === undefined) {
    // An operator deleted it, and `drift: keep` leaves it deleted.
    if (change.action === 'kept') return [change];
    await remember({ name, fields: {} });
    await resource.create(signal);
  } else if (send.length > 0 || at !== name) {
    // Forgotten first: after a failed write it is unknown what the platform holds.
    const kept = Object.entries(remembered?.fields ?? {}).filter(([field]) => !send.includes(field));
    await remember({ name: at, fields: Object.fromEntries(kept) });
    await resource.update(at, send, signal);
  }
  if (stale !== undefined) await removeObject(account, kind, stale, signal);
  const known =
    remembered?.name === name && fields.every((field) => remembered.fields[field.name] === field.hash);
  if (!known || change.action === 'created' || change.action === 'updated') {
    await remember({ name, fields: Object.fromEntries(fields.map((field) => [field.name, field.hash])) });
  }
  return stale === undefined ? [change] : [change, deletion(kind, stale)];
}

/** Deletes an object; one that does not exist is not an error. */
export async function removeObject(
  { client }: Account,
  kind: ProvisionChange['kind'],
  name: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await (kind === 'webhook' ? client.deleteWebhook(name, signal) : client.deleteVariable(name, signal));
  } catch (error) {
    if (!(error instanceof NotifyError && error.code === 'not-found')) throw error;
  }
}

/** The change that describes a deletion. */
export function deletion(kind: ProvisionChange['kind'], name: string): ProvisionChange {
  return { kind, name, action: 'deleted', drift: false, fields: [] };
}

/** Whether the platform has an object. */
export async function exists(
  { client }: Account,
  kind: ProvisionChange['kind'],
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  const read: (name: string, signal: AbortSignal) => Promise<unknown> =
    kind === 'webhook' ? client.readWebhook : client.readVariable;
  return (await readIfThere({ read }, name, signal)) !== undefined;
}
