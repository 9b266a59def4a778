import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { WebhookServiceOptions } from '../../src/embedded/webhooks/service.ts';
import { Secret } from '../../src/model/secret.ts';
import type { DesiredWebhook } from '../../src/notify/definition.ts';
import { deriveHashKey } from '../../src/notify/keyed-hash.ts';
import { plan } from '../../src/notify/plan.ts';
import type { PlatformClient } from '../../src/notify/platform/client.ts';
import { genericPreset } from '../../src/notify/presets/generic.ts';
import { provision } from '../../src/notify/provision.ts';
import { createLocalAppliedSecrets, createLocalLock, startLocalPlatform } from './local-platform.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const WEBHOOK = {
  name: 'lockhound',
  url: 'https://$HOST/alerts',
  headers: { Authorization: 'Bearer $TOKEN' },
};

function desiring(token = 'first-token', webhook: Partial<DesiredWebhook['webhook']> = {}): DesiredWebhook {
  return {
    webhook: { ...WEBHOOK, ...webhook },
    variables: { HOST: { value: 'example.com' }, TOKEN: { secret: new Secret(token) } },
  };
}

async function start(options: WebhookServiceOptions = {}) {
  const { service, client, close } = await startLocalPlatform(options);
  closers.push(close);
  const appliedSecrets = createLocalAppliedSecrets();
  const shared = {
    client,
    appliedSecrets,
    account: service.url,
    hashKey: deriveHashKey(new Secret('application-key-of-the-tests')),
    lock: createLocalLock(),
    signal: new AbortController().signal,
  };
  const writes = () => service.snapshot().calls.filter((call) => !call.endsWith('.get'));
  return {
    service,
    client,
    appliedSecrets,
    shared,
    writes,
    apply: (desired: DesiredWebhook) => provision({ ...shared, desired }),
    applyAlone: (desired: DesiredWebhook) => provision({ ...shared, lock: createLocalLock(), desired }),
    plan: (desired: DesiredWebhook) => plan({ ...shared, desired }),
  };
}

const actions = (
  changes: readonly { kind: string; name: string; action: string; fields: readonly string[] }[],
) => changes.map(({ name, action, fields }) => `${name} ${action} ${fields.join('+')}`.trim());

describe('apply', () => {
  it('creates variables, then the webhook, and reads the definition back', async () => {
    const { apply, service, writes } = await start();
    const { definition, changes } = await apply(desiring());
    expect(definition).toEqual({ ...WEBHOOK, payload: genericPreset.payload, encodeAs: 'json' });
    expect(changes.map(({ action }) => action)).toEqual(['created', 'created', 'created']);
    expect(writes()).toEqual([
      'webhooks.customVariables.create',
      'webhooks.customVariables.create',
      'webhooks.definitions.create',
    ]);
    expect(service.snapshot().calls.at(-1)).toBe('webhooks.definitions.get');
  });

  it.each([
    ['the generic payload', {}],
    ['the default payload', { payload: null }],
    ['a payload of its own, and no headers', { payload: '{"a": [$COUNTS, "$TARGET"]}', headers: {} }],
    ['a form', { encodeAs: 'form' as const, payload: '{"text": "$EVENT_MSG"}' }],
  ])('settles with %s', async (_name, webhook) => {
    const { apply, writes, plan } = await start({ extraKeys: { modified_by: 'someone' } });
    await apply(desiring('first-token', webhook));
    const before = writes().length;
    const { changes } = await apply(desiring('first-token', webhook));
    expect(writes()).toHaveLength(before);
    expect(actions(changes)).toEqual(['HOST unchanged', 'TOKEN unchanged', 'lockhound unchanged']);
    expect(actions(await plan(desiring('first-token', webhook)))).toEqual(actions(changes));
  });

  it('takes headers and payloads with other spacing and order of keys for the same', async () => {
    const { apply, client, writes } = await start();
    const payload = '{"b": $COUNTS, "a": "$COUNTS"}';
    const desired = desiring('first-token', { payload, headers: { a: '1', b: '2' } });
    await apply(desired);
    await client.updateWebhook('lockhound', {
      payload: '{ "a":"$COUNTS","b" : $COUNTS }',
      custom_headers: '{ "b": "2", "a": "1" }',
    });
    const before = writes().length;
    await apply(desired);
    expect(writes()).toHaveLength(before);
    await client.updateWebhook('lockhound', { payload: '{"b": "$COUNTS", "a": "$COUNTS"}' });
    expect(actions((await apply(desired)).changes)).toContain('lockhound updated payload');
  });

  it('puts only what differs', async () => {
    const { apply, client, service } = await start();
    await apply(desiring());
    await client.updateWebhook('lockhound', { url: 'https://elsewhere.example/', encode_as: 'form' });
    await client.updateVariable('HOST', { value: 'elsewhere.example' });
    const { changes, definition } = await apply(desiring());
    expect(actions(changes)).toEqual([
      'HOST updated value',
      'TOKEN unchanged',
      'lockhound updated url+encode_as',
    ]);
    expect(definition).toMatchObject({ url: WEBHOOK.url, encodeAs: 'json' });
    expect(service.snapshot().variables).toContainEqual({
      name: 'HOST',
      value: 'example.com',
      is_secret: false,
    });
  });

  it('plans without writing', async () => {
    const { plan, writes } = await start();
    const changes = await plan(desiring());
    expect(changes.map(({ action }) => action)).toEqual(['created', 'created', 'created']);
    expect(writes()).toEqual([]);
  });
});

describe('secrets', () => {
  it('are updated when they change, and remembered as a keyed hash only', async () => {
    const { apply, appliedSecrets, service } = await start();
    await apply(desiring('first-token'));
    const { changes } = await apply(desiring('second-token'));
    expect(actions(changes)).toEqual(['HOST unchanged', 'TOKEN updated value', 'lockhound unchanged']);
    expect(service.snapshot().variables).toContainEqual({
      name: 'TOKEN',
      value: 'second-token',
      is_secret: true,
    });
    expect([...appliedSecrets.stored.values()]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(inspect(changes)).not.toContain('token');
  });

  it('are applied again when nobody remembers what was', async () => {
    const { apply, appliedSecrets } = await start();
    await apply(desiring());
    appliedSecrets.stored.clear();
    expect(actions((await apply(desiring())).changes)).toContain('TOKEN updated value');
  });

  it('are forgotten when an update fails half-way, so that the old value is applied again', async () => {
    const { apply, service } = await start();
    await apply(desiring('first-token'));
    service.faults.inject({ kind: 'drop-answer' }, { when: ({ method }) => method === 'PUT' });
    await expect(apply(desiring('second-token'))).rejects.toMatchObject({
      code: 'unavailable',
      retryable: true,
    });
    await apply(desiring('first-token'));
    expect(service.snapshot().variables).toContainEqual({
      name: 'TOKEN',
      value: 'first-token',
      is_secret: true,
    });
  });

  it('turn into plain variables and back', async () => {
    const { apply, service } = await start();
    const plain = {
      ...desiring(),
      variables: { HOST: { value: 'example.com' }, TOKEN: { value: 'first-token' } },
    };
    await apply(desiring());
    expect(actions((await apply(plain)).changes)).toContain('TOKEN updated value+is_secret');
    expect(actions((await apply(desiring())).changes)).toContain('TOKEN updated value+is_secret');
    expect(service.snapshot().variables).toContainEqual({
      name: 'TOKEN',
      value: 'first-token',
      is_secret: true,
    });
  });
});

describe('others at the same time', () => {
  it.each([409, 400] as const)(
    'two who apply at once end with one webhook (taken: %i)',
    async (conflictStatus) => {
      const { applyAlone, service, writes } = await start({ conflictStatus });
      service.faults.latencyMs = 10;
      const outcomes = await Promise.all([applyAlone(desiring()), applyAlone(desiring())]);
      expect(outcomes[0]?.definition).toEqual(outcomes[1]?.definition);
      expect(service.snapshot()).toMatchObject({ webhooks: [{ name: 'lockhound' }] });
      const before = writes().length;
      await applyAlone(desiring());
      expect(writes()).toHaveLength(before);
    },
  );

  it('under one lock, only the first writes', async () => {
    const { apply, writes } = await start();
    const [, second] = await Promise.all([apply(desiring()), apply(desiring())]);
    expect(second?.changes.every(({ action }) => action === 'unchanged')).toBe(true);
    expect(writes()).toHaveLength(3);
  });

  it('creates what somebody deleted between reading and writing', async () => {
    const { apply, client, shared } = await start();
    await apply(desiring());
    const overtaken: PlatformClient = {
      ...client,
      async updateWebhook(name, changes, signal) {
        await client.deleteWebhook(name);
        return client.updateWebhook(name, changes, signal);
      },
    };
    const desired = desiring('first-token', { url: 'https://example.com/new' });
    const { changes } = await provision({ ...shared, client: overtaken, desired });
    expect(changes.at(-1)).toMatchObject({ name: 'lockhound', action: 'created' });
    expect(await client.readWebhook('lockhound')).toMatchObject({ url: 'https://example.com/new' });
  });
});

describe('what cannot work is said before anything is sent', () => {
  it.each([
    [{ name: 'two words' }, 'bad-request'],
    [{ url: 'ftp://example.com' }, 'url-invalid'],
    [{ url: '$NOWHERE/x' }, 'variable-unknown'],
    [{ headers: { 'bad name': 'x' } }, 'header-invalid'],
    [{ headers: { 'Content-Length': '1' } }, 'header-invalid'],
    [{ headers: { 'X-A': 'a\r\nX-B: b' } }, 'header-invalid'],
    [{ payload: '{"a": ' }, 'template-invalid'],
    [{ payload: '{"a": $NOWHERE}' }, 'variable-unknown'],
  ])('%j: %s', async (webhook, code) => {
    const { apply, service } = await start();
    await expect(apply(desiring('first-token', webhook))).rejects.toMatchObject({ code, retryable: false });
    expect(service.snapshot().calls).toEqual([]);
  });

  it('a refusal of the platform names it and holds no secret', async () => {
    const { apply, service } = await start();
    service.faults.inject(
      { kind: 'answer', status: 400, body: 'no first-token here' },
      {
        when: ({ method }) => method === 'POST',
        times: 9,
      },
    );
    const { TOKEN } = desiring().variables;
    const error: unknown = await apply({ ...desiring(), variables: TOKEN ? { TOKEN } : {} }).catch(
      (it) => it,
    );
    expect(error).toMatchObject({ code: 'bad-request' });
    expect(inspect(error, { depth: 9 })).not.toContain('first-token');
  });
});
