import type { LoadedConfig } from '../config/load.ts';
import type { NotifyConfig } from '../config/notify.ts';
import type { Secret } from '../model/secret.ts';
import { type Provisioned, provision, type ReadBack, readBack } from '../notify/provisioning/provision.ts';
import { configuredAlone } from '../notify/webhooks/configured.ts';
import type { Desired, VariableValue } from '../notify/webhooks/definition.ts';
import { webhookOf } from '../notify/webhooks/preset-webhook.ts';
import { platformWarningsOf, warningsOf } from '../notify/webhooks/validate.ts';
import { configuredWebhooks } from './routing.ts';
import type { Store } from './store.ts';
import { openWebhookAccount, type WebhookAccount } from './webhook-account.ts';

/** The configured webhooks and variables, and the platform that holds them. */
export interface Webhooks {
  readonly desired: Desired;
  /** Valid settings that are probably a mistake. */
  readonly warnings: readonly string[];
  /** `undefined`: nothing is provisioned. */
  readonly platform: WebhookAccount | undefined;
  /** Applies the configuration to the platform, if there is one. Throws `NotifyError`. */
  provision(signal: AbortSignal): Promise<Provisioned>;
  /** Reads the existing definitions without writing. Throws `NotifyError`. */
  read(signal: AbortSignal): Promise<ReadBack>;
  close(): Promise<void>;
}

export async function openWebhooks(
  loaded: LoadedConfig,
  notify: NotifyConfig,
  store: Pick<Store, 'applied' | 'lock'>,
): Promise<Webhooks> {
  const desired = desiredOf(notify, loaded.secrets.variables);
  const platform = await openWebhookAccount(loaded, notify, store);
  return {
    desired,
    warnings: [
      ...warningsOf(desired),
      ...(notify.delivery === 'platform-event' ? platformWarningsOf(desired) : []),
    ],
    platform,
    provision: async (signal) =>
      platform === undefined
        ? { ...configuredAlone(desired), changes: [] }
        : await provision({ ...platform.account, lock: store.lock, desired, signal }),
    read: async (signal) =>
      platform === undefined ? configuredAlone(desired) : await readBack(platform.account, desired, signal),
    close: async () => void (await platform?.http.close()),
  };
}

function desiredOf(notify: NotifyConfig, secrets: ReadonlyMap<string, Secret>): Desired {
  return {
    webhooks: configuredWebhooks(notify).map(({ route, name, webhook }) =>
      webhookOf({ ...defaultPayload(notify), ...webhook, route, name }),
    ),
    variables: variableValues(notify, secrets),
    drift: notify.drift,
  };
}

/** The platform cannot fill in Lockhound's variables, so webhooks that it renders itself have its default payload. */
function defaultPayload({ delivery }: NotifyConfig): { readonly payload?: null } {
  return delivery === 'platform-event' ? { payload: null } : {};
}

/** Custom variables, with secrets in place of references. */
function variableValues(
  { variables }: NotifyConfig,
  secrets: ReadonlyMap<string, Secret>,
): Readonly<Record<string, VariableValue>> {
  const values = Object.entries(variables).map(([name, variable]): [string, VariableValue] => {
    const secret = secrets.get(name);
    if (secret !== undefined) return [name, { secret }];
    if ('value' in variable) return [name, { value: variable.value }];
    throw new RangeError(`the secret of variable ${name} was not loaded`);
  });
  return Object.fromEntries(values);
}
