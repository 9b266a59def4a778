import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LISTED_ERRORS, tooManyRequests } from '../../src/embedded/faults.ts';
import {
  startWebhookService,
  type WebhookService,
  type WebhookServiceOptions,
} from '../../src/embedded/webhooks/service.ts';

const BASE = '/api/v1/integration/webhooks/configuration';
const KEYS = { 'SVC-API-KEY': 'api', 'SVC-APPLICATION-KEY': 'application' };
const KEY = { apiKey: 'api', applicationKey: 'application' };
const NO_WEBHOOK = { errors: ['Webhook does not exist'] };

describe('the local webhook-integration service', () => {
  let service: WebhookService;
  beforeEach(async () => {
    service = await startWebhookService({ keys: [KEY] });
  });
  afterEach(() => service.close());

  const call = (method: string, path: string, body?: unknown) => send(service, method, path, KEYS, body);

  it('creates, reads, changes in part, renames and deletes a webhook', async () => {
    const created = await call('POST', '/webhooks', { name: 'alerts', url: 'https://hooks.example/a' });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ name: 'alerts', encode_as: 'json', custom_headers: null });
    expect(JSON.parse(String(created.body['payload']))).toMatchObject({ title: '$EVENT_TITLE' });

    const changed = await call('PUT', '/webhooks/alerts', { payload: '{"text": "$EVENT_TITLE"}' });
    expect(changed).toMatchObject({ status: 200, body: { url: 'https://hooks.example/a' } });
    expect(changed.body['payload']).toBe('{"text": "$EVENT_TITLE"}');

    const renamed = await call('PUT', '/webhooks/alerts', { name: 'alarms', custom_headers: '{"X-A": "1"}' });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'alarms', custom_headers: '{"X-A": "1"}' } });
    expect(await call('GET', '/webhooks/alerts')).toEqual({ status: 404, body: NO_WEBHOOK });

    const reset = await call('PUT', '/webhooks/alarms', { payload: null, custom_headers: null });
    expect(reset.body).toMatchObject({ custom_headers: null, payload: created.body['payload'] });
    expect(await call('DELETE', '/webhooks/alarms')).toEqual({ status: 200, body: {} });
    expect(await call('DELETE', '/webhooks/alarms')).toEqual({ status: 404, body: NO_WEBHOOK });
  });

  it('never returns a secret', async () => {
    const secret = { name: 'SIGNING_KEY', value: 'hush', is_secret: true };
    const answers = [
      await call('POST', '/custom-variables', secret),
      await call('GET', '/custom-variables/SIGNING_KEY'),
      await call('PUT', '/custom-variables/SIGNING_KEY', { value: 'hush too' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200]);
    for (const { body } of answers) expect(body).toEqual({ name: 'SIGNING_KEY', is_secret: true });
    expect(service.snapshot().variables).toEqual([{ ...secret, value: 'hush too' }]);
    const open = await call('POST', '/custom-variables', { name: 'TEAM', value: 'red', is_secret: false });
    expect(open.body).toEqual({ name: 'TEAM', value: 'red', is_secret: false });
  });

  it.each([
    ['/webhooks', { name: 'two words', url: 'https://hooks.example' }, 'Invalid webhook'],
    ['/webhooks', { url: 'https://hooks.example' }, 'Invalid webhook'],
    ['/webhooks', { name: 'a', url: 'nowhere' }, 'Invalid webhook url'],
    ['/webhooks', { name: 'a', url: 'https://h.example', custom_headers: '[]' }, 'Invalid custom headers'],
    ['/webhooks', { name: 'a', url: 'https://h.example', encode_as: 'xml' }, 'Invalid encoding'],
    ['/custom-variables', { name: 'lower', value: 'v', is_secret: true }, 'Invalid custom variable name'],
    ['/custom-variables', { name: 'A', is_secret: true }, 'Invalid custom variable value'],
    ['/custom-variables', { name: 'A', value: 'v' }, 'Invalid custom variable is_secret'],
  ])('refuses POST %s %j', async (path, body, error) => {
    expect(await call('POST', path, body)).toEqual({ status: 400, body: { errors: [error] } });
    expect(service.snapshot()).toMatchObject({ webhooks: [], variables: [] });
  });

  it('requires both credentials', async () => {
    const cases = [{}, { 'SVC-API-KEY': 'api' }, { ...KEYS, 'SVC-APPLICATION-KEY': 'wrong' }];
    for (const headers of [...cases, { 'DD-API-KEY': 'api', 'DD-APPLICATION-KEY': 'application' }]) {
      const refused = await send(service, 'GET', '/webhooks/x', headers);
      expect(refused).toEqual({ status: 403, body: { errors: ['Forbidden'] } });
    }
    expect(service.snapshot().calls).toEqual([]);
  });

  it('allows a key only what its permissions allow', async () => {
    const reader = await startWebhookService({ keys: [{ ...KEY, permissions: ['integrations_read'] }] });
    const creator = await startWebhookService({ keys: [{ ...KEY, permissions: ['create_webhooks'] }] });
    const webhook = { name: 'alerts', url: 'https://hooks.example/a' };
    const variable = { name: 'A', value: 'v', is_secret: false };
    const asked = [
      ['POST', '/webhooks', webhook],
      ['GET', '/webhooks/alerts', undefined],
      ['PUT', '/webhooks/alerts', {}],
      ['DELETE', '/webhooks/alerts', undefined],
      ['POST', '/custom-variables', variable],
      ['GET', '/custom-variables/A', undefined],
      ['PUT', '/custom-variables/A', {}],
      ['DELETE', '/custom-variables/A', undefined],
    ] as const;
    const statuses = (service: WebhookService) =>
      Promise.all(
        asked.map(async ([method, path, body]) => (await send(service, method, path, KEYS, body)).status),
      );
    expect(await statuses(reader)).toEqual([403, 404, 403, 403, 403, 404, 403, 403]);
    expect(await statuses(creator)).toEqual([201, 403, 403, 403, 403, 403, 403, 403]);
    const refused = await send(reader, 'DELETE', '/webhooks/alerts', KEYS);
    expect(refused.body).toEqual({ errors: ['Forbidden'] });
    await Promise.all([reader.close(), creator.close()]);
  });

  it('lists its errors as JSON, also where no operation is reached', async () => {
    service.faults.inject(tooManyRequests(3, LISTED_ERRORS));
    expect(await call('GET', '/webhooks/x')).toEqual({
      status: 429,
      body: { errors: ['too many requests'] },
    });
    for (const [method, path, status] of [
      ['GET', '/webhooks/%zz', 400],
      ['PATCH', '/webhooks/x', 404],
      ['GET', '/webhooks', 404],
    ] as const) {
      const refused = await call(method, path);
      expect(refused).toEqual({ status, body: { errors: [expect.any(String)] } });
    }
  });

  it('requires a body where the document does, and ignores the body of a deletion', async () => {
    await call('POST', '/webhooks', { name: 'alerts', url: 'https://hooks.example/a' });
    await call('POST', '/custom-variables', { name: 'A', value: 'v', is_secret: false });
    const invalid = { status: 400, body: { errors: ['Invalid JSON'] } };
    expect(await call('PUT', '/webhooks/alerts')).toEqual(invalid);
    expect(await call('PUT', '/webhooks/alerts', [])).toEqual(invalid);
    expect(await call('PUT', '/webhooks/alerts', {})).toMatchObject({
      status: 200,
      body: { name: 'alerts' },
    });
    for (const changes of [{ name: null }, { url: null }]) {
      expect(await call('PUT', '/webhooks/alerts', changes)).toMatchObject({ status: 400 });
    }
    for (const changes of [{ name: null }, { value: null }, { is_secret: null }]) {
      expect(await call('PUT', '/custom-variables/A', changes)).toMatchObject({ status: 400 });
    }
    expect(await call('DELETE', '/webhooks/alerts', 'no object')).toEqual({ status: 200, body: {} });
  });

  it('refuses a name in use, and keeps the object', async () => {
    const body = { name: 'alerts', url: 'https://hooks.example/a' };
    await call('POST', '/webhooks', body);
    const again = await call('POST', '/webhooks', { ...body, url: 'https://hooks.example/b' });
    // The specification lists no outcome for conflicts.
    expect(again).toEqual({ status: 400, body: { errors: ['Webhook already exists'] } });
    expect(service.snapshot().webhooks).toMatchObject([body]);
    const variable = { name: 'A', value: 'first', is_secret: false };
    await call('POST', '/custom-variables', variable);
    expect(await call('POST', '/custom-variables', { ...variable, value: 'second' })).toEqual({
      status: 400,
      body: { errors: ['Custom variable already exists'] },
    });
    expect(service.snapshot().variables).toEqual([variable]);
    await call('POST', '/webhooks', { ...body, name: 'alarms' });
    expect(await call('PUT', '/webhooks/alarms', { name: 'alerts' })).toMatchObject({ status: 400 });
  });

  it('limits its rate, or loses its answer after the work is done', async () => {
    service.faults.inject(tooManyRequests());
    service.faults.inject({ kind: 'drop-answer' });
    expect((await fetch(`${service.url}${BASE}/webhooks/x`)).status).toBe(429);
    const body = { name: 'alerts', url: 'https://hooks.example/a' };
    await expect(call('POST', '/webhooks', body)).rejects.toThrow('fetch failed');
    expect(service.snapshot().webhooks).toMatchObject([body]);
  });

  it('answers a path that no document has before it looks at credentials', async () => {
    for (const path of ['/', '/api/v1/validate', '/api/v1/integration/webhooks/configuration/webhooks/a/b']) {
      const response = await fetch(service.url + path);
      expect([response.status, await response.json()]).toEqual([404, { errors: ['Not found'] }]);
    }
  });

  it('accepts a header prefix and adds undocumented keys', async () => {
    const other = await startWebhookService({ headerPrefix: 'DD', extraKeys: { org: 1 } });
    const headers = { 'DD-API-KEY': 'any', 'DD-APPLICATION-KEY': 'any' };
    const body = { name: 'alerts', url: 'https://hooks.example/a' };
    expect((await send(other, 'POST', '/webhooks', headers, body)).body).toMatchObject({ org: 1, ...body });
    expect((await send(other, 'POST', '/webhooks', headers, body)).status).toBe(400);
    await other.close();
  });
});

const CORPORA = process.env['LOCKHOUND_CORPORA'] ?? join(import.meta.dirname, '../../../shared/corpora');
const RECORDED = join(CORPORA, 'webhooks/exchanges.jsonl');

const exchange = z.object({
  method: z.string(),
  path: z.string(),
  reqBody: z.string().nullable(),
  status: z.number(),
  resBody: z.string(),
});

describe.skipIf(!existsSync(RECORDED))('recorded exchanges with the platform', () => {
  it('are the same from the local service', async () => {
    const options: WebhookServiceOptions = { headerPrefix: 'DD' };
    const service = await startWebhookService(options);
    const lines = readFileSync(RECORDED, 'utf8').trim().split('\n');
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines) {
      const recorded = exchange.parse(JSON.parse(line));
      const response = await fetch(`${service.url}${recorded.path}`, {
        method: recorded.method,
        headers: { 'DD-API-KEY': 'any', 'DD-APPLICATION-KEY': 'any' },
        body: recorded.reqBody,
      });
      const what = `${recorded.method} ${recorded.path}`;
      expect(response.status, what).toBe(recorded.status);
      expect(response.headers.get('content-type'), what).toContain('application/json');
      expect(await response.json(), what).toEqual(documented(JSON.parse(recorded.resBody)));
    }
    await service.close();
  });
});

/** Without undocumented keys, which only some recordings of a call have. */
function documented(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(body).filter(([key]) => DOCUMENTED.has(key)));
}

const DOCUMENTED: ReadonlySet<string> = new Set([
  ...['name', 'url', 'custom_headers', 'encode_as', 'payload'],
  ...['value', 'is_secret', 'errors'],
]);

async function send(
  service: WebhookService,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${service.url}${BASE}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: z.record(z.string(), z.unknown()).parse(await response.json()) };
}
