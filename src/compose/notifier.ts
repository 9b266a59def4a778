import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/load.ts';
import type { NotifyConfig } from '../config/schema.ts';
import { readBundledDescription } from '../discovery/bundled.ts';
import { createApiClient } from '../discovery/client.ts';
import { publicAddressesOnly } from '../http/address-guard.ts';
import { createHttpClient } from '../http/undici-client.ts';
import type { NotifierPort } from '../jobs/ports.ts';
import { messageOf } from '../model/errors.ts';
import type { Secret } from '../model/secret.ts';
import type { DesiredState, DesiredVariable } from '../notify/definition.ts';
import { createNotifier } from '../notify/deliver.ts';
import type { WebhooksIntegration } from '../notify/platform/api.generated.ts';
import { createWebhookPlatform } from '../notify/platform/client.ts';
import { credentialHeaders } from '../notify/platform/credentials.ts';
import { siteUrl } from '../notify/platform/sites.ts';
import { generic } from '../notify/presets/generic.ts';
import { type Provisioned, provision } from '../notify/provision.ts';
import type { Store } from './store.ts';

export interface NotifierHandle {
  readonly port: NotifierPort;
  /** Makes the platform what the configuration says; deliveries wait until this has succeeded once. */
  provision(signal: AbortSignal): Promise<Provisioned>;
  /** Why nothing can be delivered yet; `undefined` when all is well. */
  fault(): string | undefined;
  close(): Promise<void>;
}

const MAX_ANSWER_BYTES = 1_048_576;

/** The way from a verdict to a receiver: platform client, provisioning, rendering, delivery. */
export async function openNotifier(
  { secrets }: LoadedConfig,
  notify: NotifyConfig,
  store: Store,
  log: Logger,
): Promise<NotifierHandle> {
  const { platform, webhook } = notify;
  const rootUrl = platform.url ?? siteUrl(platform.site ?? '');
  const credentials = { ...requireKeys(secrets), headerPrefix: platform.headerPrefix };
  const http = createHttpClient();
  const api = createApiClient({
    document: await readBundledDescription('webhooks.v1'),
    http,
    rootUrl,
    headers: () => credentialHeaders(credentials),
  });
  const outbound = createHttpClient({
    totalTimeoutMs: notify.timeout,
    maxResponseBytes: MAX_ANSWER_BYTES,
    guard: publicAddressesOnly(notify.allowAddresses),
  });
  let definition: WebhooksIntegration | undefined;
  let fault: string | undefined = 'not provisioned yet';
  return {
    port: createNotifier({
      webhook: webhook.name,
      definition: () => definition,
      variables: variableValues(notify, secrets.variables),
      http: outbound,
      timeoutMs: notify.timeout,
      now: () => new Date(),
      recordAttempt: async (name, notification, attempt) => {
        log.info({ webhook: name, notification, attempt }, 'delivery attempt');
      },
      ...(secrets.signingSecret === undefined ? {} : { signingSecret: secrets.signingSecret }),
    }),
    async provision(signal) {
      try {
        const provisioned = await provision({
          platform: createWebhookPlatform(api),
          lock: store.lock,
          appliedSecrets: store.appliedSecrets,
          account: rootUrl,
          hashKey: credentials.applicationKey,
          desired: desiredState(notify, secrets.variables),
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
    close: async () => void (await Promise.all([http.close(), outbound.close()])),
  };
}

function requireKeys({ apiKey, applicationKey }: LoadedConfig['secrets']) {
  if (apiKey !== undefined && applicationKey !== undefined) return { apiKey, applicationKey };
  throw new RangeError('a configuration with `notify` always comes with both keys');
}

function desiredState(
  { webhook, variables }: NotifyConfig,
  secrets: ReadonlyMap<string, Secret>,
): DesiredState {
  const desired = new Map<string, DesiredVariable>();
  for (const [name, variable] of Object.entries(variables)) {
    const secret = secrets.get(name);
    if (secret !== undefined) desired.set(name, { secret });
    else if ('value' in variable) desired.set(name, variable);
  }
  const { name, url, headers, payload = generic.payload, encodeAs } = webhook;
  return {
    webhook: { name, url, payload, encodeAs, ...(headers === undefined ? {} : { headers }) },
    variables: desired,
  };
}

function variableValues(
  { variables }: NotifyConfig,
  secrets: ReadonlyMap<string, Secret>,
): ReadonlyMap<string, string | Secret> {
  const values = new Map<string, string | Secret>(secrets);
  for (const [name, variable] of Object.entries(variables)) {
    if ('value' in variable) values.set(name, variable.value);
  }
  return values;
}
