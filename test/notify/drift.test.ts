import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createMasker } from '../../src/model/secret.ts';
import { rotate } from '../../src/notify/provisioning/provision.ts';
import { configuredAlone } from '../../src/notify/provisioning/read-back.ts';
import { showAccount, showConfigured } from '../../src/notify/provisioning/show.ts';
import { actions, desiring, start, WEBHOOK } from './provision-room.ts';

const keeping = (...args: Parameters<typeof desiring>) => ({ ...desiring(...args), drift: 'keep' as const });

async function disturbed(desired = desiring()) {
  const room = await start();
  await room.apply(desired);
  await room.client.updateWebhook('lockhound', { url: 'https://elsewhere.example/' });
  await room.client.updateVariable('HOST', { value: 'elsewhere.example' });
  return room;
}

describe('drift on the platform', () => {
  it('is distinguished from a change of the configuration, and undone', async () => {
    const { apply, plan, client } = await disturbed();
    const desired = desiring('first-token', { headers: { 'X-New': '1' } });
    const planned = await plan(desired);
    const { changes } = await apply(desired);
    expect(changes).toEqual(planned);
    expect(changes[0]).toMatchObject({
      action: 'updated',
      drift: true,
      fields: [
        { name: 'value', before: 'elsewhere.example', after: 'example.com', drift: true, kept: false },
      ],
    });
    expect(changes.at(-1)).toMatchObject({
      action: 'updated',
      fields: [
        { name: 'url', before: 'https://elsewhere.example/', after: WEBHOOK.url, drift: true },
        { name: 'custom_headers', after: '{"X-New":"1"}', drift: false },
      ],
    });
    expect(await client.readWebhook('lockhound')).toMatchObject({ url: WEBHOOK.url });
    expect(
      (await apply(desired)).changes.every(({ action, drift }) => action === 'unchanged' && !drift),
    ).toBe(true);
  });

  it('is kept where that is configured, while the configuration’s own changes are applied', async () => {
    const { apply, writes, client } = await disturbed(keeping());
    const before = writes().length;
    const { changes, definitions, variables } = await apply(keeping());
    expect(writes()).toHaveLength(before);
    expect(actions(changes)).toEqual(['HOST kept value', 'TOKEN unchanged', 'lockhound kept url']);
    expect(changes.map(({ drift }) => drift)).toEqual([true, false, true]);
    expect(definitions.get('default')?.url).toBe('https://elsewhere.example/');
    expect(variables).toMatchObject({ HOST: { value: 'elsewhere.example' }, TOKEN: { secret: {} } });

    const desired = keeping('first-token', { payload: '{"t": "$TARGET"}' });
    expect(actions((await apply(desired)).changes).at(-1)).toBe('lockhound updated url+payload');
    expect(await client.readWebhook('lockhound')).toMatchObject({
      url: 'https://elsewhere.example/',
      payload: '{"t": "$TARGET"}',
    });
    expect(actions((await apply(desired)).changes).at(-1)).toBe('lockhound kept url');
    // A new value in the configuration wins over drift.
    const newer = keeping('first-token', { payload: '{"t": "$TARGET"}', url: 'https://$HOST/newer' });
    expect(actions((await apply(newer)).changes).at(-1)).toBe('lockhound updated url');
  });

  it('may be a deletion: put back, or left with nothing to deliver by', async () => {
    const { apply, client } = await start();
    await apply(desiring());
    await client.deleteWebhook('lockhound');
    const restored = await apply(desiring());
    expect(restored.changes.at(-1)).toMatchObject({ action: 'created', drift: true });
    await client.deleteWebhook('lockhound');
    const kept = await apply(keeping());
    expect(kept.changes.at(-1)).toMatchObject({ action: 'kept', drift: true });
    expect(kept.definitions.size).toBe(0);
    await expect(client.readWebhook('lockhound')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('is not the result of a write without an answer', async () => {
    const { apply, service } = await start();
    service.faults.inject(
      { kind: 'drop-answer' },
      { when: ({ method, url }) => method === 'POST' && url.endsWith('/webhooks') },
    );
    await expect(apply(keeping())).rejects.toMatchObject({ code: 'unavailable' });
    const { changes } = await apply(keeping('first-token', { url: 'https://$HOST/other' }));
    expect(changes.at(-1)).toMatchObject({ action: 'updated', drift: false });
    expect((await apply(keeping())).changes.at(-1)).toMatchObject({ action: 'updated', drift: false });
  });
});

describe('a rename in the configuration', () => {
  it('renames on the platform and leaves nothing behind', async () => {
    const { apply, plan, service, client } = await start();
    await apply(desiring());
    const desired = desiring('first-token', { name: 'new-name', encodeAs: 'form' });
    const planned = await plan(desired);
    expect(planned.at(-1)).toMatchObject({
      kind: 'webhook',
      name: 'new-name',
      action: 'updated',
      fields: [{ name: 'name', before: 'lockhound', after: 'new-name' }, { name: 'encode_as' }],
    });
    const { changes, definitions } = await apply(desired);
    expect(changes).toEqual(planned);
    expect(definitions.get('default')).toMatchObject({ name: 'new-name', encodeAs: 'form' });
    expect(service.snapshot().webhooks.map(({ name }) => name)).toEqual(['new-name']);
    await expect(client.readWebhook('lockhound')).rejects.toMatchObject({ code: 'not-found' });
    expect(actions((await apply(desired)).changes).at(-1)).toBe('new-name unchanged');
  });

  it('to a name that is there already updates that one and deletes the old one', async () => {
    const { apply, plan, service, client } = await start();
    await apply(desiring());
    await client.createWebhook({ name: 'new-name', url: 'https://example.com/mine' });
    const desired = desiring('first-token', { name: 'new-name' });
    const planned = actions(await plan(desired));
    expect(planned.slice(2)).toEqual(['new-name updated url+custom_headers+payload', 'lockhound deleted']);
    expect(actions((await apply(desired)).changes)).toEqual(planned);
    expect(service.snapshot().webhooks).toMatchObject([{ name: 'new-name', url: WEBHOOK.url }]);
  });

  it('may swap two webhooks', async () => {
    const { apply, service } = await start();
    const two = (first: string, second: string) => ({
      variables: {},
      webhooks: [
        { ...WEBHOOK, headers: {}, route: 'one', name: first, url: 'https://example.com/one' },
        { ...WEBHOOK, headers: {}, route: 'two', name: second, url: 'https://example.com/two' },
      ],
    });
    await apply(two('a', 'b'));
    await apply(two('b', 'a'));
    const urls = Object.fromEntries(service.snapshot().webhooks.map(({ name, url }) => [name, url]));
    expect(urls).toEqual({ a: 'https://example.com/two', b: 'https://example.com/one' });
  });

  it('that died half-way is finished by the next one', async () => {
    const { apply, service } = await start();
    await apply(desiring());
    service.faults.inject({ kind: 'drop-answer' }, { when: ({ method }) => method === 'PUT' });
    const desired = desiring('first-token', { name: 'new-name' });
    await expect(apply(desired)).rejects.toMatchObject({ code: 'unavailable' });
    await apply(desired);
    expect(service.snapshot().webhooks.map(({ name }) => name)).toEqual(['new-name']);
  });
});

describe('orphans', () => {
  it('is deleted, webhooks before the variables they use, and nothing else is', async () => {
    const { apply, plan, client, service, writes } = await start();
    await client.createWebhook({ name: 'not-managed', url: 'https://example.com/x' });
    await client.createVariable({ name: 'FOREIGN', value: 'x', is_secret: false });
    await apply(desiring());
    const empty = { webhooks: [], variables: {} };
    const planned = await plan(empty);
    const before = writes().length;
    const { changes } = await apply(empty);
    expect(changes).toEqual(planned);
    expect(actions(changes)).toEqual(['lockhound deleted', 'HOST deleted', 'TOKEN deleted']);
    // It is the configuration that changed, and not the platform.
    expect(changes.map(({ drift }) => drift)).toEqual([false, false, false]);
    expect(writes().slice(before)[0]).toBe('webhooks.definitions.delete');
    expect(service.snapshot()).toMatchObject({
      webhooks: [{ name: 'not-managed' }],
      variables: [{ name: 'FOREIGN' }],
    });
    expect(await plan(empty)).toEqual([]);
  });
});

describe('destroy', () => {
  it('deletes the webhook before its variables, and former names; a second call is harmless', async () => {
    const { apply, destroy, service, writes, applied } = await start();
    await apply(desiring());
    const before = writes().length;
    const renamed = desiring('first-token', { name: 'never-applied' });
    expect(actions(await destroy(renamed))).toEqual(['lockhound deleted', 'TOKEN deleted', 'HOST deleted']);
    expect(writes().slice(before)).toEqual([
      'webhooks.definitions.delete',
      'webhooks.customVariables.delete',
      'webhooks.customVariables.delete',
    ]);
    expect(service.snapshot()).toMatchObject({ webhooks: [], variables: [] });
    expect([...applied.stored.values()].map(({ size }) => size)).toEqual([0]);
    expect(await destroy(renamed)).toEqual([]);
  });
});

describe('rotate', () => {
  it('sends the value even when it did not change', async () => {
    const { apply, shared, client, service, writes } = await start();
    const desired = desiring();
    await apply(desired);
    await client.updateVariable('TOKEN', { value: 'replaced-by-an-operator' });
    expect(actions((await apply(desired)).changes)).toContain('TOKEN unchanged');
    const before = writes().length;
    const changes = await rotate({ ...shared, desired, variable: 'TOKEN' });
    expect(actions(changes)).toEqual(['TOKEN updated value']);
    expect(inspect(changes, { depth: 9 })).not.toContain('first-token');
    expect(writes().slice(before)).toEqual(['webhooks.customVariables.update']);
    expect(service.snapshot().variables).toContainEqual({
      name: 'TOKEN',
      value: 'first-token',
      is_secret: true,
    });
    expect(actions((await apply(desired)).changes)).toContain('TOKEN unchanged');
  });

  it('creates a deleted variable, and refuses one that is not a secret', async () => {
    const { shared, service } = await start();
    const desired = desiring();
    expect(actions(await rotate({ ...shared, desired, variable: 'TOKEN' }))).toEqual([
      'TOKEN created value+is_secret',
    ]);
    expect(service.snapshot().variables).toMatchObject([{ name: 'TOKEN' }]);
    await expect(rotate({ ...shared, desired, variable: 'HOST' })).rejects.toThrow(/HOST is not a secret/);
    await expect(rotate({ ...shared, desired, variable: 'NONE' })).rejects.toThrow(
      /its secret variables are: TOKEN/,
    );
  });
});

describe('show', () => {
  it('shows existing and missing objects without secrets', async () => {
    const { apply, shared, client } = await start();
    const desired = desiring();
    expect(await showAccount({ ...shared, desired })).toMatchObject({
      webhooks: [{ route: 'default', name: 'lockhound', there: false }],
      variables: [{ there: false }, { there: false }],
    });
    await apply(desired);
    // An operator made a secret readable and wrote another into a URL.
    await client.updateVariable('TOKEN', { is_secret: false });
    await client.updateWebhook('lockhound', { url: 'https://example.com/?t=first-token' });
    const shown = await showAccount({ ...shared, desired });
    expect(shown).toMatchObject({
      webhooks: [{ there: true, url: 'https://example.com/?t=(secret)', encodeAs: 'json' }],
      variables: [{ value: 'example.com' }, { name: 'TOKEN', secret: false, value: '(secret)' }],
    });
    expect(inspect(shown, { depth: 9 })).not.toContain('first-token');
  });

  it('returns every field as stored on the platform', async () => {
    const { apply, shared } = await start();
    const payload = '{"text": "$EVENT_TITLE first-token"}';
    for (const [webhook, shown] of [
      [
        { encodeAs: 'form', payload, headers: {} },
        { encodeAs: 'form', payload: '{"text": "$EVENT_TITLE (secret)"}', customHeaders: null },
      ],
      [
        { encodeAs: 'json', headers: { a: 'b first-token' } },
        { encodeAs: 'json', customHeaders: '{"a":"b (secret)"}' },
      ],
    ] as const) {
      const desired = desiring('first-token', webhook);
      await apply(desired);
      expect((await showAccount({ ...shared, desired })).webhooks[0]).toMatchObject(shown);
    }
  });
});

describe('the configuration without a platform', () => {
  const mask = createMasker(['first-token']);

  it('returns the definition that the platform would read back', async () => {
    const { apply } = await start();
    for (const webhook of [{}, { encodeAs: 'form', payload: '{"a": 1}', headers: {} }] as const) {
      const desired = desiring('first-token', webhook);
      const { definitions, variables } = await apply(desired);
      expect(configuredAlone(desired)).toEqual({ definitions, variables, faults: [] });
    }
  });

  it('is validated like a provisioned one', () => {
    const { definitions, faults } = configuredAlone(desiring('first-token', { url: 'https://$NOTHING' }));
    expect(definitions.size).toBe(0);
    expect(faults).toMatchObject([{ name: 'lockhound', routes: ['default'] }]);
    expect(faults[0]?.error.message).toContain('$NOTHING, which is not defined');
  });

  it('is shown without a secret', () => {
    const webhook = { payload: '{"text": "first-token"}', headers: { a: 'first-token' } };
    expect(showConfigured(desiring('first-token', webhook), mask)).toEqual({
      account: null,
      webhooks: [
        {
          route: 'default',
          name: 'lockhound',
          there: true,
          url: 'https://$HOST/alerts',
          customHeaders: '{"a":"(secret)"}',
          encodeAs: 'json',
          payload: '{"text": "(secret)"}',
        },
      ],
      variables: [
        { name: 'HOST', there: true, secret: false, value: 'example.com' },
        { name: 'TOKEN', there: true, secret: true, value: '(secret)' },
      ],
    });
    const plain = showConfigured(desiring('first-token', { payload: null, headers: {} }), mask);
    expect(plain.webhooks[0]).toMatchObject({ payload: null, customHeaders: null });
  });
});
