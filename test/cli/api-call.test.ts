import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalServices, startLocalServices } from '../../src/embedded/local-services.ts';
import { startTestServer } from '../http/test-server.ts';
import { lockhound } from './lockhound.ts';

const KEYS = { apiKey: 'cli-api-key-51c2', applicationKey: 'cli-application-key-8e07' };
const folder = mkdtempSync(join(tmpdir(), 'cli-call-'));
let services: LocalServices;
let config: readonly string[];

beforeAll(async () => {
  services = await startLocalServices({ webhooks: { keys: [KEYS] } });
  writeFileSync(join(folder, 'api-key'), KEYS.apiKey);
  writeFileSync(join(folder, 'application-key'), KEYS.applicationKey);
  const file = join(folder, 'lockhound.yaml');
  writeFileSync(
    file,
    `insights: { url: "${services.insights.url}" }
notify:
  platform:
    url: "${services.webhooks.url}"
    apiKey: { file: "${join(folder, 'api-key')}" }
    applicationKey: { file: "${join(folder, 'application-key')}" }
  webhook: { url: "https://receiver.example/" }
`,
  );
  config = ['--config', file];
});

afterAll(async () => {
  await services.close();
  rmSync(folder, { recursive: true });
});

describe('lockhound api list', () => {
  it('lists the bundled documents and the APIs of a directory', async () => {
    expect((await lockhound(['api', 'list'])).out).toMatch(
      /^items \(4\)\n.*\n {2}insights:v3alpha .*\n {2}webhooks:v1 /,
    );
    const directory = ['--directory', services.discovery.url];
    const { code, out } = await lockhound(['api', 'list', ...directory, '--name', 'webhooks']);
    expect(code).toBe(0);
    expect(out).toMatch(/^items \(1\)\n[\s\S]* webhooks:v1 [\s\S]*http:\S*\/apis\/webhooks\/v1\/rest\n$/);
    const json = await lockhound(['api', 'list', ...directory, '--preferred', '--json']);
    expect(JSON.parse(json.out).items).toMatchObject([{ id: 'insights:v3alpha' }, {}, {}]);
  });

  it('reports an invalid directory', async () => {
    const { code, note } = await lockhound(['api', 'list', '--directory', `${services.receiver.url}/`]);
    expect(code).toBe(2);
    expect(note).toMatch(/directory at http.* answered .*\[(?:unavailable|invalid-directory)\]/);
    expect((await lockhound(['api', 'list', '--directory', 'http://127.0.0.1:1'])).note).toMatch(
      /connect-failed/,
    );
  });
});

describe('documents of a directory', () => {
  it('are shown, compared with the bundled ones, and fetched by URL', async () => {
    const directory = ['--directory', services.discovery.url];
    expect((await lockhound(['api', 'show', 'webhooks:v1', ...directory])).out).toContain('methods (8)');
    const url = services.discovery.documentUrl('insights', 'v3alpha');
    // The documents differ only in their URLs.
    const root = `is ${services.insights.url} now, not https://api.deps.dev`;
    const same = await lockhound(['api', 'diff', 'insights', url]);
    expect(same.out.replaceAll(/\s+/g, ' ')).toMatch(
      new RegExp(`^breaking yes counts breaking 1 deprecating 0 compatible 0 .*${root} $`),
    );
    const call = ['insights.getPackage', 'NPM', 'lodash'];
    for (const document of [[url], ['insights:v3alpha', ...directory]]) {
      const [named = '', ...options] = document;
      const called = await lockhound(['api', 'call', named, ...call, ...options]);
      expect(called, named).toMatchObject({ code: 0, out: expect.stringContaining('"lodash"') });
      const text = await lockhound(['api', 'call', named, ...call, ...options, '--text']);
      expect(text, named).toMatchObject({ code: 0, out: expect.stringMatching(/^NPM lodash\n {2}purl/) });
    }
    const changed = JSON.parse(
      readFileSync(resolve(import.meta.dirname, '../../apis/insights.v3alpha.json'), 'utf8'),
    );
    services.discovery.publish({
      ...changed,
      version: 'v4',
      id: 'insights:v4',
      rootUrl: 'https://new.example/',
    });
    const { code, out } = await lockhound(['api', 'diff', 'insights', 'insights:v4', ...directory]);
    expect({ code, out }).toMatchObject({
      code: 1,
      out: expect.stringMatching(/root-url-changed[\s\S]*\$\.rootUrl/),
    });
    expect((await lockhound(['api', 'show', 'insights:v9', ...directory])).note).toMatch(
      /it has v3alpha, v4/,
    );
  });
});

describe('lockhound api call', () => {
  it('calls configured services at their configured URL with their credentials', async () => {
    const found = await lockhound([
      'api',
      'call',
      'insights',
      'insights.getPackage',
      'NPM',
      'lodash',
      ...config,
    ]);
    expect(found).toMatchObject({ code: 0, note: '' });
    expect(JSON.parse(found.out).packageKey).toEqual({ system: 'NPM', name: 'lodash' });
    const body = '{"name": "by-hand", "url": "https://receiver.example/"}';
    const created = await lockhound([
      'api',
      'call',
      'webhooks',
      'webhooks.definitions.create',
      '--body',
      body,
      ...config,
    ]);
    expect(created).toMatchObject({ code: 0, note: '' });
    expect(services.webhooks.snapshot().webhooks.map(({ name }) => name)).toContain('by-hand');
  });

  it('prints the answer of a refused call and exits with 2', async () => {
    const args = [
      'api',
      'call',
      'insights',
      'insights.getPackage',
      'NPM',
      'no-such-package-at-all',
      ...config,
    ];
    expect(await lockhound(args)).toEqual({
      code: 2,
      out: 'package not found\n',
      note: expect.stringMatching(/^GET .*no-such-package-at-all answered HTTP 404\n$/),
    });
    expect(JSON.parse((await lockhound([...args, '--json'])).out)).toMatchObject({
      status: 404,
      body: 'package not found',
    });
  });

  it('sends nothing that does not fit the document', async () => {
    const before = services.webhooks.snapshot().calls.length;
    for (const [args, message] of [
      [
        ['webhooks.definitions.create', '--body', '{"url": "https://x/"}'],
        /\$\.name is required.*\[invalid-body\]/,
      ],
      [['webhooks.definitions.get'], /webhook_name is required/],
      [['webhooks.definitions.create', '--media', '/nowhere'], /--media .*no such file/],
      [
        ['webhooks.definitions.get', 'x', '--token-env', 'LOCKHOUND_SECRET_UNSET'],
        /LOCKHOUND_SECRET_UNSET is not set/,
      ],
    ] as const) {
      expect(await lockhound(['api', 'call', 'webhooks', ...args, ...config])).toMatchObject({
        code: 2,
        note: expect.stringMatching(message),
      });
    }
    expect(services.webhooks.snapshot().calls).toHaveLength(before);
  });

  it('sends configured credentials to no other root URL, and a token from the environment to the named one', async () => {
    const seen: (readonly [string | undefined, boolean])[] = [];
    const server = await startTestServer((request, response) => {
      seen.push([request.headers.authorization, 'svc-api-key' in request.headers]);
      response.end();
    });
    process.env['LOCKHOUND_SECRET_TOKEN'] = 'bearer-token-1';
    try {
      const root = ['--root-url', server.url, '--token-env', 'LOCKHOUND_SECRET_TOKEN'];
      const { code } = await lockhound([
        'api',
        'call',
        'webhooks',
        'webhooks.definitions.get',
        'x',
        ...root,
        ...config,
      ]);
      expect(code).toBe(0);
    } finally {
      delete process.env['LOCKHOUND_SECRET_TOKEN'];
      await server.close();
    }
    expect(seen).toEqual([['Bearer bearer-token-1', false]]);
  });

  it('uploads media', async () => {
    const got: { type: string | undefined; url: string | undefined; body: string }[] = [];
    const server = await startTestServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      got.push({ type: request.headers['content-type'], url: request.url, body });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"stored":true}');
    });
    const mediaUpload = { accept: ['text/*'], protocols: { simple: { path: '/up/x', multipart: true } } };
    const method = { id: 'put', httpMethod: 'POST', path: 'x', mediaUpload };
    const file = join(folder, 'media.json');
    writeFileSync(
      file,
      JSON.stringify({ kind: 'discovery#restDescription', rootUrl: server.url, methods: { put: method } }),
    );
    writeFileSync(join(folder, 'note.txt'), 'hello');
    const args = ['api', 'call', file, 'put', '--media', join(folder, 'note.txt'), '--media-type'];
    try {
      expect(JSON.parse((await lockhound([...args, 'text/plain'])).out)).toEqual({ stored: true });
      expect((await lockhound([...args, 'image/png'])).note).toMatch(/takes text\/\*, not image\/png/);
    } finally {
      await server.close();
    }
    expect(got).toEqual([{ type: 'text/plain', url: '/up/x?uploadType=media', body: 'hello' }]);
  });

  it('writes a download to a file, byte for byte', async () => {
    const content = Buffer.from([0xff, 0xd8, 0x00, 0x80, 0x0a]);
    const server = await startTestServer((request, response) => {
      if (request.url?.includes('gone')) response.writeHead(404).end('no such file');
      else response.writeHead(200, { 'content-type': 'image/jpeg' }).end(content);
    });
    const file = join(folder, 'download.json');
    const id = { type: 'string', location: 'path', required: true };
    const get = { id: 'get', httpMethod: 'GET', path: 'files/{id}', supportsMediaDownload: true };
    const alt = { type: 'string', location: 'query', enum: ['json'] };
    writeFileSync(
      file,
      JSON.stringify({
        kind: 'discovery#restDescription',
        rootUrl: server.url,
        parameters: { alt },
        methods: { get: { ...get, parameters: { id } } },
      }),
    );
    const target = join(folder, 'photo.jpg');
    const args = ['--params', '{"alt": "media"}', '--output', target];
    try {
      expect(await lockhound(['api', 'call', file, 'get', 'gone', ...args])).toMatchObject({
        code: 2,
        out: 'no such file\n',
      });
      expect(existsSync(target)).toBe(false);
      expect(await lockhound(['api', 'call', file, 'get', 'here', ...args])).toMatchObject({
        code: 0,
        out: '',
        note: expect.stringMatching(/\/files\/here: 5 bytes in .*photo\.jpg\n$/),
      });
      expect(readFileSync(target)).toEqual(content);
      const nowhere = await lockhound(['api', 'call', file, 'get', 'here', '--output', folder]);
      expect(nowhere).toMatchObject({
        code: 2,
        note: expect.stringMatching(/: is a folder; name a file/),
      });
    } finally {
      await server.close();
    }
  });

  it('does not let a remote document direct calls to the local network', async () => {
    const inner = {
      kind: 'discovery#restDescription',
      name: 'inner',
      version: 'v1',
      rootUrl: services.insights.url.replace('127.0.0.1', 'localhost'),
    };
    services.discovery.publish({ ...inner, methods: { get: { id: 'get', httpMethod: 'GET', path: 'x' } } });
    const args = ['api', 'call', 'inner', 'get', '--directory', services.discovery.url];
    expect(await lockhound(args)).toMatchObject({ code: 2, note: expect.stringMatching(/address-refused/) });
    expect((await lockhound([...args, '--root-url', services.insights.url])).note).toMatch(
      /answered HTTP 404/,
    );
  });
});
