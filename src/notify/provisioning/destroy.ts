import type { ProvisionChange } from '../../model/alert/provision-change.ts';
import type { Lock } from '../../model/ports/lock.ts';
import type { Desired } from '../webhooks/definition.ts';
import { holdAccount } from './provision.ts';
import { deletion, isThere, removeObject } from './remove.ts';
import type { Resource } from './resource.ts';
import { type Account, resourcesOf } from './resources.ts';

export interface DestroyOptions extends Account {
  readonly lock: Lock;
  readonly desired: Desired;
  readonly signal: AbortSignal;
}

interface Doomed {
  readonly kind: Resource['kind'];
  readonly name: string;
}

/** What `destroy` would delete, in its order. Writes nothing. Throws `NotifyError`. */
export async function planDestroy(
  options: Omit<DestroyOptions, 'lock'>,
): Promise<readonly ProvisionChange[]> {
  const { desired, signal, ...account } = options;
  const changes: ProvisionChange[] = [];
  for (const { kind, name } of await doomed(account, desired)) {
    if (await isThere(account, kind, name, signal)) changes.push(deletion(kind, name));
  }
  return changes;
}

/**
 * Deletes what is configured and what was applied before, in the reverse order of applying: a webhook before the
 * variables it uses. What is gone already is no error. Throws `NotifyError`; called again it goes on from there.
 */
export async function destroy(options: DestroyOptions): Promise<readonly ProvisionChange[]> {
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

/** Wanted and remembered objects, webhooks first. A webhook renamed in the configuration may be there under both names. */
async function doomed(account: Account, desired: Desired): Promise<readonly Doomed[]> {
  const remembered = [...(await account.applied.read(account.account))].map(([id, { name }]): Doomed => {
    return { kind: id.startsWith('webhook/') ? 'webhook' : 'variable', name };
  });
  const all: Doomed[] = [...[...resourcesOf(account, desired)].reverse(), ...remembered];
  const unique = new Map(all.map(({ kind, name }) => [`${kind}/${name}`, { kind, name }]));
  const [webhooks, variables] = ['webhook', 'variable'].map((kind) =>
    [...unique.values()].filter((one) => one.kind === kind),
  );
  return [...(webhooks ?? []), ...(variables ?? [])];
}
