import { NotifyError } from '../errors.ts';
import type { Desired, VariableValue, WebhookDefinition } from '../webhooks/definition.ts';
import { readDefinition } from '../webhooks/definition.ts';
import { readIfThere } from './compare.ts';
import { collectFaults, type Faults, type ObjectFault } from './object-faults.ts';
import { type Account, sameUrl } from './resources.ts';

/** Alerts are rendered with this: the platform's objects, and the configured secrets, which it never returns. */
export interface ReadBack {
  /** By route; a webhook that does not exist has none, and neither has one with a fault. */
  readonly definitions: ReadonlyMap<string, WebhookDefinition>;
  readonly variables: Readonly<Record<string, VariableValue>>;
  readonly faults: readonly ObjectFault[];
}

/** Throws the first fault of single objects. */
export function withoutFaults<Result extends ReadBack>(result: Result): Result {
  const [fault] = result.faults;
  if (fault !== undefined) throw fault.error;
  return result;
}

/**
 * Reads the configured objects from the platform. An object that cannot be read is a fault of its own. `applied`: the faults of the
 * changes that were just made; a URL that another writer has replaced since then is one of them, because alerts would go there.
 */
export async function readBack(
  account: Account,
  desired: Desired,
  signal: AbortSignal,
  applied?: Faults,
): Promise<ReadBack> {
  const { client } = account;
  const faults = applied ?? collectFaults(desired);
  const variables: Record<string, VariableValue> = { ...desired.variables };
  for (const [name, wanted] of Object.entries(desired.variables)) {
    if ('secret' in wanted) continue;
    await faults.attempt({ kind: 'variable', name }, async () => {
      // The value differs from the configured one only when an operator's change is kept.
      const value = (await readIfThere({ read: client.readVariable }, name, signal))?.value.value;
      if (value !== undefined) variables[name] = { value };
    });
  }
  const definitions = new Map<string, WebhookDefinition>();
  for (const webhook of desired.webhooks) {
    const { route, name } = webhook;
    if (faults.isStopped(route)) continue;
    await faults.attempt({ kind: 'webhook', name }, async () => {
      const found = await readIfThere({ read: client.readWebhook }, name, signal);
      if (found === undefined) return;
      if (applied !== undefined && desired.drift !== 'keep' && !sameUrl(found.value.url, webhook.url)) {
        const message = `Another writer replaced the URL of webhook ${name} on the platform: two installations need different names`;
        throw new NotifyError('not-applied', message, { retryable: true });
      }
      definitions.set(route, readDefinition(found.value));
    });
  }
  return { definitions, variables, faults: faults.found };
}

/** Returns what alerts are rendered with when no platform is configured. */
export function configuredAlone(desired: Desired, onFault?: (fault: ObjectFault) => void): ReadBack {
  const { webhooks, variables } = desired;
  const { found: faults, isStopped } = collectFaults(desired, onFault);
  const valid = webhooks.filter(({ route }) => !isStopped(route));
  return {
    definitions: new Map(valid.map(({ route, ...definition }) => [route, definition])),
    variables,
    faults,
  };
}
