import type { LoadedConfig } from '../config/load.ts';
import type { NotifyConfig } from '../config/notify.ts';
import { readBundledDescription } from '../discovery/bundled.ts';
import { createApiClient } from '../discovery/client.ts';
import type { HttpClient } from '../http/client.ts';
import { createHttpClient } from '../http/undici-client.ts';
import type { Secret } from '../model/secret.ts';
import type { Desired, VariableValue } from '../notify/definition.ts';
import { deriveHashKey } from '../notify/keyed-hash.ts';
import { createMasker } from '../notify/masking.ts';
import { createPlatformClient } from '../notify/platform/client.ts';
import { type Credentials, credentialHeaders } from '../notify/platform/credentials.ts';
import { baseUrlOf } from '../notify/platform/sites.ts';
import { webhookOf } from '../notify/preset-webhook.ts';
import type { Account } from '../notify/resources.ts';
import { platformWarningsOf, warningsOf } from '../notify/validate.ts';
import { configuredWebhooks } from './routing.ts';
import type { Store } from './store.ts';

/** The account on the platform, and everything that the configuration wants in it. */
export interface WebhookAccount {
  readonly account: Account;
  readonly desired: Desired;
  /** What works, and is worth a second look; a line each. */
  readonly warnings: readonly string[];
  /** Base URL of the platform, its credentials, and the client for it. */
  readonly platform: { readonly url: string; readonly credentials: Credentials; readonly http: HttpClient };
  close(): Promise<void>;
}

export async function openWebhookAccount(
  { secrets }: LoadedConfig,
  notify: NotifyConfig,
  store: Pick<Store, 'applied'>,
): Promise<WebhookAccount> {
  const { platform } = notify;
  const rootUrl = platform.url ?? baseUrlOf(platform.site ?? '');
  const credentials = { ...requireKeys(secrets), headerPrefix: platform.headerPrefix };
  const hidden = [credentials.apiKey, credentials.applicationKey, ...secrets.variables.values()];
  const desired = desiredOf(notify, secrets.variables);
  const http = createHttpClient();
  const api = createApiClient({
    document: await readBundledDescription('webhooks.v1'),
    http,
    rootUrl,
    headers: credentialHeaders(credentials),
  });
  return {
    account: {
      client: createPlatformClient({ api, secrets: hidden }),
      applied: store.applied,
      account: rootUrl,
      hashKey: deriveHashKey(credentials.applicationKey),
      mask: createMasker(hidden.map((secret) => secret.reveal())),
    },
    desired,
    warnings: [
      ...warningsOf(desired),
      ...(notify.delivery === 'platform-event' ? platformWarningsOf(desired) : []),
    ],
    platform: { url: rootUrl, credentials, http },
    close: () => http.close(),
  };
}

function requireKeys({ apiKey, applicationKey }: LoadedConfig['secrets']) {
  if (apiKey !== undefined && applicationKey !== undefined) return { apiKey, applicationKey };
  throw new RangeError('a configuration with `notify` always comes with both keys');
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

/** The platform knows none of our own variables: what it renders itself begins with its default payload. */
function defaultPayload({ delivery }: NotifyConfig): { readonly payload?: null } {
  return delivery === 'platform-event' ? { payload: null } : {};
}

/** Custom variables with the values of secret ones in place of the references to them. */
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
