import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { resolveSecret } from '../../src/config/secret-reference.ts';
import { startReceiver } from '../../src/embedded/receiver/service.ts';
import { createHttpClient, type HttpClientOptions } from '../../src/http/undici-client.ts';
import type { DeliveryAttempt } from '../../src/model/alert/delivery.ts';
import { Secret } from '../../src/model/secret.ts';
import { createNotifier, type Notifier, type NotifierOptions } from '../../src/notify/delivery/deliver.ts';
import type { NotifyError } from '../../src/notify/errors.ts';
import { genericPreset } from '../../src/notify/presets/generic.ts';
import type { WebhookDefinition } from '../../src/notify/webhooks/definition.ts';
import { startTestServer } from '../http/test-server.ts';
import { until } from '../until.ts';
import { changeOf, notificationOf } from './notification.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const SIGNING_SECRET = new Secret(`whsec_${Buffer.from('a signing secret of the tests').toString('base64')}`);
const SECRETS = /quiet|sAlT|a2FjaG|whsec_|YSBzaWdu/i;

/** Sends to `url` with a secret in path, query and a header, and keeps the recorded attempts. */
function notifierFor(
  url: string,
  options: Partial<NotifierOptions> = {},
  httpOptions: HttpClientOptions = {},
) {
  const http = createHttpClient(httpOptions);
  closers.push(() => http.close());
  const attempts: DeliveryAttempt[] = [];
  const definition: WebhookDefinition = {
    name: 'lockhound',
    url: `${url}/in/$TOKEN?key=$TOKEN`,
    headers: { Authorization: 'Bearer $TOKEN' },
    payload: genericPreset.payload,
    encodeAs: 'json',
  };
  const variables = { TOKEN: { secret: new Secret('quiet/sAlT "u"') } };
  const notifier: Notifier = createNotifier({
    webhooks: [{ name: 'lockhound', definition: () => definition, variables }],
    http,
    timeoutMs: 2_000,
    now: () => new Date(),
    recordAttempt: (_webhook, _id, attempt) => void attempts.push(attempt),
    ...options,
  });
  const deliver = (signal = new AbortController().signal) =>
    notifier.deliver('lockhound', notificationOf([changeOf('left-pad')]), signal);
  return { notifier, attempts, deliver };
}

async function receiver() {
  const service = await startReceiver();
  closers.push(service.close);
  return service;
}

async function answering(listener: RequestListener) {
  const server = await startTestServer(listener);
  closers.push(server.close);
  return server.url;
}

const failureOf = (promise: Promise<unknown>): Promise<NotifyError> =>
  promise.then(
    () => {
      throw new Error('expected a failure');
    },
    (error) => error,
  );

describe('a delivery', () => {
  it('arrives signed, once, under the id of the notification', async () => {
    const service = await receiver();
    const { deliver, attempts } = notifierFor(service.url, { signingSecret: SIGNING_SECRET });
    const receipt = await deliver();
    expect(receipt).toEqual({
      id: 'msg_0123456789abcdef',
      route: 'lockhound',
      status: 200,
      answer: expect.any(String),
    });
    const [delivery] = service.deliveries();
    expect(delivery).toMatchObject({ id: 'msg_0123456789abcdef', method: 'POST', attempts: 1 });
    expect(delivery?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'lockhound-webhook/1',
    });
    const verified = new Webhook(SIGNING_SECRET.reveal()).verify(
      delivery?.body ?? '',
      delivery?.headers ?? {},
    );
    expect(verified).toMatchObject({ schema: 'lockhound.changes/1', target: 'shop/web' });
    expect(attempts).toEqual([
      {
        at: expect.stringMatching(/Z$/),
        durationMs: expect.any(Number),
        bytes: Buffer.byteLength(delivery?.body ?? ''),
        status: 200,
        answer: receipt.answer,
      },
    ]);
  });

  it('has an id and a time, and no signature, without a signing secret', async () => {
    const service = await receiver();
    await notifierFor(service.url, { now: () => new Date('2026-11-21T03:04:05.678Z') }).deliver();
    const headers = service.deliveries()[0]?.headers;
    expect(headers).toMatchObject({
      'webhook-id': 'msg_0123456789abcdef',
      'webhook-timestamp': '1795230245',
    });
    expect(headers).not.toHaveProperty('webhook-signature');
  });

  it('is refused immediately with a signing secret that is not base64', () => {
    const use = () => notifierFor('http://127.0.0.1:1', { signingSecret: new Secret('whsec_quiet§') });
    expect(use).toThrow(
      expect.objectContaining({ code: 'header-invalid', message: expect.not.stringContaining('quiet') }),
    );
  });

  it('is delivered once the receiver answers 2xx, even when the rest of its answer is broken', async () => {
    const url = await answering((request, response) => {
      request.resume();
      response.writeHead(202, { 'content-encoding': 'gzip' });
      response.write('no gzip', () => response.destroy());
    });
    const { deliver, attempts } = notifierFor(url);
    expect(await deliver()).toMatchObject({ status: 202, answer: '' });
    expect(attempts).toEqual([expect.objectContaining({ status: 202 })]);
  });

  it('waits for the definition', async () => {
    const attempts: DeliveryAttempt[] = [];
    const { deliver } = notifierFor('http://127.0.0.1:1', {
      webhooks: [{ name: 'lockhound', definition: () => undefined, variables: {} }],
      recordAttempt: async (_webhook, _id, attempt) => void attempts.push(attempt),
    });
    expect(await failureOf(deliver())).toMatchObject({ code: 'not-provisioned', retryable: true });
    expect(attempts).toEqual([]);
  });

  it('to a webhook that is not configured is a permanent error', async () => {
    const { notifier } = notifierFor('http://127.0.0.1:1');
    const delivered = notifier.deliver('other', notificationOf(), new AbortController().signal);
    expect(await failureOf(delivered)).toMatchObject({ code: 'not-found', retryable: false });
  });
});

it('a receiver gets the token that its file has now, and no record has either', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'deliver-'));
  closers.push(() => rm(folder, { recursive: true }));
  const file = join(folder, 'token');
  await writeFile(file, 'quiet-old');
  const url = await answering(({ headers }, response) => {
    response.writeHead(headers.authorization === 'Bearer quiet-new' ? 200 : 401).end(headers.authorization);
  });
  const definition: WebhookDefinition = {
    ...{ name: 'hook', url, headers: { Authorization: 'Bearer $TOKEN' } },
    ...{ payload: genericPreset.payload, encodeAs: 'json' },
  };
  const variables = { TOKEN: { secret: resolveSecret({ file }, 'token', {}) } };
  const webhooks = [{ name: 'lockhound', definition: () => definition, variables }];
  const { deliver, attempts } = notifierFor(url, { webhooks });
  expect(await failureOf(deliver())).toMatchObject({ code: 'receiver-refused', retryable: true });
  await writeFile(file, 'quiet-new');
  expect(await deliver()).toMatchObject({ status: 200, answer: 'Bearer (secret)' });
  expect(JSON.stringify(attempts)).not.toContain('quiet');
});

describe('a receiver that does not accept the alert', () => {
  it.each([
    [301, 'receiver-refused', false],
    [400, 'receiver-refused', false],
    [401, 'receiver-refused', true],
    [403, 'receiver-refused', true],
    [404, 'receiver-refused', false],
    [422, 'receiver-refused', false],
    [408, 'receiver-refused', true],
    [410, 'receiver-gone', false],
    [425, 'receiver-refused', true],
    [429, 'receiver-refused', true],
    [500, 'receiver-refused', true],
    [503, 'receiver-refused', true],
  ])('HTTP %i: %s, one request, no secret in messages', async (status, code, retryable) => {
    let asked = 0;
    const url = await answering(({ headers, url: path }, response) => {
      asked += 1;
      const echo = `${'x'.repeat(1000)}${headers.authorization} ${path} ${decodeURIComponent(path ?? '')}`;
      response.writeHead(status, { 'retry-after': '3', location: '/else' }).end(echo);
    });
    const { deliver, attempts } = notifierFor(url, { signingSecret: SIGNING_SECRET });
    const error = await failureOf(deliver());
    expect(error).toMatchObject({ code, retryable });
    if (retryable) expect(error.retryAfterMs).toBe(3000);
    expect(error.message).toContain(`${url}/in/(secret): HTTP ${status}`);
    expect(asked).toBe(1);
    expect(attempts).toEqual([expect.objectContaining({ status, error: error.message })]);
    expect(attempts[0]?.answer).toMatch(/^x{1000}Bearer \(secret\)/);
    expect(Buffer.byteLength(attempts[0]?.answer ?? '')).toBeLessThanOrEqual(1024);
    expect(inspect([error, attempts], { depth: 9, maxStringLength: null })).not.toMatch(SECRETS);
  });

  it('leaves an answer that a terminal can show: one line, no control characters, 1 KiB at most', async () => {
    const url = await answering((_request, response) => {
      response.writeHead(500).end(`\u001b]0;gone\u0007one\r\ntwo\u202e${'é'.repeat(1000)}`);
    });
    const { deliver, attempts } = notifierFor(url);
    await failureOf(deliver());
    const answer = attempts[0]?.answer ?? '';
    expect(answer).toMatch(/^ \]0;gone one two é+$/);
    expect(Buffer.byteLength(answer)).toBeGreaterThan(1020);
    expect(Buffer.byteLength(answer)).toBeLessThanOrEqual(1024);
  });

  it.each([['drop'], ['drop-answer'], ['hang']] as const)('%s: unreachable, retryable', async (kind) => {
    const service = await receiver();
    service.faults.inject({ kind });
    const { deliver, attempts } = notifierFor(service.url, { timeoutMs: 300 });
    const error = await failureOf(deliver());
    expect(error).toMatchObject({ code: 'receiver-unreachable', retryable: true });
    expect(attempts).toEqual([expect.objectContaining({ error: error.message })]);
    expect(inspect([error, attempts], { depth: 9 })).not.toMatch(SECRETS);
    await deliver();
    expect(service.deliveries()).toEqual([
      expect.objectContaining({ attempts: 2, taken: kind === 'drop-answer' ? 2 : 1 }),
    ]);
  });

  it('no server: unreachable, retryable', async () => {
    const service = await receiver();
    await service.close();
    const error = await failureOf(notifierFor(service.url).deliver());
    expect(error).toMatchObject({ code: 'receiver-unreachable', retryable: true });
    expect(inspect(error, { depth: 9 })).not.toMatch(SECRETS);
  });

  it('an address that may not be called stays refused', async () => {
    const service = await receiver();
    const error = await failureOf(notifierFor(service.url, {}, { guard: () => false }).deliver());
    expect(error).toMatchObject({ code: 'receiver-unreachable', retryable: false });
  });

  it('stops when it is aborted, and records why', async () => {
    const service = await receiver();
    service.faults.inject({ kind: 'hang' });
    const { deliver, attempts } = notifierFor(service.url);
    const abort = new AbortController();
    const failing = failureOf(deliver(abort.signal));
    await until('the request arrives', () => service.attempts() > 0);
    abort.abort();
    const error = await failing;
    expect(error).toMatchObject({ code: 'receiver-unreachable', retryable: true });
    expect(attempts).toEqual([expect.objectContaining({ error: error.message })]);
  });

  it('shows only the host of a secret URL', async () => {
    const url = await answering((_request, response) => void response.writeHead(400).end());
    const { deliver, attempts } = notifierFor(url, {
      webhooks: [
        {
          name: 'lockhound',
          definition: () => ({
            name: 'lockhound',
            url: '$HOOK',
            headers: {},
            payload: null,
            encodeAs: 'json',
          }),
          variables: { HOOK: { secret: new Secret(`${url}/T0/quiet-path?sig=quiet-query`) } },
        },
      ],
      recordAttempt: (_webhook, _id, attempt) => void attempts.push(attempt),
    });
    const error = await failureOf(deliver());
    expect(error.message).toContain(`POST ${url}(secret): HTTP 400`);
    expect(inspect([error, attempts], { depth: 9 })).not.toMatch(SECRETS);
  });
});
