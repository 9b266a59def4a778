import { readBundledDescription } from '../../src/discovery/bundled.ts';
import { createApiClient } from '../../src/discovery/client.ts';
import { startWebhookService, type WebhookServiceOptions } from '../../src/embedded/webhooks/service.ts';
import { createHttpClient, type HttpClientOptions } from '../../src/http/undici-client.ts';
import type { AppliedObject, AppliedObjects } from '../../src/model/ports/applied-objects.ts';
import type { Lock } from '../../src/model/ports/shared-state.ts';
import { Secret } from '../../src/model/secret.ts';
import { createPlatformClient } from '../../src/notify/platform/client.ts';
import { credentialHeaders } from '../../src/notify/platform/credentials.ts';

const API_KEY = new Secret('api-key-of-the-tests');
const APPLICATION_KEY = new Secret('application-key-of-the-tests');

/** A platform client for any base URL, without retries. */
export async function openPlatform(
  rootUrl: string,
  { headerPrefix = 'SVC', http: options = {} }: { headerPrefix?: string; http?: HttpClientOptions } = {},
) {
  const http = createHttpClient({ retry: { attempts: 1, baseMs: 1, longestWaitMs: 1 }, ...options });
  const api = createApiClient({
    document: await readBundledDescription('webhooks.v1'),
    http,
    rootUrl,
    headers: credentialHeaders({ headerPrefix, apiKey: API_KEY, applicationKey: APPLICATION_KEY }),
  });
  const client = createPlatformClient({ api, secrets: [API_KEY, APPLICATION_KEY] });
  return { client, close: () => http.close() };
}

/** The local webhook-integration service and a client for it. */
export async function startLocalPlatform(options: WebhookServiceOptions = {}) {
  const service = await startWebhookService({
    keys: [{ apiKey: API_KEY.reveal(), applicationKey: APPLICATION_KEY.reveal() }],
    ...options,
  });
  const platform = await openPlatform(service.url);
  return {
    service,
    client: platform.client,
    async close() {
      await platform.close();
      await service.close();
    },
  };
}

/** A lock for one process. */
export function createLocalLock(): Lock {
  const tails = new Map<string, Promise<unknown>>();
  return {
    hold(name, work) {
      const run = (tails.get(name) ?? Promise.resolve()).then(() => work(new AbortController().signal));
      tails.set(
        name,
        run.catch(() => undefined),
      );
      return run;
    },
  };
}

/** Stores in `stored`, by account and id. */
export function createLocalApplied(): AppliedObjects & {
  readonly stored: Map<string, Map<string, AppliedObject>>;
} {
  const stored = new Map<string, Map<string, AppliedObject>>();
  const of = (account: string) => {
    const known = stored.get(account) ?? new Map<string, AppliedObject>();
    stored.set(account, known);
    return known;
  };
  return {
    stored,
    read: async (account) => new Map(of(account)),
    write: async (account, id, applied) => void of(account).set(id, applied),
    remove: async (account, id) => void of(account).delete(id),
  };
}
