import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createApiClient } from '../../src/discovery/client.ts';
import { parseDescription, type RestDescription } from '../../src/discovery/description/description.ts';
import { validateDescription } from '../../src/discovery/description/validate-description.ts';
import { startDiscoveryService } from '../../src/embedded/discovery/service.ts';
import { type LocalServices, startLocalServices } from '../../src/embedded/local-services.ts';
import { createHttpClient } from '../../src/http/undici-client.ts';

const KEYS = { 'SVC-API-KEY': 'api', 'SVC-APPLICATION-KEY': 'application' };

describe('documents that the local discovery service serves', () => {
  let services: LocalServices;
  const http = createHttpClient();
  beforeAll(async () => {
    const keys = [{ apiKey: 'api', applicationKey: 'application' }];
    services = await startLocalServices({ webhooks: { keys } });
  });
  afterAll(async () => {
    await services.close();
    await http.close();
  });

  async function published(name: string, version: string, host?: string): Promise<RestDescription> {
    const url = services.discovery.documentUrl(name, version);
    return parseDescription(await get(url, host), url);
  }

  it('lead clients that are built from them to the local services', async () => {
    const insights = createApiClient({ document: await published('insights', 'v3alpha'), http });
    const params = { 'packageKey.system': 'NPM', 'packageKey.name': 'lodash' };
    expect(await insights.call('insights.getPackage', { params })).toMatchObject({ status: 200 });
    expect(services.insights.stats().requests.get('insights.getPackage')).toBe(1);

    const document = await published('webhooks', 'v1');
    const webhooks = createApiClient({ document, http, headers: () => KEYS });
    const body = { name: 'alerts', url: 'https://hooks.example/a' };
    expect(await webhooks.call('webhooks.definitions.create', { body })).toMatchObject({ status: 201 });
    expect(services.webhooks.snapshot().webhooks).toMatchObject([body]);

    const discovery = createApiClient({ document: await published('discovery', 'v1'), http });
    expect(await discovery.call('discovery.apis.list', {})).toMatchObject({ status: 200 });
  });

  it('name the service in every URL field, and offer no batches', async () => {
    for (const [name, version, root] of [
      ['insights', 'v3alpha', services.insights.url],
      ['webhooks', 'v1', services.webhooks.url],
      ['discovery', 'v1', services.discovery.url],
    ] as const) {
      const document = await published(name, version);
      const { servicePath = '' } = document;
      expect(document).toMatchObject({
        rootUrl: `${root}/`,
        baseUrl: `${root}/${servicePath}`,
        basePath: `/${servicePath}`,
      });
      expect(document).not.toHaveProperty('batchPath');
      expect(JSON.stringify(document)).not.toContain('googleapis');
      expect(validateDescription(document)).toEqual([]);
    }
  });

  it('name this machine as the client does', async () => {
    const { port } = new URL(services.insights.url);
    const document = await published('insights', 'v3alpha', 'services:8704');
    expect(document.rootUrl).toBe(`http://services:${port}/`);
    const own = await published('discovery', 'v1', 'services:9000');
    expect(own.rootUrl).toBe('http://services:9000/');
    // An invalid host is ignored.
    expect((await published('insights', 'v3alpha', 'a b:x')).rootUrl).toBe(`${services.insights.url}/`);
  });

  it('are answered with 304 while they are the same for this client', async () => {
    const url = services.discovery.documentUrl('webhooks', 'v1');
    const first = await fetch(url);
    const etag = first.headers.get('etag') ?? '';
    await first.arrayBuffer();
    expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });
});

describe('the local discovery service', () => {
  it('does not change documents of other APIs, or any document without addresses', async () => {
    const kind = 'discovery#restDescription';
    const documents = [{ kind, name: 'sheets', version: 'v4', rootUrl: 'https://sheets.example/' }];
    for (const rootUrls of [{}, { insights: 'http://127.0.0.1:1' }, undefined]) {
      const service = await startDiscoveryService({ documents, ...(rootUrls && { rootUrls }) });
      expect(JSON.parse(await get(service.documentUrl('sheets', 'v4')))).toEqual(documents[0]);
      await service.close();
    }
  });

  it('reads flags in any case, and refuses other values', async () => {
    const [kind, name] = ['discovery#restDescription', 'a'];
    const documents = ['v2', 'v1'].map((version) => ({ kind, name, version }));
    const service = await startDiscoveryService({ documents });
    const list = z.object({ items: z.array(z.looseObject({ id: z.string() })) });
    const ask = async (query: string) => {
      const response = await fetch(`${service.url}/discovery/v1/apis?preferred=${query}`);
      if (response.status !== 200) return [response.status, await response.json()];
      return list.parse(await response.json()).items.map(({ id }) => id);
    };
    for (const yes of ['true', 'True', 'TRUE']) expect(await ask(yes), yes).toEqual(['a:v2']);
    for (const no of ['false', 'False']) expect(await ask(no), no).toEqual(['a:v2', 'a:v1']);
    for (const odd of ['maybe', '', '1', 'truely']) {
      const message = `invalid value for preferred: ${JSON.stringify(odd)}`;
      expect(await ask(odd), odd).toMatchObject([400, { error: { code: 400, message } }]);
    }
    await service.close();
  });
});

/** With `node:http`, which lets a client set the `Host` header. */
function get(url: string, host?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(url, host === undefined ? {} : { headers: { host } }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve(text);
    });
    asked.on('error', reject).end();
  });
}
