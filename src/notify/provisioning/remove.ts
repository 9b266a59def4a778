import type { ProvisionChange } from '../../model/alert/provision-change.ts';
import { NotifyError } from '../errors.ts';
import type { Account } from './resources.ts';

/** Deletes an object; one that is gone already is as good. */
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

/** The change that a deletion is. */
export function deletion(kind: ProvisionChange['kind'], name: string): ProvisionChange {
  return { kind, name, action: 'deleted', drift: false, fields: [] };
}

/** Whether something is there under the name. */
export async function isThere(
  { client }: Account,
  kind: ProvisionChange['kind'],
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await (kind === 'webhook' ? client.readWebhook(name, signal) : client.readVariable(name, signal));
    return true;
  } catch (error) {
    if (error instanceof NotifyError && error.code === 'not-found') return false;
    throw error;
  }
}
