import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { tooManyRequests } from '../../src/embedded/faults.ts';
import type { NotifyError } from '../../src/notify/errors.ts';
import { baseUrlOf, SITES } from '../../src/notify/platform/sites.ts';
import { startTestServer } from '../http/test-server.ts';
import { openPlatform, startLocalPlatform } from './local-platform.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function local(options: Parameters<typeof startLocalPlatform>[0] = {}) {
  const platform = await startLocalPlatform(options);
  closers.push(platform.close);
  return platform;
}

async function answering(status: number, body: string, headers: Record<string, string> = {}) {
  const server = await startTestServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  });
  const platform = await openPlatform(server.url);
  closers.push(platform.close, server.close);
  return platform.client;
}

const failureOf = (promise: Promise<unknown>): Promise<NotifyError> =>
  promise.then(
    () => {
      throw new Error('expected a failure');
    },
    (error) => error,
  );

describe('the eight operations', () => {
  it('create, read, change and delete webhooks and variables', async () => {
    const { client, service } = await local();
    await client.createWebhook({ name: 'hook', url: 'https://example.com/x' });
    expect(await client.updateWebhook('hook', { encode_as: 'form' })).toMatchObject({ encode_as: 'form' });
    expect(await client.readWebhook('hook')).toMatchObject({
      url: 'https://example.com/x',
      encode_as: 'form',
    });
    await client.deleteWebhook('hook');
    await client.createVariable({ name: 'TOKEN', value: 'quiet-value', is_secret: true });
    expect(await client.readVariable('TOKEN')).toEqual({ name: 'TOKEN', is_secret: true });
    expect(await client.updateVariable('TOKEN', { is_secret: false })).toMatchObject({
      value: 'quiet-value',
    });
    await client.deleteVariable('TOKEN');
    expect(service.snapshot()).toMatchObject({ webhooks: [], variables: [] });
    expect(new Set(service.snapshot().calls).size).toBe(8);
  });
});

describe('a call', () => {
  it('ends when it is aborted', async () => {
    const server = await startTestServer(() => {});
    const { client, close } = await openPlatform(server.url);
    closers.push(close, server.close);
    const stop = new AbortController();
    const call = client.readWebhook('hook', stop.signal);
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('outcomes', () => {
  it.each([
    [400, '{"errors": ["Invalid webhook"]}', 'bad-request', false],
    [400, '{"errors": ["Webhook already exists"]}', 'conflict', false],
    [409, '{"errors": ["taken"]}', 'conflict', false],
    [401, '{"errors": ["no"]}', 'authentication', false],
    [403, '', 'authentication', false],
    [404, '{"errors": ["Webhook does not exist"]}', 'not-found', false],
    [408, '', 'unavailable', true],
    [425, '', 'unavailable', true],
    [429, 'slow down', 'too-many-requests', true],
    [500, '<html>oops</html>', 'unavailable', true],
    [503, '', 'unavailable', true],
    [302, '', 'contract', false],
    [200, 'not JSON', 'contract', true],
  ])('HTTP %i %s is %s', async (status, body, code, retryable) => {
    const client = await answering(status, body);
    const error = await failureOf(client.readWebhook('hook'));
    expect(error).toMatchObject({ name: 'NotifyError', code, retryable });
    expect(error.message).toContain('/api/v1/integration/webhooks/configuration/webhooks/hook');
  });

  it('returns the wait of Retry-After', async () => {
    const { client, service } = await local();
    service.faults.inject(tooManyRequests(7));
    expect(await failureOf(client.readWebhook('hook'))).toMatchObject({ retryAfterMs: 7000 });
  });

  it('reports lost connections and a missing server as unavailable, retryable', async () => {
    const { client, service } = await local();
    service.faults.inject({ kind: 'drop' });
    const lost = await failureOf(client.readWebhook('hook'));
    expect(lost).toMatchObject({ code: 'unavailable', retryable: true });
    await service.close();
    const refused = await failureOf(client.readWebhook('hook'));
    expect(refused).toMatchObject({ code: 'unavailable', retryable: true });
  });

  it('masks secrets in quoted answers, also where they are cut', async () => {
    const said = `${'x'.repeat(295)} quiet-value api-key-of-the-tests application-key-of-the-tests`;
    const client = await answering(400, JSON.stringify({ errors: [said] }));
    const error = await failureOf(
      client.createVariable({ name: 'T', value: 'quiet-value', is_secret: true }),
    );
    expect(inspect(error, { depth: 9 })).not.toMatch(/quiet|api-key-of|application-key-of/);
    expect(error.message).toContain('(sec');
  });
});

describe('credentials and sites', () => {
  it('sends both headers under the configured prefix', async () => {
    const seen: unknown[] = [];
    const server = await startTestServer(({ headers }, response) => {
      seen.push(headers['dd-api-key'], headers['dd-application-key']);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    const platform = await openPlatform(server.url, { headerPrefix: 'DD' });
    closers.push(platform.close, server.close);
    await platform.client.readWebhook('hook');
    expect(seen).toEqual(['api-key-of-the-tests', 'application-key-of-the-tests']);
  });

  it('has seven sites and lists them in the error for another one', () => {
    expect(SITES).toHaveLength(7);
    expect(baseUrlOf('datadoghq.eu')).toBe('https://api.datadoghq.eu');
    expect(() => baseUrlOf('datadoghq.example')).toThrow(/datadoghq\.example.*us5\.datadoghq\.com/);
  });
});
