import { afterEach, expect, test } from 'vitest';
import { type ApiClientOptions, createApiClient } from '../../src/discovery/client.ts';
import { createHttpClient } from '../../src/http/undici-client.ts';
import { startTestServer } from '../http/test-server.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const document = {
  methods: {
    read: { id: 'read', httpMethod: 'GET', path: 'things/{id}', parameters: { id: { location: 'path' } } },
    search: { id: 'search', httpMethod: 'POST', path: 'search', request: { $ref: 'Any' } },
  },
};

async function setUp(
  answer: { status?: number; type?: string; body: string; failures?: number },
  options: Partial<ApiClientOptions> = {},
) {
  const calls: { authorization: string | undefined; url: string | undefined }[] = [];
  const server = await startTestServer((request, response) => {
    calls.push({ authorization: request.headers.authorization, url: request.url });
    const { status = 200, type = 'application/json', body, failures = 0 } = answer;
    const busy = calls.length <= failures;
    response.writeHead(busy ? 503 : status, { 'content-type': type }).end(body);
  });
  const http = createHttpClient({ retry: { attempts: 2, baseMs: 1, longestWaitMs: 5 } });
  closing.push(() => http.close(), server.close);
  return {
    calls,
    url: server.url,
    api: createApiClient({ document, http, rootUrl: server.url, ...options }),
  };
}

test.each([
  ['application/json', '{"a":1}', { kind: 'json', value: { a: 1 } }],
  ['application/json; charset=utf-8', '[]', { kind: 'json', value: [] }],
  ['application/problem+json', '{}', { kind: 'json', value: {} }],
  ['application/json', '{"a":', { kind: 'text', text: '{"a":' }],
  ['text/plain', 'version not found', { kind: 'text', text: 'version not found' }],
  ['text/html', '{}', { kind: 'text', text: '{}' }],
  ['application/json', '', { kind: 'empty' }],
])('%s %j is read as what it is', async (type, body, content) => {
  const { api, url } = await setUp({ status: 418, type, body });
  const response = await api.call('read', { params: { id: 'a b' } });
  expect(response).toMatchObject({ status: 418, content, request: `GET ${url}/things/a%20b` });
});

test('headers are computed for every call, because credentials may change', async () => {
  let token = 0;
  const headers = () => {
    token += 1;
    return { authorization: `token ${token}` };
  };
  const { api, calls } = await setUp({ body: '{}' }, { headers });
  await api.call('read', { params: { id: '1' } });
  await api.call('read', { params: { id: '2' } });
  expect(calls.map(({ authorization }) => authorization)).toEqual(['token 1', 'token 2']);
});

test('a POST is repeated only for APIs that only read', async () => {
  const writing = await setUp({ body: '{}', failures: 1 });
  expect((await writing.api.call('search', { body: {} })).status).toBe(503);
  const reading = await setUp({ body: '{}', failures: 1 }, { readOnly: true });
  expect((await reading.api.call('search', { body: {} })).status).toBe(200);
});
