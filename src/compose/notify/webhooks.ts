import type { LoadedConfig } from '../../config/load.ts';
import type { NotifyConfig } from '../../config/sections/notify.ts';
import { readBundledDescription } from '../../discovery/bundled.ts';
import { createApiClient } from '../../discovery/client.ts';
import { createHttpClient } from '../../http/undici-client.ts';
import type { Secret } from '../../model/secret.ts';
import { createMasker } from '../../model/secret.ts';
import { NotifyError } from '../../notify/errors.ts';
import { createPlatformClient } from '../../notify/platform/client.ts';
import { credentialHeaders } from '../../notify/platform/credentials.ts';
import { platformUrl } from '../../notify/platform/sites.ts';
import type { ObjectFault } from '../../notify/provisioning/object-faults.ts';
import { type Provisioned, provision } from '../../notify/provisioning/provision.ts';
import { configuredAlone, type ReadBack, readBack } from '../../notify/provisioning/read-back.ts';
import { type Account, deriveHashKey } from '../../notify/provisioning/resources.ts';
import type { Desired, VariableValue } from '../../notify/webhooks/definition.ts';
import { webhookOf } from '../../notify/webhooks/preset-webhook.ts';
import { platformWarningsOf, validateDesired, warningsOf } from '../../notify/webhooks/validate.ts';
import type { Store } from '../store.ts';
import { configuredWebhooks } from './routing.ts';

/** The configured webhooks and variables, and the platform that holds them. */
export type Webhooks = Awaited<ReturnType<typeof openWebhooks>>;

export async function openWebhooks(
  loaded: LoadedConfig,
  notify: NotifyConfig,
  store: Pick<Store, 'applied' | 'lock'>,
) {
  const desired = desiredOf(notify, loaded.secrets.variables);
  const platform = await openWebhookAccount(loaded, notify, store);
  return {
    desired,
    /** Valid settings that are probably a mistake. */
    warnings: [
      ...warningsOf(desired),
      ...(notify.delivery === 'platform-event' ? platformWarningsOf(desired) : []),
    ],
    /** `undefined`: nothing is provisioned. */
    platform,
    /** Applies the configuration to the platform, if there is one. Throws `NotifyError` when no webhook can be valid. */
    provision: async (signal: AbortSignal, onFault?: (fault: ObjectFault) => void): Promise<Provisioned> =>
      platform === undefined
        ? { ...configuredAlone(desired, onFault), changes: [] }
        : await provision({ ...platform.account, lock: store.lock, desired, signal, onFault }),
    /** Reads the existing definitions without writing. */
    read: async (signal: AbortSignal): Promise<ReadBack> =>
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

/** Why the configured webhooks cannot work: what provisioning would reject. `undefined` when they can, or none is configured. */
export function webhookFault({ config, secrets }: LoadedConfig): string | undefined {
  if (config.notify === undefined) return undefined;
  try {
    validateDesired(desiredOf(config.notify, secrets.variables));
    return undefined;
  } catch (error) {
    if (error instanceof NotifyError) return error.message;
    throw error;
  }
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

/** The account on the webhook-integration platform, with the base URL, the credentials and the client for it. */
export type WebhookAccount = Exclude<Awaited<ReturnType<typeof openWebhookAccount>>, undefined>;

/** Opens the account; `undefined` when no platform is configured. The caller closes `http`. */
async function openWebhookAccount(
  { secrets }: LoadedConfig,
  { platform }: NotifyConfig,
  store: Pick<Store, 'applied'>,
) {
  if (platform === undefined) return undefined;
  const url = platformUrl(platform);
  const credentials = { ...requireKeys(secrets), headerPrefix: platform.headerPrefix };
  const hidden = [credentials.apiKey, credentials.applicationKey, ...secrets.variables.values()];
  const http = createHttpClient({ service: 'platform' });
  const api = createApiClient({
    document: await readBundledDescription('webhooks.v1'),
    http,
    rootUrl: url,
    headers: credentialHeaders(credentials),
  });
  const account: Account = {
    client: createPlatformClient({ api, secrets: hidden }),
    applied: store.applied,
    account: url,
    hashKey: deriveHashKey(credentials.applicationKey),
    mask: createMasker(hidden.map((secret) => secret.reveal())),
  };
  return { account, url, eventsPath: platform.eventsPath, credentials, http };
}

function requireKeys({ apiKey, applicationKey }: LoadedConfig['secrets']) {
  if (apiKey !== undefined && applicationKey !== undefined) return { apiKey, applicationKey };
  throw new RangeError('a configuration with a platform always has both keys');
}
