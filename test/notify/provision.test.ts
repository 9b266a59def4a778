import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { PlatformClient } from '../../src/notify/platform/client.ts';
import { genericPreset } from '../../src/notify/presets/generic.ts';
import type { ObjectFault } from '../../src/notify/provisioning/object-faults.ts';
import { provision } from '../../src/notify/provisioning/provision.ts';
import type { ReadBack } from '../../src/notify/provisioning/read-back.ts';
import type { Desired, DesiredWebhook } from '../../src/notify/webhooks/definition.ts';
import { platformWarningsOf, warningsOf } from '../../src/notify/webhooks/validate.ts';
import { actions, desiring, start, WEBHOOK } from './provision-room.ts';

describe('apply', () => {
  it('creates variables, then the webhook, and reads the definition back', async () => {
    const { apply, service, writes } = await start();
    const { definitions, changes } = await apply(desiring());
    expect(definitions.get('default')).toEqual({
      ...WEBHOOK,
      payload: genericPreset.payload,
      encodeAs: 'json',
    });
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
    ['another payload, and no headers', { payload: '{"a": [$COUNTS, "$TARGET"]}', headers: {} }],
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

  it('ignores spacing and the order of keys in headers and payloads', async () => {
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
    const plain = desiring('first-token', { payload, url: 'https://example.com' });
    await apply(plain);
    await client.updateWebhook('lockhound', { url: 'https://EXAMPLE.com/' });
    expect(actions((await apply(plain)).changes)).toContain('lockhound unchanged');
    await apply(desired);
    await client.updateWebhook('lockhound', { payload: '{"b": "$COUNTS", "a": "$COUNTS"}' });
    expect(actions((await apply(desired)).changes)).toContain('lockhound updated payload');
  });

  it('sends only differences', async () => {
    const { apply, client, service } = await start();
    await apply(desiring());
    await client.updateWebhook('lockhound', { url: 'https://elsewhere.example/', encode_as: 'form' });
    await client.updateVariable('HOST', { value: 'elsewhere.example' });
    const { changes, definitions } = await apply(desiring());
    expect(actions(changes)).toEqual([
      'HOST updated value',
      'TOKEN unchanged',
      'lockhound updated url+encode_as',
    ]);
    expect(definitions.get('default')).toMatchObject({ url: WEBHOOK.url, encodeAs: 'json' });
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
    const { apply, applied, service } = await start();
    await apply(desiring('first-token'));
    const { changes } = await apply(desiring('second-token'));
    expect(actions(changes)).toEqual(['HOST unchanged', 'TOKEN updated value', 'lockhound unchanged']);
    expect(service.snapshot().variables).toContainEqual({
      name: 'TOKEN',
      value: 'second-token',
      is_secret: true,
    });
    const remembered = inspect(applied.stored, { depth: 9 });
    expect(remembered).toMatch(/value: '[0-9a-f]{64}'/);
    expect(remembered).not.toContain('token');
    expect(inspect(changes)).not.toContain('token');
  });

  it('are applied again when the memory of them is lost', async () => {
    const { apply, applied } = await start();
    await apply(desiring());
    applied.stored.clear();
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
  it('two concurrent calls end with one webhook', async () => {
    const { applyAlone, service, writes } = await start();
    service.faults.latencyMs = 10;
    const outcomes = await Promise.all([applyAlone(desiring()), applyAlone(desiring())]);
    expect(outcomes[0]?.definitions).toEqual(outcomes[1]?.definitions);
    expect(service.snapshot()).toMatchObject({ webhooks: [{ name: 'lockhound' }] });
    const before = writes().length;
    await applyAlone(desiring());
    expect(writes()).toHaveLength(before);
  });

  it.each([
    [400, 'Webhook already exists'],
    [409, 'taken'],
    [400, 'This name is in use'],
  ])('updates what another writer has just created (%i %s)', async (status, said) => {
    const { client, service, shared } = await start();
    const overtaken: PlatformClient = {
      ...client,
      async createWebhook(webhook, signal) {
        await client.createWebhook({ ...webhook, url: 'https://elsewhere.example/' });
        service.faults.inject({ kind: 'answer', status, body: JSON.stringify({ errors: [said] }) });
        return client.createWebhook(webhook, signal);
      },
    };
    const { changes } = await provision({ ...shared, client: overtaken, desired: desiring() });
    expect(changes.at(-1)).toMatchObject({ name: 'lockhound', action: 'updated' });
    expect(await client.readWebhook('lockhound')).toMatchObject({ url: WEBHOOK.url });
  });

  it('tries a creation that is refused for another reason once more, and fails with that reason', async () => {
    const { apply, service } = await start();
    let refused = 0;
    const isCreation = ({ method, url }: { method: string; url: string }) => {
      const creation = method === 'POST' && url.endsWith('/webhooks');
      if (creation) refused += 1;
      return creation;
    };
    const body = '{"errors": ["Invalid webhook"]}';
    service.faults.inject({ kind: 'answer', status: 400, body }, { times: 9, when: isCreation });
    const message = expect.stringContaining('Invalid webhook');
    await expect(apply(desiring())).rejects.toMatchObject({ code: 'bad-request', message });
    expect(refused).toBe(2);
    expect(service.snapshot().webhooks).toEqual([]);
  });

  it('under one lock, only the first writes', async () => {
    const { apply, writes } = await start();
    const [, second] = await Promise.all([apply(desiring()), apply(desiring())]);
    expect(second?.changes.every(({ action }) => action === 'unchanged')).toBe(true);
    expect(writes()).toHaveLength(3);
  });

  it('creates an object that was deleted between reading and writing', async () => {
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

describe('validation before anything is sent', () => {
  it.each([
    [{ name: 'two words' }, 'bad-request'],
    [{ url: 'ftp://example.com' }, 'url-invalid'],
    [{ url: '$NOWHERE/x' }, 'variable-unknown'],
    [{ headers: { 'bad name': 'x' } }, 'header-invalid'],
    [{ headers: { 'Content-Length': '1' } }, 'header-invalid'],
    [{ headers: { 'X-A': 'a\r\nX-B: b' } }, 'header-invalid'],
    [{ payload: '{"a": ' }, 'template-invalid'],
    [{ payload: '{"a": $NOWHERE}' }, 'variable-unknown'],
    [{ payload: '{"a": "$NOWHERE"}' }, 'variable-unknown'],
    [{ url: 'https://example.com/$NOWHERE' }, 'variable-unknown'],
    [{ url: 'https://exa mple.com/' }, 'url-invalid'],
    [{ url: '$LINK' }, 'url-invalid'],
    [{ url: '$HOST/path' }, 'url-invalid'],
    [{ url: '$TOKEN' }, 'url-invalid'],
    [{ headers: { 'X-A': 'Bearer $NOWHERE' } }, 'variable-unknown'],
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
    const variables = TOKEN ? { TOKEN } : {};
    const error: unknown = await apply({ webhooks: [], variables }).catch((it) => it);
    expect(error).toMatchObject({ code: 'bad-request' });
    expect(inspect(error, { depth: 9 })).not.toContain('first-token');
  });

  it('accepts a price as text, and requires unique webhook names', async () => {
    const { apply } = await start();
    await apply(desiring('first-token', { payload: '{"price": "US$5 or $ 5", "t": "$TARGET"}' }));
    const [webhook] = desiring().webhooks;
    const twice = { ...desiring(), webhooks: webhook ? [webhook, { ...webhook, route: 'other' }] : [] };
    await expect(apply(twice)).rejects.toThrow(/Two routes use a webhook named lockhound/);
  });

  it('a secret in a URL is warned of, one in a header is not', () => {
    expect(warningsOf(desiring())).toEqual([]);
    const [warning, ...others] = warningsOf(
      desiring('first-token', { url: 'https://$HOST/?t=$TOKEN&u=$TOKEN' }),
    );
    expect(warning).toContain('holds the secret TOKEN');
    expect(warning).not.toContain('first-token');
    expect(others).toEqual([]);
  });

  it.each([
    ['an invalid address', { url: '$TOKEN' }, 'no-address first-token', 'url-invalid'],
    ['a line break in a token', {}, 'first-token\nsecond line', 'header-invalid'],
    ['a list in the place of a key', { payload: '{$CHANGES_JSON: 1}' }, 'first-token', 'template-invalid'],
  ])(
    '%s is found with the values that there are, before anything is sent',
    async (_n, webhook, token, code) => {
      const { plan, apply, writes } = await start();
      for (const attempt of [plan, apply]) {
        const error: unknown = await attempt(desiring(token, webhook)).catch((it) => it);
        expect(error).toMatchObject({ code });
        expect(inspect(error, { depth: 9 })).not.toContain('first-token');
      }
      expect(writes()).toEqual([]);
    },
  );

  it('warns of a name that only begins with a known variable', () => {
    const headers = { authorization: 'Bearer $USER_TOKEN', one: '$ID_$TARGET', two: '$USER_TOKEN $TOKENS' };
    expect(warningsOf(desiring('first-token', { headers }))).toEqual([
      'Webhook lockhound uses $USER_TOKEN, which is not defined: it is read as $USER followed by the text "_TOKEN"',
      'Webhook lockhound uses $TOKENS, which is not defined: it is read as $TOKEN followed by the text "S"',
    ]);
  });

  it('warns of variables that the platform does not have when it renders', () => {
    const payload = '{"a": "$EVENT_TITLE $HOST", "b": $CHANGES_JSON}';
    expect(platformWarningsOf(desiring('first-token', { payload }))).toEqual([
      expect.stringContaining('uses $CHANGES_JSON, which the platform does not replace'),
    ]);
    expect(platformWarningsOf(desiring('first-token', { payload: null }))).toEqual([]);
  });
});

describe('one object that cannot be applied', () => {
  const webhook = (route: string, own: Partial<DesiredWebhook> = {}) => ({
    ...WEBHOOK,
    route,
    name: route,
    ...own,
  });
  const three = (own: Partial<DesiredWebhook> = {}): Desired => ({
    webhooks: [webhook('one'), webhook('two', { headers: {}, ...own }), webhook('three', { headers: {} })],
    variables: desiring().variables,
  });
  const names = ({ definitions }: ReadBack) => [...definitions.keys()];
  const withNumber = (field: string) => {
    const body = JSON.stringify({ name: 'two', url: WEBHOOK.url, [field]: 1 });
    const headers = { 'content-type': 'application/json' };
    return { kind: 'answer', status: 200, body, headers } as const;
  };

  it.each([
    ['403', { kind: 'answer', status: 403 }],
    ['429', { kind: 'answer', status: 429 }],
    ['an HTML page', { kind: 'answer', status: 200, body: '<!doctype html><p>Maintenance' }],
    ['half an answer', { kind: 'answer', status: 200, body: '{"name": "two", "url": "htt' }],
    ['no answer', { kind: 'drop' }],
    ['a number as payload', withNumber('payload')],
    ['a number as headers', withNumber('custom_headers')],
  ] as const)('is the only one without a definition (%s), until the next call', async (_, fault) => {
    const { shared, service } = await start();
    service.faults.inject(fault, { times: 99, when: ({ url }) => url.endsWith('/webhooks/two') });
    const desired = three();
    const provisioned = await provision({ ...shared, desired });
    expect(names(provisioned)).toEqual(['one', 'three']);
    expect(provisioned.faults).toMatchObject([{ kind: 'webhook', name: 'two', routes: ['two'] }]);
    service.faults.clear();
    const again = await provision({ ...shared, desired });
    expect([again.faults, names(again)]).toEqual([[], ['one', 'two', 'three']]);
    expect(actions(again.changes).filter((change) => !change.endsWith('unchanged'))).toEqual([
      'two created url+custom_headers+encode_as+payload',
    ]);
  });

  it('is one that is invalid: it stays on the platform as it was', async () => {
    const { shared, client } = await start();
    await provision({ ...shared, desired: three() });
    const desired = three({ url: 'https://$NOTHING/' });
    const provisioned = await provision({ ...shared, desired });
    expect(names(provisioned)).toEqual(['one', 'three']);
    expect(provisioned.faults).toMatchObject([{ name: 'two', error: { code: 'variable-unknown' } }]);
    expect(await client.readWebhook('two')).toMatchObject({ url: WEBHOOK.url });
  });

  it('stops the webhooks that use it, when it is a variable', async () => {
    const { shared, service } = await start();
    service.faults.inject(
      { kind: 'answer', status: 403 },
      { times: 99, when: ({ url }) => url.endsWith('/TOKEN') },
    );
    const provisioned = await provision({ ...shared, desired: three() });
    expect(names(provisioned)).toEqual(['two', 'three']);
    expect(provisioned.faults).toMatchObject([{ kind: 'variable', name: 'TOKEN', routes: ['one'] }]);
    expect(service.snapshot().webhooks.map(({ name }) => name)).toEqual(['two', 'three']);
  });

  it('is told of when it is found, and not when a platform that hangs has answered about all objects', async () => {
    const { shared, client, service } = await start();
    service.faults.inject(
      { kind: 'answer', status: 403 },
      { when: ({ url }) => url.endsWith('/webhooks/two') },
    );
    const { promise: told, resolve } = Promise.withResolvers<ObjectFault>();
    const hanging: PlatformClient = {
      ...client,
      async createWebhook(body, signal) {
        if (body.name === 'three') await told;
        return client.createWebhook(body, signal);
      },
    };
    const provisioned = await provision({ ...shared, client: hanging, desired: three(), onFault: resolve });
    expect(provisioned.faults).toEqual([await told]);
    expect(names(provisioned)).toEqual(['one', 'three']);
  });

  it('is one whose URL another installation replaces at once: no alert goes there', async () => {
    const { shared, client } = await start();
    const overtaken: PlatformClient = {
      ...client,
      async createWebhook(body, signal) {
        const created = await client.createWebhook(body, signal);
        if (body.name === 'two') await client.updateWebhook('two', { url: 'https://other.example/' });
        return created;
      },
    };
    const provisioned = await provision({ ...shared, client: overtaken, desired: three() });
    expect(names(provisioned)).toEqual(['one', 'three']);
    expect(provisioned.faults).toMatchObject([{ name: 'two', error: { code: 'not-applied' } }]);
  });

  it('is an orphan that cannot be deleted: it is deleted later', async () => {
    const { shared, service } = await start();
    await provision({ ...shared, desired: three() });
    const desired = { ...three(), webhooks: [webhook('one')] };
    service.faults.inject({ kind: 'answer', status: 403 }, { when: ({ method }) => method === 'DELETE' });
    const { faults } = await provision({ ...shared, desired });
    expect(faults).toMatchObject([{ kind: 'webhook', name: 'two', routes: [] }]);
    expect(service.snapshot().webhooks.map(({ name }) => name)).toEqual(['one', 'two']);
    expect((await provision({ ...shared, desired })).faults).toEqual([]);
    expect(service.snapshot().webhooks.map(({ name }) => name)).toEqual(['one']);
  });
});
