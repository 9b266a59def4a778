import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHttpClient } from '../../src/http/undici-client.ts';
import * as operations from '../../src/insights/operations.ts';
import { createInsightsService, type InsightsService } from '../../src/insights/service.ts';
import { startTestServer } from '../http/test-server.ts';
import { openInsightsApi } from './fake-service.ts';
import { OPERATION_SAMPLES } from './operation-samples.ts';

const seen: string[] = [];
const http = createHttpClient({ retry: { attempts: 1, baseMs: 1, longestWaitMs: 1 } });
let server: Awaited<ReturnType<typeof startTestServer>>;
let service: InsightsService;
let next: { status: number; type: string; body: string } | undefined;

beforeAll(async () => {
  server = await startTestServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const { status = 200, type = 'application/json', body = '{}' } = next ?? {};
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  service = createInsightsService(await openInsightsApi(http, server.url));
});

afterAll(async () => {
  await http.close();
  await server.close();
});

const signal = new AbortController().signal;
const key = { system: 'NPM', name: '@types/node', version: '1.0.0' } as const;

test.each(Object.entries(OPERATION_SAMPLES))('%s calls its own method and path', async (_id, sample) => {
  seen.length = 0;
  await sample.ask(service);
  expect(seen).toEqual([sample.request]);
});

test.each([
  [404, 'text/plain', 'version not found', 'not-found', false],
  [404, 'text/plain', 'no results match query', 'not-found', false],
  [404, 'text/html', '<html>Not Found</html>', 'refused', false],
  [404, 'text/plain', '404 page not found', 'refused', false],
  [302, 'text/plain', 'moved', 'refused', false],
  [400, 'text/plain', 'bad request', 'invalid', false],
  [401, 'text/plain', 'unauthorized', 'refused', false],
  [402, 'text/plain', 'payment required', 'refused', false],
  [403, 'text/plain', 'forbidden', 'refused', false],
  [407, 'text/plain', 'proxy authentication required', 'refused', false],
  [410, 'text/plain', 'gone', 'refused', false],
  [422, 'text/plain', 'unprocessable', 'refused', false],
  [451, 'text/plain', 'unavailable for legal reasons', 'refused', false],
  [429, 'text/plain', '', 'rate-limited', true],
  [500, 'text/plain', 'internal error', 'unavailable', true],
  [503, 'text/plain', 'service unavailable', 'unavailable', true],
  [200, 'text/html', '<html></html>', 'contract', true],
  [200, 'application/json', 'null', 'contract', true],
  [200, 'application/json', '{"versionKey": {', 'contract', true],
])('%i %s %j is %s', async (status, type, body, code, retryable) => {
  next = { status, type, body };
  expect(await operations.getVersion(service, key, { signal })).toMatchObject({ error: { code, retryable } });
});

test('what cannot be sent is invalid', async () => {
  const nameless = await operations.getPackage(service, { system: 'NPM', name: '' }, { signal });
  expect(nameless).toMatchObject({ error: { code: 'invalid', rule: 'name-form' } });
});
