import { afterAll, beforeAll, expect, test } from 'vitest';
import { readBundledDescription } from '../../src/discovery/bundled.ts';
import { methodsOf } from '../../src/discovery/description/methods.ts';
import { createHttpClient } from '../../src/http/undici-client.ts';
import * as operations from '../../src/insights/operations.ts';
import { createInsightsService, type InsightsService } from '../../src/insights/service.ts';
import { startTestServer } from '../http/test-server.ts';
import { openInsightsApi } from './fake-service.ts';

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
const name = { system: 'NPM', name: '@types/node' } as const;
const module = { system: 'GO', name: 'golang.org/x/net', version: '0.17.0' } as const;
const key = { ...name, version: '1.0.0' } as const;
const version = '/v3alpha/systems/NPM/packages/%40types%2Fnode/versions/1.0.0';

test('every operation calls its own method and path', async () => {
  await operations.getPackage(service, name, { signal });
  await operations.getVersion(service, key, { signal });
  await operations.getVersionBatch(service, { requests: [{ versionKey: key }] }, { signal });
  await operations.getRequirements(service, key, { signal });
  await operations.getDependencies(service, key, { signal });
  await operations.getDependents(service, key, { signal });
  await operations.getCapabilities(service, module, { signal });
  await operations.getProject(service, 'github.com/a/b', { signal });
  await operations.getProjectBatch(
    service,
    { requests: [{ projectKey: { id: 'github.com/a/b' } }] },
    { signal },
  );
  await operations.getProjectPackageVersions(service, 'github.com/a/b', { signal });
  await operations.getAdvisory(service, 'GHSA-aaaa-bbbb-cccc', { signal });
  await operations.getSimilarlyNamedPackages(service, name, { signal });
  await operations.query(service, { hash: { type: 'MD5', value: '+/v7+/v7+/v7+/v7+/v7+w==' } }, { signal });
  await operations.purlLookup(service, 'pkg:npm/%40colors/colors@1.5.0', { signal });
  await operations.purlLookupBatch(service, { requests: [{ purl: 'pkg:npm/a@1.0.0' }] }, { signal });
  await operations.queryContainerImages(service, 'sha256:00', { signal });
  expect(seen).toEqual([
    'GET /v3alpha/systems/NPM/packages/%40types%2Fnode',
    `GET ${version}`,
    'POST /v3alpha/versionbatch',
    `GET ${version}:requirements`,
    `GET ${version}:dependencies`,
    `GET ${version}:dependents`,
    'GET /v3alpha/systems/GO/packages/golang.org%2Fx%2Fnet/versions/v0.17.0:capabilities',
    'GET /v3alpha/projects/github.com%2Fa%2Fb',
    'POST /v3alpha/projectbatch',
    'GET /v3alpha/projects/github.com%2Fa%2Fb:packageversions',
    'GET /v3alpha/advisories/GHSA-aaaa-bbbb-cccc',
    'GET /v3alpha/systems/NPM/packages/%40types%2Fnode:similarlyNamedPackages',
    'GET /v3alpha/query?hash.type=MD5&hash.value=%2B%2Fv7%2B%2Fv7%2B%2Fv7%2B%2Fv7%2B%2Fv7%2Bw%3D%3D',
    'GET /v3alpha/purl/pkg%3Anpm%2F%2540colors%2Fcolors%401.5.0',
    'POST /v3alpha/purlbatch',
    'GET /v3alpha/querycontainerimages/sha256%3A00',
  ]);
  expect(methodsOf(await readBundledDescription('insights.v3alpha'))).toHaveLength(seen.length);
});

test.each([
  [404, 'text/plain', 'version not found', 'not-found', false],
  [404, 'text/plain', 'no results match query', 'not-found', false],
  [404, 'text/html', '<html>Not Found</html>', 'contract', false],
  [404, 'text/plain', '404 page not found', 'contract', false],
  [302, 'text/plain', 'moved', 'contract', false],
  [400, 'text/plain', 'bad request', 'invalid', false],
  [403, 'text/plain', 'forbidden', 'invalid', false],
  [429, 'text/plain', '', 'rate-limited', true],
  [500, 'text/plain', 'internal error', 'unavailable', true],
  [200, 'text/html', '<html></html>', 'contract', true],
  [200, 'application/json', 'null', 'contract', true],
])('%i %s %j is %s', async (status, type, body, code, retryable) => {
  next = { status, type, body };
  expect(await operations.getVersion(service, key, { signal })).toMatchObject({ error: { code, retryable } });
});

test('what cannot be sent is invalid', async () => {
  const nameless = await operations.getPackage(service, { system: 'NPM', name: '' }, { signal });
  expect(nameless).toMatchObject({ error: { code: 'invalid', rule: 'name-form' } });
});
