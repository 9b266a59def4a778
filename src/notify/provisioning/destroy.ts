import type { ProvisionChange } from '../../model/alert/provision-change.ts';
import type { Desired } from '../webhooks/definition.ts';
import { kindOf } from './orphans.ts';
import { holdAccount, type ProvisionOptions } from './provision.ts';
import { deletion, exists, removeObject } from './remove.ts';
import type { Resource } from './resource.ts';
import { type Account, resourcesOf } from './resources.ts';

/** The deletions that `destroy` would make, in its order. Writes nothing. Throws `NotifyError`. */
export async function planDestroy(
  options: Omit<ProvisionOptions, 'lock'>,
): Promise<readonly ProvisionChange[]> {
  const { desired, signal, ...account } = options;
  const changes: ProvisionChange[] = [];
  for (const { kind, name } of await objectsToDelete(account, desired)) {
    if (await exists(account, kind, name, signal)) changes.push(deletion(kind, name));
  }
  return changes;
}

/**
 * Deletes all configured and all previously applied objects, webhooks before the variables that they use. Missing objects
 * are not an error. Throws `NotifyError`; another call continues from there.
 */
export async function destroy(options: ProvisionOptions): Promise<readonly ProvisionChange[]> {
  const { lock, desired, signal, ...account } = options;
  return holdAccount(lock, account, signal, async (held) => {
    const changes = await planDestroy({ desired, signal: held, ...account });
    for (const { kind, name } of changes) await removeObject(account, kind, name, held);
    for (const id of (await account.applied.read(account.account)).keys()) {
      await account.applied.remove(account.account, id);
    }
    return changes;
  });
}

/** Configured and remembered objects, webhooks first. A renamed webhook may exist under both names. */
async function objectsToDelete(
  account: Account,
  desired: Desired,
): Promise<readonly Pick<Resource, 'kind' | 'name'>[]> {
  const remembered = [...(await account.applied.read(account.account))].map(([id, { name }]) => {
    return { kind: kindOf(id), name };
  });
  const all = [...resourcesOf(account, desired).toReversed(), ...remembered];
  const unique = [...new Map(all.map((one) => [`${one.kind}/${one.name}`, one])).values()];
  return [
    ...unique.filter(({ kind }) => kind === 'webhook'),
    ...unique.filter(({ kind }) => kind === 'variable'),
  ];
}
