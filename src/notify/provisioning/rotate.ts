import type { ProvisionChange } from '../../model/alert/provision-change.ts';
import { NotifyError } from '../errors.ts';
import type { Desired } from '../webhooks/definition.ts';
import { readIfThere } from './compare.ts';
import { holdAccount, type ProvisionOptions } from './provision.ts';
import { reconcile } from './reconcile.ts';
import { type Resource, variableResource } from './resources.ts';

export interface RotateOptions extends ProvisionOptions {
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
