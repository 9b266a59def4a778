import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startWebhookService, type WebhookService } from '../../../src/embedded/webhooks/service.ts';

/** Installed by `npm ci --prefix test/embedded/vendor-client`, as `.ci/run` does. */
const isInstalled = existsSync(join(import.meta.dirname, 'node_modules'));

type Answer = Readonly<Record<string, unknown>> & { readonly payload?: string; readonly _unparsed?: boolean };
type Method = (request: object) => Promise<Answer>;

/** What the tests use of the client. */
interface VendorClient {
  readonly client: {
    createConfiguration(options: object): { setServerVariables(variables: object): void };
  };
  readonly v1: {
    WebhooksIntegrationApi: new (
      configuration: object,
    ) => Readonly<
      Record<
        | `${'create' | 'get' | 'update' | 'delete'}WebhooksIntegration`
        | `${'create' | 'get' | 'update' | 'delete'}WebhooksIntegrationCustomVariable`,
        Method
      >
    >;
  };
}

const KEYS = { apiKeyAuth: 'vendor-api-key', appKeyAuth: 'vendor-application-key' };

let service: WebhookService;
beforeEach(async () => {
  service = await startWebhookService({
    headerPrefix: 'DD',
    keys: [{ apiKey: KEYS.apiKeyAuth, applicationKey: KEYS.appKeyAuth }],
  });
});
afterEach(() => service.close());

/** The vendor's own client, configured for the local service as its documentation says. */
function vendorClient(authMethods = KEYS) {
  const load = createRequire(import.meta.url);
  const { client, v1 } = load('@datadog/datadog-api-client') as VendorClient;
  const configuration = client.createConfiguration({ authMethods, serverIndex: 1, enableRetry: false });
  configuration.setServerVariables({ name: new URL(service.url).host, protocol: 'http' });
  return new v1.WebhooksIntegrationApi(configuration);
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: { code?: number; body?: unknown }) => ({ code: error.code, body: error.body }),
  );

describe.skipIf(!isInstalled)('the vendor’s client against the local service', () => {
  it('creates, reads, updates in part, renames and deletes a webhook', async () => {
    const api = vendorClient();
    const body = { name: 'alerts', url: 'https://hooks.example/a', customHeaders: '{"X-A": "1"}' };
    const created = await api.createWebhooksIntegration({ body });
    expect(created).toMatchObject({ ...body, encodeAs: 'json' });
    expect(JSON.parse(created.payload ?? '')).toMatchObject({ title: '$EVENT_TITLE' });
    expect(await api.getWebhooksIntegration({ webhookName: 'alerts' })).toEqual(created);
    const updated = await api.updateWebhooksIntegration({
      webhookName: 'alerts',
      body: { url: 'https://hooks.example/b', name: 'alarms', encodeAs: 'form' },
    });
    expect(updated).toMatchObject({
      ...body,
      name: 'alarms',
      url: 'https://hooks.example/b',
      encodeAs: 'form',
      payload: created.payload,
    });
    expect(await codeOf(api.getWebhooksIntegration({ webhookName: 'alerts' }))).toMatchObject({
      code: 404,
      body: { errors: ['Webhook does not exist'] },
    });
    await api.deleteWebhooksIntegration({ webhookName: 'alarms' });
    expect(await codeOf(api.deleteWebhooksIntegration({ webhookName: 'alarms' }))).toMatchObject({
      code: 404,
    });
  });

  it('creates, reads, updates and deletes custom variables, and sees no secret', async () => {
    const api = vendorClient();
    const name = { customVariableName: 'TOKEN' };
    const body = { name: 'TOKEN', value: 'hush', isSecret: true };
    const answers = [
      await api.createWebhooksIntegrationCustomVariable({ body }),
      await api.getWebhooksIntegrationCustomVariable(name),
      await api.updateWebhooksIntegrationCustomVariable({ ...name, body: { value: 'hush too' } }),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ name: 'TOKEN', isSecret: true });
      expect(answer['value']).toBeUndefined();
    }
    expect(service.snapshot().variables).toEqual([{ name: 'TOKEN', value: 'hush too', is_secret: true }]);
    await api.deleteWebhooksIntegrationCustomVariable(name);
    expect(await codeOf(api.getWebhooksIntegrationCustomVariable(name))).toMatchObject({
      code: 404,
      body: { errors: ['Custom variable does not exist'] },
    });
  });

  it('used all eight operations and parsed each answer', async () => {
    const api = vendorClient();
    const [webhookName, customVariableName] = ['w', 'V'];
    const answers = [
      await api.createWebhooksIntegration({ body: { name: 'w', url: 'https://h.example/' } }),
      await api.getWebhooksIntegration({ webhookName }),
      await api.updateWebhooksIntegration({ webhookName, body: { payload: '{"a": "$ID"}' } }),
      await api.createWebhooksIntegrationCustomVariable({ body: { name: 'V', value: 'v', isSecret: false } }),
      await api.getWebhooksIntegrationCustomVariable({ customVariableName }),
      await api.updateWebhooksIntegrationCustomVariable({ customVariableName, body: { isSecret: true } }),
    ];
    await api.deleteWebhooksIntegration({ webhookName });
    await api.deleteWebhooksIntegrationCustomVariable({ customVariableName });
    expect(answers.map((answer) => answer._unparsed ?? false)).toEqual(Array(6).fill(false));
    expect(new Set(service.snapshot().calls).size).toBe(8);
  });

  it('reads its named outcomes: bad request, authentication error, too many requests', async () => {
    const api = vendorClient();
    const body = { name: 'two words', url: 'https://hooks.example/a' };
    expect(await codeOf(api.createWebhooksIntegration({ body }))).toMatchObject({
      code: 400,
      body: { errors: ['Invalid webhook'] },
    });
    const taken = { body: { name: 'taken', url: 'https://hooks.example/a' } };
    await api.createWebhooksIntegration(taken);
    expect(await codeOf(api.createWebhooksIntegration(taken))).toMatchObject({
      code: 400,
      body: { errors: ['Webhook already exists'] },
    });
    const stranger = vendorClient({ ...KEYS, appKeyAuth: 'another' });
    expect(await codeOf(stranger.getWebhooksIntegration({ webhookName: 'a' }))).toMatchObject({
      code: 403,
      body: { errors: ['Forbidden'] },
    });
    service.faults.inject({
      kind: 'answer',
      status: 429,
      body: '{"errors": ["Too many requests"]}',
      headers: { 'content-type': 'application/json' },
    });
    expect(await codeOf(api.getWebhooksIntegration({ webhookName: 'a' }))).toMatchObject({
      code: 429,
      body: { errors: ['Too many requests'] },
    });
  });
});
