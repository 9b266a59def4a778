import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../../src/embedded/receiver/service.ts';
import { startWebhookService, type WebhookService } from '../../src/embedded/webhooks/service.ts';

const KEY = { apiKey: 'key', applicationKey: 'any' };
let service: WebhookService;
let receiver: Receiver;
beforeAll(async () => {
  [service, receiver] = await Promise.all([startWebhookService({ keys: [KEY] }), startReceiver()]);
  await post('/api/v1/integration/webhooks/configuration/custom-variables', {
    name: 'TOKEN',
    value: 'quiet "value"',
    is_secret: true,
  });
});
afterEach(() => receiver.faults.clear());
afterAll(() => Promise.all([service.close(), receiver.close()]));

function post(path: string, body: unknown, key = 'key') {
  return fetch(service.url + path, {
    method: 'POST',
    headers: { 'svc-api-key': key, 'svc-application-key': 'any' },
    body: JSON.stringify(body),
  });
}

async function define(name: string, fields: object = {}): Promise<void> {
  const path = '/api/v1/integration/webhooks/configuration/webhooks';
  const body = { name, url: `${receiver.url}/${name}`, ...fields };
  expect((await post(path, body)).status).toBe(201);
}

const event = (text: string, more: object = {}) => post('/api/v1/events', { title: 'News', text, ...more });
const received = (name: string) => receiver.deliveries().filter(({ path }) => path === `/${name}`);
const callOf = (name: string) => service.snapshot().called.find(({ webhook }) => webhook === name);

describe('an event', () => {
  it('calls the webhooks that it mentions, once each, with the variables of the account', async () => {
    await define('first', {
      custom_headers: '{"authorization": "Bearer $TOKEN"}',
      payload: '{"t": "$EVENT_TITLE", "m": "$EVENT_MSG", "k": "$TOKEN", "tags": "$TAGS", "x": "$UNKNOWN"}',
    });
    await define('second', { encode_as: 'form' });
    await define('unmentioned');
    const answer = await event('to @webhook-first and @webhook-second, @webhook-first and @webhook-none', {
      tags: ['a:b', 'c'],
    });
    expect(answer.status).toBe(202);
    expect(await answer.json()).toMatchObject({ status: 'ok', event: { title: 'News' } });
    await expect.poll(() => service.snapshot().called).toHaveLength(2);
    const [delivery, ...others] = received('first');
    expect(others).toEqual([]);
    expect(delivery?.headers['authorization']).toBe('Bearer quiet "value"');
    expect(delivery?.headers).not.toHaveProperty('webhook-signature');
    expect(JSON.parse(delivery?.body ?? '')).toEqual({
      t: 'News',
      m: expect.stringContaining('to @webhook-first'),
      k: 'quiet "value"',
      tags: 'a:b,c',
      x: '$UNKNOWN',
    });
    expect(new URLSearchParams(received('second')[0]?.body).get('title')).toBe('News');
    expect(received('unmentioned')).toEqual([]);
  });

  it('calls again on 5xx and lost connections, never on 4xx', async () => {
    await define('again');
    receiver.faults.inject({ kind: 'answer', status: 500 });
    receiver.faults.inject({ kind: 'drop' });
    await event('@webhook-again');
    await expect.poll(() => callOf('again')).toMatchObject({ status: 200, attempts: 3 });
    await define('refused');
    receiver.faults.inject({ kind: 'answer', status: 404 });
    await event('@webhook-refused');
    await expect.poll(() => callOf('refused')).toMatchObject({ status: 404, attempts: 1 });
  });

  it('calls only addresses of this machine', async () => {
    await define('far', { url: 'https://hooks.example/x' });
    await event('@webhook-far');
    await expect.poll(() => callOf('far')).toMatchObject({ attempts: 0, error: expect.any(String) });
  });

  it('needs the API key, a title and a text within their limits', async () => {
    expect((await post('/api/v1/events', { title: 'a', text: 'b' }, 'wrong')).status).toBe(403);
    const refused = async (body: unknown) => {
      const answer = await post('/api/v1/events', body);
      expect(answer.status).toBe(400);
      return ((await answer.json()) as { errors: string[] }).errors[0];
    };
    expect(await refused({ text: 'b' })).toBe('Invalid event title');
    expect(await refused({ title: 'a', text: 'x'.repeat(4_001) })).toBe('Invalid event text');
    expect(await refused({ title: 'a', text: 'b', tags: 'c' })).toBe('Invalid event tags');
    expect(await refused({ title: 'a', text: 'b', alert_type: 'loud' })).toBe('Invalid alert_type');
    expect(await refused({ title: 'a', text: 'b', priority: 'high' })).toBe('Invalid priority');
    expect(await refused({ title: 'a', text: 'b', aggregation_key: 'x'.repeat(101) })).toBe(
      'Invalid aggregation_key',
    );
    expect(await refused([])).toBe('Invalid JSON');
  });
});
