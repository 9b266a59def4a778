import type { ProvisionChange } from '../../model/alert/provision-change.ts';
import { NotifyError } from '../errors.ts';
import { readIfThere } from './compare.ts';
import type { Account } from './resources.ts';

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
