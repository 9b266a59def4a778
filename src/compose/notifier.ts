import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/load.ts';
import type { NotifyConfig } from '../config/schema.ts';
import { readBundledDescription } from '../discovery/bundled.ts';
import { createApiClient } from '../discovery/client.ts';
import { createHttpClient } from '../http/undici-client.ts';
import type { NotifierPort } from '../jobs/ports.ts';
import { messageOf } from '../model/errors.ts';
import type { Secret } from '../model/secret.ts';
import type { DesiredWebhook, VariableValue, WebhookDefinition } from '../notify/definition.ts';
import { deriveHashKey } from '../notify/keyed-hash.ts';
import { createPlatformClient } from '../notify/platform/client.ts';
import { credentialHeaders } from '../notify/platform/credentials.ts';
import { baseUrlOf } from '../notify/platform/sites.ts';
import { type Provisioned, provision } from '../notify/provision.ts';
import { createDelivery } from './delivery.ts';
import type { Store } from './store.ts';

export interface NotifierHandle {
  readonly port: NotifierPort;
  /** Makes the platform what the configuration says; deliveries wait until this has succeeded once. */
  provision(signal: AbortSignal): Promise<Provisioned>;
  /** Why nothing can be delivered yet; `undefined` when all is well. */
  fault(): string | undefined;
  close(): Promise<void>;
}

const DEFAULT_ROUTE = 'default';

/** The way from a verdict to a receiver: platform client, provisioning, rendering, delivery. */
export async function openNotifier(
  { secrets }: LoadedConfig,
  notify: NotifyConfig,
  store: Store,
  log: Logger,
): Promise<NotifierHandle> {
  const { platform } = notify;
  const rootUrl = platform.url ?? baseUrlOf(platform.site ?? '');
  const credentials = { ...requireKeys(secrets), headerPrefix: platform.headerPrefix };
  const http = createHttpClient();
  const api = createApiClient({
    document: await readBundledDescription('webhooks.v1'),
    http,
    rootUrl,
    headers: credentialHeaders(credentials),
  });
  const variables = variableValues(notify, secrets.variables);
  const allSecrets = [credentials.apiKey, credentials.applicationKey, ...secrets.variables.values()];
  let definition: WebhookDefinition | undefined;
  let fault: string | undefined = 'not provisioned yet';
  const delivery = createDelivery({
    notify,
    secrets,
    webhooks: [{ name: DEFAULT_ROUTE, definition: () => definition, variables }],
    platform: { url: rootUrl, credentials, http },
    store,
    log,
  });
  return {
    port: delivery.port,
    async provision(signal) {
      try {
        const provisioned = await provision({
          client: createPlatformClient({ api, secrets: allSecrets }),
          lock: store.lock,
          appliedSecrets: store.appliedSecrets,
          account: rootUrl,
          hashKey: deriveHashKey(credentials.applicationKey),
          desired: desiredWebhook(notify, variables),
          signal,
        });
        definition = provisioned.definition;
        fault = undefined;
        return provisioned;
      } catch (error) {
        fault = messageOf(error);
        throw error;
      }
    },
    fault: () => fault,
    close: async () => void (await Promise.all([http.close(), delivery.close()])),
  };
}

function requireKeys({ apiKey, applicationKey }: LoadedConfig['secrets']) {
  if (apiKey !== undefined && applicationKey !== undefined) return { apiKey, applicationKey };
  throw new RangeError('a configuration with `notify` always comes with both keys');
}

function desiredWebhook(
  { webhook, delivery }: NotifyConfig,
  variables: DesiredWebhook['variables'],
): DesiredWebhook {
  const { name, url, headers, payload, encodeAs } = webhook;
  return {
    webhook: {
      name,
      url,
      encodeAs,
      ...(headers === undefined ? {} : { headers }),
      ...(payload === undefined ? defaultPayload(delivery) : { payload }),
    },
    variables,
  };
}

/** The platform knows none of our own variables: what it renders itself begins with its default payload. */
function defaultPayload(delivery: NotifyConfig['delivery']): { readonly payload?: null } {
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
