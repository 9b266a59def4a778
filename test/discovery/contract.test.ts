import { afterEach, expect, test } from 'vitest';
import { readBundledDescription } from '../../src/discovery/bundled.ts';
import { compareContract } from '../../src/discovery/contract.ts';
import { openDirectory } from '../../src/discovery/directory/directory-list.ts';
import { createDocumentSource } from '../../src/discovery/directory/document-source.ts';
import { startDiscoveryService } from '../../src/embedded/discovery/service.ts';
import { createHttpClient } from '../../src/http/undici-client.ts';
import { createMemoryCache } from '../../src/insights/disk-cache/memory-cache.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function check(published: readonly string[], change: object = {}, rootUrl?: string) {
  const own = await readBundledDescription('insights.v3alpha');
  const documents = published.map((version) => ({ ...own, ...change, version }));
  const service = await startDiscoveryService({ documents });
  const http = createHttpClient({ retry: { attempts: 1, baseMs: 1, longestWaitMs: 1 } });
  closing.push(() => http.close(), service.close);
  return await compareContract({
    api: 'insights.v3alpha',
    rootUrl,
    publication: { directory: await openDirectory({ http, url: service.url }) },
    source: createDocumentSource({ http, cache: createMemoryCache() }),
    signal: new AbortController().signal,
  });
}

test('the bundled version is compared, regardless of the preferred one', async () => {
  expect(await check(['v4', 'v3alpha'], { revision: 'x' })).toMatchObject({
    api: 'insights',
    version: 'v3alpha',
    revision: 'x',
    source: expect.stringContaining('/apis/insights/v3alpha/rest'),
    differences: [],
  });
  const broken = await check(['v3alpha'], { servicePath: 'next/' });
  expect(broken?.differences).toHaveLength(19);
});

test('a published document may lack what a service may not have, and nothing else', async () => {
  const { methods = {}, schemas = {} } = await readBundledDescription('insights.v3alpha');
  const { getFindings: _one, getVersionFindings: _two, getFindingsBatch: _three, ...others } = methods;
  const { Version, ...rest } = schemas;
  const { cooldown: _cooldown, projectStatus: _status, ...properties } = Version?.properties ?? {};
  const older = { ...rest, Version: { ...Version, properties } };
  const found = await check(['v3alpha'], { methods: others, schemas: older });
  expect(found?.differences.filter((one) => one.class === 'breaking')).toEqual([]);
  const { query: _query, ...fewer } = others;
  const { advisoryKeys: _keys, ...less } = properties;
  const broken = await check(['v3alpha'], {
    methods: fewer,
    schemas: { ...rest, Version: { ...Version, properties: less } },
  });
  expect(broken?.differences.filter((one) => one.class === 'breaking')).toHaveLength(2);
});

test('the configured root URL is not a difference; another one is', async () => {
  const moved = { rootUrl: 'http://127.0.0.1:8701/' };
  expect((await check(['v3alpha'], moved, 'http://127.0.0.1:8701'))?.differences).toEqual([]);
  expect((await check(['v3alpha'], {}, 'https://mirror.example'))?.differences).toEqual([]);
  const roots = { kind: 'root-url-changed', class: 'breaking' };
  expect((await check(['v3alpha'], moved))?.differences).toMatchObject([roots]);
  expect((await check(['v3alpha'], moved, 'https://mirror.example'))?.differences).toMatchObject([roots]);
});

test('a removed version is breaking when other versions are listed', async () => {
  expect(await check(['v4'])).toMatchObject({
    differences: [
      { class: 'breaking', kind: 'version-removed', message: expect.stringContaining('only v4') },
    ],
  });
});

test('an API that is not listed is not compared', async () => {
  expect(await check([])).toBeUndefined();
});

test('a document that cannot be used is an error, not a difference', async () => {
  await expect(check(['v3alpha'], { methods: { odd: { id: 'odd' } } })).rejects.toMatchObject({
    code: 'invalid-document',
    retryable: false,
  });
});
