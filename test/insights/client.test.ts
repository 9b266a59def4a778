import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startInsightsService } from '../../src/embedded/insights/service.ts';
import { InsightsError, openInsightsClient } from '../../src/insights-client.ts';
import { SELF_SIGNED } from '../http/self-signed.ts';

test('the library entry requests, iterates and closes', async () => {
  const local = await startInsightsService();
  const { operations, service, batches, close } = await openInsightsClient({
    url: local.url,
    requestsPerSecond: 100,
    privatePackages: ['@corp/*'],
  });
  const { signal } = new AbortController();
  try {
    const answered = await operations.getVersion(
      service,
      { system: 'NPM', name: 'lodash', version: '4.17.20' },
      { signal },
    );
    expect(answered.value?.licenses).toEqual(['MIT']);
    const { error } = await operations.getPackage(service, { system: 'NPM', name: '@corp/a' }, { signal });
    expect(error).toBeInstanceOf(InsightsError);
    expect(error?.rule).toBe('private-name');
    const found: unknown[] = [];
    for await (const { request, missing } of batches.purls(['pkg:npm/ms@2.1.2', 'pkg:npm/ms@0.0.0'], {
      signal,
    })) {
      found.push([request, missing ?? false]);
    }
    expect(found).toEqual([
      ['pkg:npm/ms@2.1.2', false],
      ['pkg:npm/ms@0.0.0', true],
    ]);
  } finally {
    await close();
    await local.close();
  }
});

test.each([
  [
    'https',
    createHttpsServer(SELF_SIGNED),
    'no authority that is trusted here signed its certificate; NODE_EXTRA_CA_CERTS names the file of a private one; check insights.url',
  ],
  [
    'http',
    createHttpServer((_request, response) => response.writeHead(401).end('invalid key')),
    'HTTP 401, the text "invalid key": the service, or a proxy before it, refuses the credentials; check insights.url',
  ],
])('an error at %s says what to do, without the credentials', async (scheme, server, reason) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { operations, service, close } = await openInsightsClient({
    url: `${scheme}://user:hush@localhost:${port}`,
  });
  const { signal } = new AbortController();
  const { error } = await operations.getAdvisory(service, 'GHSA-35jh-r3h4-6jhm', { signal });
  expect(error?.message).toBe(
    `GET ${scheme}://localhost:${port}/v3alpha/advisories/GHSA-35jh-r3h4-6jhm: ${reason}`,
  );
  await close();
  await new Promise((resolve) => server.close(resolve));
});
