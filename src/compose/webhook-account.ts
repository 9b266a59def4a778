import type { LoadedConfig } from '../config/load.ts';
import type { NotifyConfig } from '../config/sections/notify.ts';
import { readBundledDescription } from '../discovery/bundled.ts';
import { createApiClient } from '../discovery/client.ts';
import { createHttpClient } from '../http/undici-client.ts';
import { createMasker } from '../model/masking.ts';
import { createPlatformClient } from '../notify/platform/client.ts';
import { credentialHeaders } from '../notify/platform/credentials.ts';
import { platformUrl } from '../notify/platform/sites.ts';
import { type Account, deriveHashKey } from '../notify/provisioning/resources.ts';
import type { Store } from './store.ts';

/** The account on the webhook-integration platform, with the base URL, the credentials and the client for it. */
export type WebhookAccount = Exclude<Awaited<ReturnType<typeof openWebhookAccount>>, undefined>;

/** Opens the account; `undefined` when no platform is configured. The caller closes `http`. */
export async function openWebhookAccount(
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
