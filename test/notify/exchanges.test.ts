import { existsSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlatformClient } from '../../src/notify/platform/client.ts';
import { startTestServer } from '../http/test-server.ts';
import { openPlatform } from './local-platform.ts';

const CORPORA =
  process.env['LOCKHOUND_CORPORA'] ?? join(import.meta.dirname, '..', '..', '..', 'shared', 'corpora');
const FILE = join(CORPORA, 'webhooks', 'exchanges.jsonl');
const PRESENT = existsSync(FILE);

interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly reqBody: string | null;
  readonly status: number;
  readonly resHeaders: Readonly<Record<string, string>>;
  readonly resBody: string;
}

function readExchanges(): Exchange[] {
  const lines = readFileSync(FILE, 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line));
}

function perform(client: PlatformClient, { method, path, reqBody }: Exchange): Promise<unknown> {
  const [collection = '', name = ''] = path.split('/configuration/')[1]?.split('/') ?? [];
  const key = decodeURIComponent(name);
  const body = reqBody === null ? {} : JSON.parse(reqBody);
  const variable = collection === 'custom-variables';
  if (method === 'POST') return variable ? client.createVariable(body) : client.createWebhook(body);
  if (method === 'GET') return variable ? client.readVariable(key) : client.readWebhook(key);
  if (method === 'PUT') return variable ? client.updateVariable(key, body) : client.updateWebhook(key, body);
  return variable ? client.deleteVariable(key) : client.deleteWebhook(key);
}

// Without the corpora there are no recordings to compare the client with.
describe.skipIf(!PRESENT)('recorded exchanges of the webhook-integration API', () => {
  const exchanges = PRESENT ? readExchanges() : [];

  it('there are some', () => expect(exchanges.length).toBeGreaterThan(0));

  it.each(exchanges)('$method $path is requested and read as recorded', async (exchange) => {
    const asked: { method?: string; url?: string; headers: IncomingHttpHeaders; body: string }[] = [];
    const server = await startTestServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const { method, headers, url = '' } = request;
      asked.push({ ...(method === undefined ? {} : { method }), url, headers, body });
      response.writeHead(exchange.status, exchange.resHeaders).end(exchange.resBody);
    });
    const platform = await openPlatform(server.url, { headerPrefix: 'DD' });
    const outcome = await perform(platform.client, exchange).then(
      (value) => ({ value }),
      (error) => ({ error }),
    );
    await platform.close();
    await server.close();
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ method: exchange.method, url: exchange.path });
    expect(asked[0]?.headers).toMatchObject({
      accept: 'application/json',
      'dd-api-key': expect.any(String),
      'dd-application-key': expect.any(String),
      ...(exchange.reqBody === null ? {} : { 'content-type': 'application/json' }),
    });
    if (exchange.reqBody !== null)
      expect(JSON.parse(asked[0]?.body ?? '')).toEqual(JSON.parse(exchange.reqBody));
    if (exchange.status === 404) expect(outcome).toMatchObject({ error: { code: 'not-found' } });
    else if (exchange.status >= 400) expect(outcome).toMatchObject({ error: { name: 'NotifyError' } });
    else if (exchange.method === 'DELETE') expect(outcome).toEqual({ value: undefined });
    else expect(outcome).toEqual({ value: JSON.parse(exchange.resBody) });
  });
});
