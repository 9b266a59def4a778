import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { chooseApi, openDirectory, readDirectory } from '../../src/discovery/directory/directory-list.ts';
import { createDocumentSource } from '../../src/discovery/directory/document-source.ts';
import { type DiscoveryService, startDiscoveryService } from '../../src/embedded/discovery/service.ts';
import { garbageAnswer, htmlAnswer } from '../../src/embedded/faults.ts';
import { publicAddressesOnly } from '../../src/http/address-guard.ts';
import { createHttpClient, type HttpClientOptions } from '../../src/http/undici-client.ts';
import { createMemoryCache } from '../../src/insights/disk-cache/memory-cache.ts';
import { startTestServer } from '../http/test-server.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const beta = { kind: 'discovery#restDescription', name: 'insights', version: 'v4beta', title: 'Next' };

async function start(options: HttpClientOptions = {}) {
  const service = await startDiscoveryService();
  service.publish(beta);
  const http = createHttpClient({ retry: { attempts: 1, baseMs: 1, longestWaitMs: 1 }, ...options });
  closing.push(() => http.close(), service.close);
  return { service, http };
}

describe('discovery.apis.list', () => {
  test('lists published APIs, also by name and preferred versions only', async () => {
    const { service, http } = await start();
    const ids = async (query = {}) =>
      (await (await openDirectory({ http, url: service.url })).list(query)).map(({ id }) => id);
    expect(await ids()).toEqual(['insights:v3alpha', 'webhooks:v1', 'discovery:v1', 'insights:v4beta']);
    expect(await ids({ name: 'insights' })).toEqual(['insights:v3alpha', 'insights:v4beta']);
    expect(await ids({ preferred: true })).toEqual(['insights:v3alpha', 'webhooks:v1', 'discovery:v1']);
    expect(await ids({ name: 'nope' })).toEqual([]);
  });

  test('is found by its root URL, with and without a path, and when it is a file', async () => {
    const { service, http } = await start();
    for (const path of [
      '',
      '/',
      '/discovery/v1',
      '/discovery/v1/',
      '/discovery/v1/apis',
      '/discovery/v1/apis?x=1',
    ]) {
      const directory = await openDirectory({ http, url: service.url + path });
      expect(await directory.list(), path).toHaveLength(4);
    }
    const list = {
      items: [
        { id: 'a:v1', discoveryLink: './a.json' },
        { name: 'a', version: 'v2', preferred: true },
      ],
    };
    const file = await startTestServer((request, response) => {
      const found = request.url === '/lists/all.json';
      response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(list));
    });
    closing.push(file.close);
    const directory = await openDirectory({ http, url: `${file.url}/lists/all.json` });
    // A file is not filtered by the server, so the client filters.
    expect(await directory.list({ preferred: true })).toMatchObject([{ id: 'a:v2' }]);
    expect(await directory.list()).toMatchObject([
      { id: 'a:v1', name: 'a', version: 'v1', documentUrl: `${file.url}/lists/a.json` },
      { id: 'a:v2' },
    ]);
  });

  test.each([
    ['an error', { kind: 'answer', status: 503 } as const, /answered HTTP 503/],
    ['a page', htmlAnswer(), /something that is not JSON/],
    ['garbage', garbageAnswer(), /something that is not JSON/],
    [
      'other JSON',
      {
        kind: 'answer',
        status: 200,
        body: '{"x":1}',
        headers: { 'content-type': 'application/json' },
      } as const,
      /not a list of APIs/,
    ],
  ])('reports an answer of %s', async (_what, fault, message) => {
    const { service, http } = await start();
    service.faults.inject(fault);
    await expect((await openDirectory({ http, url: service.url })).list()).rejects.toThrow(message);
  });

  test('skips items without a name, and accepts an empty list', () => {
    const url = 'https://x/';
    expect(readDirectory({ kind: 'discovery#directoryList' }, url)).toEqual([]);
    expect(readDirectory({ items: [null, 1, {}, { name: 5 }, { name: 'a' }] }, url)).toMatchObject([
      { name: 'a', version: '', preferred: false },
    ]);
  });

  const corpora = process.env['LOCKHOUND_CORPORA'] ?? resolve(import.meta.dirname, '../../../shared/corpora');
  const real = join(corpora, 'discovery/directory-list.json');

  test.skipIf(!existsSync(real))('reads a real answer whole', () => {
    const items = readDirectory(JSON.parse(readFileSync(real, 'utf8')), 'https://x/');
    expect(items).toHaveLength(304);
    expect(items.every(({ documentUrl, version }) => documentUrl !== undefined && version !== '')).toBe(true);
    expect(chooseApi(items, 'sheets').id).toBe('sheets:v4');
  });
});

describe('an API is chosen', () => {
  const item = (version: string, preferred = false) => ({
    ...{ id: `a:${version}`, name: 'a', version, title: '', description: '', labels: [], preferred },
  });

  test.each([
    ['a', [item('v1', true), item('v2')], 'a:v1'],
    ['a:v2', [item('v1', true), item('v2')], 'a:v2'],
    ['a', [item('v2beta'), item('v1'), item('v3alpha'), item('v10'), item('v9')], 'a:v10'],
    ['a', [item('v2alpha'), item('v1beta2'), item('v1beta1')], 'a:v1beta2'],
  ])('%s', (wanted, items, id) => {
    expect(chooseApi(items, wanted).id).toBe(id);
  });

  test('or the error lists the available ones', () => {
    expect(() => chooseApi([item('v1')], 'b')).toThrow('no API "b"');
    expect(() => chooseApi([item('v1'), item('v2')], 'a:v3')).toThrow('no version v3 of a; it has v1, v2');
  });
});

describe('a document', () => {
  const fetchFrom = async (service: DiscoveryService, source: ReturnType<typeof createDocumentSource>) =>
    await source.fetch(`${service.documentUrl('insights', 'v4beta')}?key=secret`);

  test('is requested conditionally once it is cached', async () => {
    const { service, http } = await start();
    const source = createDocumentSource({ http, cache: createMemoryCache() });
    expect(await fetchFrom(service, source)).toMatchObject({
      revalidated: false,
      document: { title: 'Next' },
    });
    expect(await fetchFrom(service, source)).toMatchObject({
      revalidated: true,
      document: { title: 'Next' },
    });
    service.publish({ ...beta, title: 'Newer' });
    const newer = await fetchFrom(service, source);
    expect(newer).toMatchObject({ revalidated: false, document: { title: 'Newer' } });
    expect(newer.source).not.toContain('secret');
    expect(service.answers()).toEqual(
      new Map([
        [200, 2],
        [304, 1],
      ]),
    );
  });

  test('is requested again when the cached value is not a document', async () => {
    const { service, http } = await start();
    const source = createDocumentSource({
      http,
      cache: { getMany: async () => [{ etag: '"x"' }], setMany: async () => {} },
    });
    expect(await fetchFrom(service, source)).toMatchObject({ revalidated: false });
  });

  test('that is unavailable or invalid is an error with its URL', async () => {
    const { service, http } = await start();
    const source = createDocumentSource({ http, cache: createMemoryCache() });
    await expect(source.fetch(service.documentUrl('no', 'v1'))).rejects.toThrow(
      /\/apis\/no\/v1\/rest answered HTTP 404/,
    );
    service.faults.inject(garbageAnswer());
    await expect(fetchFrom(service, source)).rejects.toThrow(/rest: not JSON/);
    service.faults.inject({ kind: 'answer', status: 200, body: '{"kind":"x"}' });
    await expect(fetchFrom(service, source)).rejects.toMatchObject({ code: 'invalid-document' });
  });

  test('is subject to the address guard and the size limit of the client', async () => {
    const guarded = await start({ guard: publicAddressesOnly() });
    const cache = createMemoryCache();
    await expect(
      fetchFrom(guarded.service, createDocumentSource({ http: guarded.http, cache })),
    ).rejects.toMatchObject({
      code: 'address-refused',
    });
    const capped = await start({ maxResponseBytes: 10 });
    await expect(
      fetchFrom(capped.service, createDocumentSource({ http: capped.http, cache })),
    ).rejects.toMatchObject({
      code: 'too-large',
    });
  });
});
