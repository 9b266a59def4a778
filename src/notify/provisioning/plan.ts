import type { ProvisionChange } from '../../model/alert/provision-change.ts';
import type { Desired } from '../webhooks/definition.ts';
import { validateDesired } from '../webhooks/validate.ts';
import { compare } from './compare.ts';
import { isTakenBy, orphansIn } from './orphans.ts';
import { deletion, exists } from './remove.ts';
import { type Account, resourcesOf } from './resources.ts';

export interface PlanOptions extends Account {
  readonly desired: Desired;
  readonly signal: AbortSignal;
}

/**
 * The changes that `provision` would make now, in its order: variables, the webhooks that use them, then orphans. Writes
 * nothing. Throws `NotifyError`.
 */
export async function plan(options: PlanOptions): Promise<readonly ProvisionChange[]> {
  const { desired, signal, ...account } = options;
  validateDesired(desired);
  const remembered = await account.applied.read(account.account);
  const resources = resourcesOf(account, desired);
  const changes: ProvisionChange[] = [];
  for (const resource of resources) {
    const { kind, id } = resource;
    const { change, stale } = await compare(resource, {
      remembered: remembered.get(id),
      drift: desired.drift ?? 'restore',
      isTaken: isTakenBy(resources, kind, id),
      signal,
    });
    changes.push(change, ...(stale === undefined ? [] : [deletion(kind, stale)]));
  }
  for (const { kind, name, reused } of orphansIn(resources, remembered)) {
    if (!reused && (await exists(account, kind, name, signal))) changes.push(deletion(kind, name));
  }
  return changes;
}
